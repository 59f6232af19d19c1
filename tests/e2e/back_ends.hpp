// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <compare>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace kbase::tests {

/// The storage configurations that pass this suite; they differ in the configuration file alone.
enum class Storage {
  Sqlite,
  Memory,
  JsonLines,  ///< a third party's, named by its file: the example plugins/examples/jsonl_store
  Postgres,   ///< one that all bases of the process share
};

/// The same for search.
enum class Search {
  Native,      ///< the default
  OpenSearch,  ///< the one at KBASE_TEST_OPENSEARCH_URL
};

/// The same for what is counted, and what is cached.
enum class Counting {
  Memory,  ///< the default
  Redis,   ///< one that all bases of the process share
};

struct BackEnds {
  Storage storage;
  Search search;
  Counting counting;

  BackEnds(Storage kept, Search searched = Search::Native, Counting counted = Counting::Memory)  // NOLINT: as it reads
      : storage(kept), search(searched), counting(counted) {}
  auto operator<=>(const BackEnds&) const = default;
};

/// "Sqlite", "PostgresOpenSearchRedis": what differs from the defaults is named.
std::string combination_name(const BackEnds& back_ends);
inline std::string name_of(const testing::TestParamInfo<BackEnds>& info) {
  return combination_name(info.param);
}
void PrintTo(const BackEnds& back_ends, std::ostream* out);

/// All that a server starts with.
std::vector<BackEnds> every_combination();

/// Why these can't be had on this machine. Empty: they can.
std::string missing_for(const BackEnds& back_ends);

/// Those whose name KBASE_TEST_BACK_ENDS is, for the whole suite; without it what a suite runs over: every storage that
/// needs no server, and where it searches the other indices too.
std::vector<BackEnds> chosen_or(std::vector<BackEnds> usual);
inline auto every_storage() {
  return testing::ValuesIn(chosen_or({Storage::Sqlite, Storage::Memory, Storage::JsonLines}));
}
std::vector<BackEnds> other_indices();
inline auto the_other_index() {
  return testing::ValuesIn(other_indices());
}

/// The sections of a base's configuration file that choose its back ends. A memory store loads `content` at each start.
std::string configuration_of(const BackEnds& back_ends, const std::filesystem::path& folder,
                             const std::filesystem::path& content);

/// Removes what a base left on servers that others use too.
void clear(const BackEnds& back_ends, const std::filesystem::path& folder);

}  // namespace kbase::tests
