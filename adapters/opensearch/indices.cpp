// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/indices.hpp"

#include <charconv>
#include <utility>

#include "adapters/opensearch/response.hpp"
#include "adapters/text/analyzer.hpp"
#include "domain/base/result.hpp"

namespace kbase::opensearch {
namespace {

// Maximum length of one word with all its names: a version such as 1.2.3 has about twelve names.
constexpr int kMaxNamesLength = 8192;

// Maximum length in characters of a tag for filters and facets: Lucene's limit is 32,766 bytes.
constexpr int kMaxTagLength = 8191;

/// Returns the analyzer that splits the streams of document.hpp.
Json analysis() {
  return {{"tokenizer", {{"words", {{"type", "whitespace"}, {"max_token_length", kMaxNamesLength}}}}},
          {"filter",
           {{"names",
             {{"type", "pattern_capture"}, {"preserve_original", false}, {"patterns", Json::array({"([^|]+)"})}}}}},
          {"analyzer", {{"words", {{"type", "custom"}, {"tokenizer", "words"}, {"filter", Json::array({"names"})}}}}}};
}

Json properties() {
  const Json keyword = {{"type", "keyword"}};
  const Json whole = {{"type", "long"}};
  const Json stored = {{"type", "text"}, {"index", false}};
  const Json ranking = {{"type", "text"}, {"analyzer", "words"}, {"index_options", "freqs"}, {"similarity", "words"}};
  return {{"kind", keyword},
          {"id", keyword},
          {"category", keyword},
          {"updated", whole},
          {"bytes", whole},
          {"views", whole},
          {"language", keyword},
          {"removed", whole},
          {"title", stored},
          {"tags", {{"type", "keyword"}, {"ignore_above", kMaxTagLength}}},
          {"content", stored},
          {"imported", {{"type", "long"}, {"index", false}, {"doc_values", false}}},
          {"state", {{"type", "object"}, {"enabled", false}}},
          {"text", {{"type", "text"}, {"analyzer", "words"}, {"index_options", "positions"}, {"norms", false}}},
          {"words", ranking},
          {"exact", ranking}};
}

constexpr int kMaxNameAttempts = 20;

bool exists_already(const Error& error) {
  return error.detail.find("resource_already_exists_exception") != error.detail.npos;
}

std::string state_path(const std::string& alias) { return "/" + alias + "/_doc/" + kState; }

Result<StoredState> read_state_at(const Server& server, ports::Call& call, const std::string& alias) {
  const auto got = KBASE_TRY(server.execute(call, {.method = "GET", .path = state_path(alias)}));
  auto found = parse_state(got);
  if (!found) return invalid_response("cannot read the state of " + alias);
  return *std::move(found);
}

/// Returns the creation time in the name of an index, in milliseconds since 1970. nullopt: it was not created for
/// `alias`.
std::optional<std::int64_t> parse_creation_time(std::string_view index, std::string_view alias) {
  if (!index.starts_with(alias) || index.size() < alias.size() + 2 || index[alias.size()] != '-') return std::nullopt;
  std::int64_t time = 0;
  const char* const begin = index.data() + alias.size() + 1;
  const char* const end = index.data() + index.size();
  const auto [point, parse_error] = std::from_chars(begin, end, time);
  if (parse_error != std::errc() || point != end) return std::nullopt;
  return time;
}

}  // namespace

std::string describe_settings(const Options& options) {
  return "opensearch format " + std::to_string(kFormatVersion) + " analysis " + std::to_string(text::kAnalysisVersion) +
         " language " + options.language;
}

std::string make_alias(const Options& options) {
  return options.index + "-f" + std::to_string(kFormatVersion) + "-a" + std::to_string(text::kAnalysisVersion) + "-" +
         options.language;
}

Json make_index_definition(const Options& options, const std::string& write_alias) {
  Json index = {
      // A refresh publishes one snapshot per shard; several shards would publish several.
      {"number_of_shards", 1},
      // Only the end of a batch publishes; a timed refresh would show an incomplete batch.
      {"refresh_interval", "-1"},
      {"max_result_window", kMaxMatches},
      // The ranking parameters of the native index.
      {"similarity", {{"words", {{"type", "BM25"}, {"k1", 1.6}, {"b", 0.65}}}}},
      {"analysis", analysis()},
  };
  if (options.replicas)
    index["number_of_replicas"] = *options.replicas;
  else
    index["auto_expand_replicas"] = "0-1";
  return {{"settings", {{"index", std::move(index)}}},
          {"mappings",
           {{"dynamic", "strict"},
            {"_meta", {{"kbase", describe_settings(options)}}},
            // They can be recomputed from the texts.
            {"_source", {{"excludes", Json::array({"text", "words", "exact"})}}},
            {"properties", properties()}}},
          {"aliases", {{write_alias, Json::object()}}}};
}

Result<std::string> create_index(const Server& server, ports::Call& call, const Options& options,
                                 const std::string& alias, std::int64_t now) {
  for (int i = 0; i < kMaxNameAttempts; ++i) {
    const std::string index = alias + "-" + std::to_string(now + i);
    const auto made = server.execute(call, {.method = "PUT",
                                            .path = "/" + index,
                                            .body = serialize(make_index_definition(options, write_alias_for(index)))});
    if (made) return index;
    if (!exists_already(made.error())) return made.error();
  }
  return conflict_error("another process keeps creating indices for " + alias);
}

Status publish_index(const Server& server, ports::Call& call, const std::string& alias, const std::string& index) {
  const auto others = KBASE_TRY(server.execute(call, {.method = "GET", .path = "/" + alias + "-*/_alias"}));
  Json actions = Json::array();
  for (const auto& [other, aliases] : others.items())
    if (other != index && other.starts_with(alias + "-")) actions.push_back({{"remove_index", {{"index", other}}}});
  actions.push_back({{"add", {{"index", index}, {"alias", alias}}}});
  const auto done = server.execute(call, {.path = "/_aliases", .body = serialize({{"actions", std::move(actions)}})});
  if (!done && done.error().code == ErrorCode::NotFound) return conflict_error(done.error().detail);
  return done ? Status() : done.error();
}

Status remove_leftovers(const Server& server, ports::Call& call, const std::string& alias, std::int64_t before) {
  const auto indices = KBASE_TRY(server.execute(call, {.method = "GET", .path = "/" + alias + "-*/_alias"}));
  Status outcome;
  for (const auto& [index, description] : indices.items()) {
    const auto made = parse_creation_time(index, alias);
    if (!made || *made >= before || member(description, "aliases").contains(alias)) continue;
    if (auto removed = remove_index(server, call, index); !removed) outcome = std::move(removed);
  }
  return outcome;
}

Status remove_index(const Server& server, ports::Call& call, const std::string& index) {
  const auto removed = server.execute(call, {.method = "DELETE", .path = "/" + index});
  return removed || removed.error().code == ErrorCode::NotFound ? Status() : removed.error();
}

Status refresh_index(const Server& server, ports::Call& call, const std::string& index) {
  const auto refreshed = KBASE_TRY(server.execute(call, {.path = "/" + write_alias_for(index) + "/_refresh"}));
  if (number(member(refreshed, "_shards"), "failed") != 0)
    return invalid_response("a refresh of " + index + " did not reach all of its copies");
  return {};
}

Result<StoredState> read_written_state(const Server& server, ports::Call& call, const std::string& index) {
  return read_state_at(server, call, write_alias_for(index));
}

Result<std::optional<StoredState>> read_alias_state(const Server& server, ports::Call& call, const std::string& alias) {
  auto found = read_state_at(server, call, alias);
  if (!found && found.error().code == ErrorCode::NotFound) return std::optional<StoredState>();
  if (!found) return found.error();
  return std::optional(*std::move(found));
}

Result<StoredState> write_state(const Server& server, ports::Call& call, const std::string& index, const State& state,
                                const StoredState* before) {
  std::string path = state_path(write_alias_for(index)) + "?require_alias=true";
  if (before != nullptr)
    path += "&if_seq_no=" + std::to_string(before->sequence) + "&if_primary_term=" + std::to_string(before->term);
  const auto put = server.execute(call, {.method = "PUT", .path = path, .body = serialize(make_state_document(state))});
  if (!put && put.error().code == ErrorCode::NotFound) return conflict_error(put.error().detail);
  if (!put) return put.error();
  const auto sequence = number(*put, "_seq_no");
  const auto term = number(*put, "_primary_term");
  if (!sequence || !term) return invalid_response("the response to writing the state has no sequence number");
  return StoredState{state, index, *sequence, *term};
}

}  // namespace kbase::opensearch
