// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// Counts a search's matches per category and per tag. Not thread-safe.
class FacetCounts {
 public:
  /// The snapshot must outlive the object.
  FacetCounts(const Snapshot& snapshot, ports::FacetSelection selection);

  bool are_enabled() const { return selection_.any(); }

  /// Resets all counts to 0.
  void clear();

  /// Counts the matching documents of a window of a segment.
  void add(std::uint32_t segment, std::uint32_t window, std::span<const std::uint16_t> documents);

  /// Returns the values with the most items, for each wanted facet.
  ports::Facets top_values() const;

 private:
  struct Counts {
    std::vector<std::uint32_t> categories;  // indexed by ordinal; empty: not wanted
    std::vector<std::uint32_t> tags;
  };

  const Snapshot& snapshot_;
  ports::FacetSelection selection_;
  std::vector<Counts> segments_;
};

}  // namespace kbase::native_index
