// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/indices.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "adapters/opensearch/server.hpp"
#include "adapters/text/analyzer.hpp"
#include "adapters/text/query.hpp"
#include "adapters/text/ranking.hpp"
#include "adapters/text/titles.hpp"
#include "adapters/text/unicode.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"

namespace kbase::opensearch {
namespace {

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

class StreamBuilder {
 public:
  StreamBuilder(text::Analyzer& analyzer, text::ItemLanguages languages) : analyzer_(analyzer), languages_(languages) {}

  /// Adds one field or one tag.
  void add(std::string_view text, long weight) {
    begin_text();
    analyzer_.analyze(text, languages_.content, [this](const text::Token& token) { add_token(token); });
    repeat(weight);
  }

  void add_title(std::string_view title) {
    begin_text();
    std::uint32_t length = 0;
    analyzer_.analyze_title(title, languages_, [&](const text::Token& token) {
      length += token.is_word() ? 1 : 0;
      add_token(token);
    });
    repeat(std::lround(text::title_weight(static_cast<float>(length))));
    streams_.title_words += words_;
    if (std::string words = text::fold_title(analyzer_, title); !words.empty())
      streams_.titles.push_back(std::move(words));
  }

  Streams finish() { return std::move(streams_); }

 private:
  void begin_text() {
    words_.clear();
    exact_.clear();
    if (!streams_.text.empty()) append_name(streams_.text, kNoWord, false);
  }

  void repeat(long weight) {
    for (long i = 0; i < weight; ++i) {
      streams_.words += words_;
      streams_.exact += exact_;
    }
  }

  void add_token(const text::Token& token) {
    const bool is_part = !token.is_word();
    const std::string_view stem = token.stem.empty() ? token.exact : token.stem;
    append_name(streams_.text, token.exact, is_part);
    append_name(streams_.text, text::kStemMark + std::string(stem), true);
    if (!token.stem_of_exact.empty())
      append_name(streams_.text, text::kStemMark + std::string(token.stem_of_exact), true);

    append_name(words_, stem, is_part);
    if (!token.stem_of_exact.empty()) append_name(words_, token.stem_of_exact, true);
    append_name(exact_, token.stem.empty() ? kNoWord : token.exact, is_part);
  }

  text::Analyzer& analyzer_;
  const text::ItemLanguages languages_;
  Streams streams_;
  std::string words_, exact_;  // of the current field
};

constexpr std::uint64_t kMaxViews = std::numeric_limits<std::int64_t>::max();  // maximum of a `long`

std::uint64_t add_views(std::uint64_t imported, std::uint64_t counted) {
  const std::uint64_t bounded = std::min(imported, kMaxViews);
  return bounded + std::min(counted, kMaxViews - bounded);
}

void set_view_counts(Json& document, std::uint64_t imported, std::uint64_t counted) {
  document["imported"] = std::min(imported, kMaxViews);
  document["views"] = add_views(imported, counted);
}

/// What a hit shows in addition, and what update_views() needs.
Json make_details(const model::ItemView& item) {
  Json details{{"url", item.url},
               {"language", item.language},
               {"version", item.version},
               {"aliases", Json::array()},
               {"sections", Json::array()}};
  for (const std::string_view alias : item.aliases) details["aliases"].push_back(alias);
  for (const std::string_view section : item.sections) details["sections"].push_back(section);
  return details;
}

void set_streams(Json& document, Streams streams) {
  document["text"] = std::move(streams.text);
  document["words"] = std::move(streams.words);
  document["exact"] = std::move(streams.exact);
  document["titles"] = std::move(streams.titles);
  document["title_words"] = std::move(streams.title_words);
}

std::optional<model::StoreId> parse_store_id(std::string_view digits) {
  model::StoreId store_id;
  if (!parse_hex(digits, store_id)) return std::nullopt;
  return store_id;
}

}  // namespace

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

void append_name(std::string& stream, std::string_view name, bool at_same_position) {
  stream += at_same_position ? kSamePosition : ' ';
  for (const char c : name) {
    const bool parts = (c >= 0 && c <= ' ') || c == kSamePosition;
    stream += parts ? '_' : c;
  }
}

Streams build_streams(text::Analyzer& analyzer, const model::ItemView& item, text::ItemLanguages languages) {
  StreamBuilder builder(analyzer, languages);
  builder.add_title(item.title);
  for (const std::string_view alias : item.aliases) builder.add_title(alias);
  for (const std::string_view tag : item.tags) builder.add(tag, kTagWeight);
  model::visit_section_texts(item.content, item.sections, [&builder](std::string_view text) { builder.add(text, 1); });
  return builder.finish();
}

std::string document_id(std::string_view item) { return "i:" + std::string(item); }

bool has_views(const Json& stored, std::uint64_t counted) {
  const std::uint64_t imported = number(stored, "imported").value_or(0);
  return text(stored, "kind") != kItem || number(stored, "views") == add_views(imported, counted);
}

text::ItemLanguages DocumentMaker::languages_of(text::Language content) const {
  return language_ ? text::ItemLanguages{content} : text::item_languages(content);
}

BulkDocument DocumentMaker::make_document(const model::ItemView& item, std::uint64_t counted) {
  model::ItemView truncated = item;
  truncated.content = text::first_bytes(item.content, kMaxContentBytes);
  const text::Language language = language_ ? *language_ : text::detect_language(truncated.title, truncated.content);
  Json document{{"kind", kItem},
                {"id", item.id},
                {"category", item.category},
                {"updated", item.metadata.updated.time_since_epoch().count()},
                {"bytes", truncated.title.size() + truncated.content.size()},
                {"language", text::name_of(language)},
                {"title", item.title},
                {"tags", Json::array()},
                {"content", truncated.content}};
  for (const std::string_view tag : item.tags) document["tags"].push_back(tag);
  document["languages"] = model::language_ranges(item.language);
  document["version"] = item.version;
  document["details"] = make_details(item);
  set_view_counts(document, item.metadata.views, counted);
  set_streams(document, build_streams(analyzer_, truncated, languages_of(language)));
  return {serialize(document_id(item.id)), serialize(document)};
}

std::optional<BulkDocument> DocumentMaker::update_views(const Json& stored, std::uint64_t counted) {
  if (has_views(stored, counted)) return std::nullopt;
  model::ItemView item;
  item.id = text(stored, "id");
  item.title = text(stored, "title");
  item.content = text(stored, "content");
  const auto tags = texts(stored, "tags"), aliases = texts(member(stored, "details"), "aliases");
  item.tags = tags;
  item.aliases = aliases;
  Json document = stored;
  set_view_counts(document, number(stored, "imported").value_or(0), counted);
  const text::Language language = text::find_language(text(stored, "language")).value_or(text::Language::None);
  set_streams(document, build_streams(analyzer_, item, languages_of(language)));
  return BulkDocument{serialize(document_id(item.id)), serialize(document)};
}

Status check_document(const Json& document) {
  const Json& error = member(document, "error");
  if (error.is_null()) return {};
  const std::string detail = std::string(text(error, "type")) + ": " + std::string(text(error, "reason"));
  if (text(error, "type") == "index_not_found_exception") return conflict_error(detail);
  return invalid_response("cannot read a document: " + detail);
}

BulkDocument make_tombstone(std::string_view id, std::int64_t now) {
  return {serialize(document_id(id)), serialize({{"kind", kTombstone}, {"removed", now}})};
}

Json make_state_document(const State& state) {
  return {{"kind", kState},
          {"state",
           {{"lineage", to_hex(state.store_id)},
            {"revision", state.revision},
            {"views_revision", state.views_revision},
            {"open", state.is_open},
            {"swept", state.tombstones_purged_at}}}};
}

std::optional<StoredState> parse_state(const Json& hit) {
  const Json& stored = member(member(hit, "_source"), "state");
  const auto store_id = parse_store_id(text(stored, "lineage"));
  const auto revision = number(stored, "revision");
  const auto views_revision = number(stored, "views_revision");
  if (!store_id || !revision || !views_revision || text(hit, "_index").empty()) return std::nullopt;
  StoredState found;
  found.state.store_id = *store_id;
  found.state.revision = *revision;
  found.state.views_revision = *views_revision;
  found.state.is_open = member(stored, "open") == true;
  found.state.tombstones_purged_at = static_cast<std::int64_t>(number(stored, "swept").value_or(0));
  found.index = text(hit, "_index");
  found.sequence = number(hit, "_seq_no").value_or(0);
  found.term = number(hit, "_primary_term").value_or(0);
  return found;
}

}  // namespace kbase::opensearch
