// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/back_ends.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <stdexcept>

#include "tests/e2e/client.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/redis_server.hpp"

namespace kbase::tests {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string opensearch_url() { return variable("KBASE_TEST_OPENSEARCH_URL"); }

/// Name of the schema, prefix or namespace that a base uses on a shared server.
std::string part_of(const std::filesystem::path& folder) {
  return "kbase-test-" + std::to_string(std::hash<std::string>()(folder.string()));
}

const PostgresServer& shared_postgres() {
  static const PostgresServer server;
  return server;
}

const RedisServer& shared_redis() {
  static const RedisServer server;
  return server;
}

std::string storage_section(Storage storage, const std::string& part, const std::filesystem::path& content) {
  switch (storage) {
    case Storage::Sqlite: return "  plugin: sqlite\n";
    case Storage::JsonLines: return "  plugin: " KBASE_JSONL_STORE "\n";
    case Storage::Postgres:
      return "  plugin: postgres\n  config:\n    url: " + shared_postgres().url() + "\n    schema: " + part + "\n";
    case Storage::Memory: break;
  }
  return "  plugin: memory\n" + (content.empty() ? "" : "  config:\n    load: [\"" + content.string() + "\"]\n");
}

std::string search_section(Search search, const std::string& part) {
  switch (search) {
    case Search::OpenSearch:
      return "search:\n  plugin: opensearch\n  config:\n    url: " + opensearch_url() + "\n    index: " + part +
             "\n    replicas: 0\n";
    case Search::Native: break;
  }
  return {};
}

std::string counting_sections(Counting counting, const std::string& part) {
  if (counting == Counting::Memory) return {};
  const std::string config =
      "  plugin: redis\n  config:\n    url: " + shared_redis().url() + "\n    prefix: " + part + "\n";
  return "rate_limit:\n" + config + "  secret: a-secret-that-several-servers-share\ncache:\n" + config;
}

std::string name_of(Storage storage) {
  switch (storage) {
    case Storage::Sqlite: return "Sqlite";
    case Storage::Memory: return "Memory";
    case Storage::JsonLines: return "JsonLines";
    case Storage::Postgres: break;
  }
  return "Postgres";
}

std::string name_of(Search search) {
  switch (search) {
    case Search::OpenSearch: return "OpenSearch";
    case Search::Native: break;
  }
  return {};
}

}  // namespace

std::string combination_name(const BackEnds& back_ends) {
  return name_of(back_ends.storage) + name_of(back_ends.search) +
         (back_ends.counting == Counting::Redis ? "Redis" : "");
}

void PrintTo(const BackEnds& back_ends, std::ostream* out) { *out << combination_name(back_ends); }

std::vector<BackEnds> every_combination() {
  std::vector<BackEnds> all;
  for (const Storage storage : {Storage::Sqlite, Storage::Memory, Storage::Postgres})
    for (const Search search : {Search::Native, Search::OpenSearch})
      for (const Counting counting : {Counting::Memory, Counting::Redis})
        // The server refuses this pair: a store in one process's memory cannot feed an index that other servers
        // share.
        if (storage != Storage::Memory || search != Search::OpenSearch) all.emplace_back(storage, search, counting);
  return all;
}

std::string missing_for(const BackEnds& back_ends) {
  if (back_ends.storage == Storage::Postgres && !has_postgres()) return kNoPostgres;
  if (back_ends.search == Search::OpenSearch && opensearch_url().empty())
    return "KBASE_TEST_OPENSEARCH_URL names no OpenSearch";
  if (back_ends.counting == Counting::Redis && !has_redis()) return kNoRedis;
  return {};
}

std::vector<BackEnds> chosen_or(std::vector<BackEnds> usual) {
  const std::string chosen = variable("KBASE_TEST_BACK_ENDS");
  if (chosen.empty()) return usual;
  const std::vector<BackEnds> all = every_combination();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const BackEnds& one) { return combination_name(one) == chosen; });
  if (found == all.end()) throw std::runtime_error("KBASE_TEST_BACK_ENDS is no combination of back ends: " + chosen);
  return {*found};
}

std::vector<BackEnds> other_indices() {
  if (!variable("KBASE_TEST_BACK_ENDS").empty()) return {};
  std::vector<BackEnds> others;
  if (!opensearch_url().empty()) others.emplace_back(Storage::Sqlite, Search::OpenSearch);
  return others;
}

std::string configuration_of(const BackEnds& back_ends, const std::filesystem::path& folder,
                             const std::filesystem::path& content) {
  const std::string part = part_of(folder);
  return "storage:\n" + storage_section(back_ends.storage, part, content) + search_section(back_ends.search, part) +
         counting_sections(back_ends.counting, part);
}

void clear(const BackEnds& back_ends, const std::filesystem::path& folder) {
  const std::string part = part_of(folder);
  if (back_ends.storage == Storage::Postgres) shared_postgres().ask("DROP SCHEMA IF EXISTS \"" + part + "\" CASCADE");
  if (back_ends.search == Search::OpenSearch)
    Client(opensearch_url())
        .send({.method = "DELETE", .target = "/" + part + "-*", .fields = {}, .body = {}, .whole_target = {}});
}

}  // namespace kbase::tests
