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

/// One writer of the index. An Update of an index without a state becomes a Rebuild.
struct Batch {
  struct Change {
    SampleItem item;
    bool removed = false;  ///< only the item's id is used
  };

  ports::SearchIndex::Build build = ports::SearchIndex::Build::Update;
  std::vector<Change> changes;
  std::size_t together = 1;  ///< items per call of put()
  bool committed = true;     ///< false: the writer is dropped
};

struct CountedViews {
  std::vector<std::pair<std::string, std::uint64_t>> totals;  ///< by id
};

struct Reopening {};

/// The index runs its background merges now.
struct Merging {};

/// The index verifies itself and returns its state.
struct Verification {};

using Step = std::variant<Batch, CountedViews, Reopening, Merging, Verification, SampleSearch>;

/// The events of one index, from its creation on.
using History = std::vector<Step>;

History random_history(std::uint64_t seed);

std::size_t changes_in(const History& history);
std::size_t searches_in(const History& history);

/// Returns a readable form: one line for each change, step and search.
std::string describe(const History& history);

}  // namespace kbase::tests
