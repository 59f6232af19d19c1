// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/search/query_plan.hpp"

namespace kbase::native_index {

/// Proximity boost: adds to a document's score a share of the weights of the query words in the heaviest window of
/// kProximityWindow positions, each word counted once. After Tao and Zhai, "An exploration of proximity measures"
/// (2007), which uses the smallest window; the share, the window and the limits were tuned on judged queries. One
/// object per search. Not thread-safe. The plans must outlive it.
class Proximity {
 public:
  explicit Proximity(std::span<const SegmentPlan> plans);

  /// False if the query has fewer than two words with a weight, so that no score changes.
  bool has_effect() const { return words_.size() > 1; }

  float compute_boost(std::uint32_t segment, std::uint32_t document);

 private:
  struct Occurrence {
    std::uint32_t position;
    std::uint32_t word;
  };

  void read_positions(const PlannedWord& word, std::uint32_t document);
  std::uint64_t find_heaviest_window(const SegmentPlan& plan);

  std::span<const SegmentPlan> plans_;
  std::vector<std::uint32_t> words_;  // indexes of the heaviest query words
  std::vector<std::uint32_t> positions_;
  std::vector<Occurrence> occurrences_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace kbase::native_index
