// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// How many of a search's matches are of each category and have each tag. One thread.
class FacetCounts {
 public:
  /// The snapshot outlives it.
  FacetCounts(const Snapshot& snapshot, ports::WantedFacets wanted);

  bool are_wanted() const { return wanted_.any(); }

  /// Forgets what was counted.
  void clear();

  /// Matches in a window of a segment.
  void add(std::uint32_t segment, std::uint32_t window, std::span<const std::uint16_t> documents);

  /// Of each that is wanted the values of most items.
  ports::Facets most_frequent() const;

 private:
  struct Counts {
    std::vector<std::uint32_t> categories;  // by their ordinals; empty: not wanted
    std::vector<std::uint32_t> tags;
  };

  const Snapshot& snapshot_;
  ports::WantedFacets wanted_;
  std::vector<Counts> segments_;
};

}  // namespace kbase::native_index
