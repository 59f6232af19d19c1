// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ports/driven/search_index.hpp"
#include "tests/adapters/native_index/reference/random_corpus.hpp"

namespace kbase::tests {

/// One writer of the index. An Update of an index that has no state yet is a Rebuild.
struct Batch {
  struct Change {
    SampleItem item;
    bool removed = false;  ///< only the item's id counts
  };

  ports::SearchIndex::Build build = ports::SearchIndex::Build::Update;
  std::vector<Change> changes;
  std::size_t together = 1;  ///< items that are put by one call
  bool committed = true;     ///< else dropped
};

struct CountedViews {
  std::vector<std::pair<std::string, std::uint64_t>> totals;  ///< by id
};

struct Reopening {};

/// The index does now what it else does in the background.
struct Merging {};

/// The index says that it is sound, and tells its state.
struct Verification {};

using Step = std::variant<Batch, CountedViews, Reopening, Merging, Verification, SampleSearch>;

/// What happens to one index, from its first moment on.
using History = std::vector<Step>;

History random_history(std::uint64_t seed);

std::size_t changes_in(const History& history);
std::size_t searches_in(const History& history);

/// For a person: a line for each change, step and search.
std::string told(const History& history);

}  // namespace kbase::tests
