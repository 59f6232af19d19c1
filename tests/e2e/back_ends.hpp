// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <compare>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace kbase::tests {

/// Storage plugins that pass this suite. Only the configuration file differs between them.
enum class Storage {
  Sqlite,
  Memory,
  JsonLines,  ///< third-party plugin, configured by its file: the example plugins/examples/jsonl_store
  Postgres,   ///< one server, shared by all bases of the process
};

/// Search plugins that pass this suite.
enum class Search {
  Native,      ///< default
  OpenSearch,  ///< server at KBASE_TEST_OPENSEARCH_URL
};

/// Back ends of the rate limiter and the cache.
enum class Counting {
  Memory,  ///< default
  Redis,   ///< one server, shared by all bases of the process
};

struct BackEnds {
  Storage storage;
  Search search;
  Counting counting;

  BackEnds(Storage kept, Search searched = Search::Native, Counting counted = Counting::Memory)  // NOLINT: as it reads
      : storage(kept), search(searched), counting(counted) {}
  auto operator<=>(const BackEnds&) const = default;
};

/// Returns the storage name followed by the back ends that differ from the defaults: "Sqlite",
/// "PostgresOpenSearchRedis".
std::string combination_name(const BackEnds& back_ends);
inline std::string name_of(const testing::TestParamInfo<BackEnds>& info) { return combination_name(info.param); }
void PrintTo(const BackEnds& back_ends, std::ostream* out);

/// Returns every combination that a server accepts.
std::vector<BackEnds> every_combination();

/// Returns why this machine lacks the back ends; empty if it has them.
std::string missing_for(const BackEnds& back_ends);

/// Returns the combination named by KBASE_TEST_BACK_ENDS, or `usual` if the variable is unset. Suites normally run
/// over every storage that needs no server; search suites also run over the other indices. Throws std::runtime_error
/// for an unknown name.
std::vector<BackEnds> chosen_or(std::vector<BackEnds> usual);
inline auto every_storage() {
  return testing::ValuesIn(chosen_or({Storage::Sqlite, Storage::Memory, Storage::JsonLines}));
}
std::vector<BackEnds> other_indices();
inline auto the_other_index() { return testing::ValuesIn(other_indices()); }

/// Sections of a base's configuration file that select its back ends. A memory store loads `content` at each start.
std::string configuration_of(const BackEnds& back_ends, const std::filesystem::path& folder,
                             const std::filesystem::path& content);

/// Removes a base's data from shared servers.
void clear(const BackEnds& back_ends, const std::filesystem::path& folder);

}  // namespace kbase::tests
