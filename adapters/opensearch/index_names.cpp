// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/index_names.hpp"

#include <charconv>
#include <utility>

#include "adapters/opensearch/failure.hpp"
#include "adapters/opensearch/schema.hpp"

namespace kbase::opensearch {
namespace {

constexpr int kMostNames = 20;

bool exists_already(const model::Error& error) {
  return error.detail.find("resource_already_exists_exception") != error.detail.npos;
}

std::string state_path(const std::string& alias) {
  return "/" + alias + "/_doc/" + kState;
}

model::Result<FoundState> state_at(const Server& server, ports::Call& call, const std::string& alias) {
  const auto got = server.ask(call, {.method = "GET", .path = state_path(alias)});
  if (!got) return got.error();
  auto found = state_in(*got);
  if (!found) return nonsense("the state of " + alias + " can't be read");
  return *std::move(found);
}

/// Returns the creation time in the name of an index, in milliseconds since 1970. nullopt: it was not created for
/// `alias`.
std::optional<std::int64_t> time_in(std::string_view index, std::string_view alias) {
  if (!index.starts_with(alias) || index.size() < alias.size() + 2 || index[alias.size()] != '-') return std::nullopt;
  std::int64_t time = 0;
  const char* const begin = index.data() + alias.size() + 1;
  const char* const end = index.data() + index.size();
  const auto [point, wrong] = std::from_chars(begin, end, time);
  if (wrong != std::errc() || point != end) return std::nullopt;
  return time;
}

}  // namespace

model::Result<std::string> create_index(const Server& server, ports::Call& call, const Options& options,
                                        const std::string& alias, std::int64_t now) {
  for (int i = 0; i < kMostNames; ++i) {
    const std::string index = alias + "-" + std::to_string(now + i);
    const auto made = server.ask(
        call, {.method = "PUT", .path = "/" + index, .body = written(new_index(options, write_alias_of(index)))});
    if (made) return index;
    if (!exists_already(made.error())) return made.error();
  }
  return written_by_another("indices are made for " + alias + " all the time");
}

model::Status publish_index(const Server& server, ports::Call& call, const std::string& alias,
                            const std::string& index) {
  const auto others = server.ask(call, {.method = "GET", .path = "/" + alias + "-*/_alias"});
  if (!others) return others.error();
  Json actions = Json::array();
  for (const auto& [other, aliases] : others->items())
    if (other != index && other.starts_with(alias + "-")) actions.push_back({{"remove_index", {{"index", other}}}});
  actions.push_back({{"add", {{"index", index}, {"alias", alias}}}});
  const auto done = server.ask(call, {.path = "/_aliases", .body = written({{"actions", std::move(actions)}})});
  if (!done && done.error().code == model::ErrorCode::NotFound) return written_by_another(done.error().detail);
  return done ? model::Status() : done.error();
}

model::Status remove_leftovers(const Server& server, ports::Call& call, const std::string& alias, std::int64_t before) {
  const auto indices = server.ask(call, {.method = "GET", .path = "/" + alias + "-*/_alias"});
  if (!indices) return indices.error();
  model::Status outcome;
  for (const auto& [index, about] : indices->items()) {
    const auto made = time_in(index, alias);
    if (!made || *made >= before || member(about, "aliases").contains(alias)) continue;
    if (auto removed = remove_index(server, call, index); !removed) outcome = std::move(removed);
  }
  return outcome;
}

model::Status remove_index(const Server& server, ports::Call& call, const std::string& index) {
  const auto removed = server.ask(call, {.method = "DELETE", .path = "/" + index});
  return removed || removed.error().code == model::ErrorCode::NotFound ? model::Status() : removed.error();
}

model::Status refresh_index(const Server& server, ports::Call& call, const std::string& index) {
  const auto refreshed = server.ask(call, {.path = "/" + write_alias_of(index) + "/_refresh"});
  if (!refreshed) return refreshed.error();
  if (number(member(*refreshed, "_shards"), "failed") != 0)
    return nonsense("a refresh of " + index + " did not reach every copy of it");
  return {};
}

model::Result<FoundState> written_state(const Server& server, ports::Call& call, const std::string& index) {
  return state_at(server, call, write_alias_of(index));
}

model::Result<std::optional<FoundState>> state_under(const Server& server, ports::Call& call,
                                                     const std::string& alias) {
  auto found = state_at(server, call, alias);
  if (!found && found.error().code == model::ErrorCode::NotFound) return std::optional<FoundState>();
  if (!found) return found.error();
  return std::optional(*std::move(found));
}

model::Result<FoundState> write_state(const Server& server, ports::Call& call, const std::string& index,
                                      const State& state, const FoundState* before) {
  std::string path = state_path(write_alias_of(index)) + "?require_alias=true";
  if (before != nullptr)
    path += "&if_seq_no=" + std::to_string(before->sequence) + "&if_primary_term=" + std::to_string(before->term);
  const auto put = server.ask(call, {.method = "PUT", .path = path, .body = written(document_of(state))});
  if (!put && put.error().code == model::ErrorCode::NotFound) return written_by_another(put.error().detail);
  if (!put) return put.error();
  const auto sequence = number(*put, "_seq_no");
  const auto term = number(*put, "_primary_term");
  if (!sequence || !term) return nonsense("a state was written and has no number");
  return FoundState{state, index, *sequence, *term};
}

}  // namespace kbase::opensearch
