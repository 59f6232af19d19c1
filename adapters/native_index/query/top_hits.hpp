// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace kbase::native_index {

/// A document of one segment and its score.
struct ScoredDocument {
  float score = 0;
  std::uint32_t document = 0;
};

/// Top-k heap of a segment's documents (k: `most`). Higher scores precede; among equal scores the lower document
/// number, which is the newer item. Documents must be added in ascending order. Not thread-safe.
class TopHits {
 public:
  explicit TopHits(std::size_t most) : most_(most) {}

  /// Sets the minimum score: at least `most` documents are known to score `score` or more. Equal scores are still hits.
  void expect(float score) { threshold_ = std::max(threshold_, std::nextafter(score, 0.0F)); }

  /// Only higher scores can be hits.
  float threshold() const { return threshold_; }

  void add(float score, std::uint32_t document) {
    if (score <= threshold_ || most_ == 0) return;
    if (heap_.size() == most_) {
      std::pop_heap(heap_.begin(), heap_.end(), is_better);
      heap_.back() = {score, document};
    } else {
      heap_.push_back({score, document});
    }
    std::push_heap(heap_.begin(), heap_.end(), is_better);
    if (heap_.size() == most_) threshold_ = std::max(threshold_, heap_.front().score);
  }

  /// Returns the hits, best first, and empties the object.
  std::vector<ScoredDocument> take() {
    std::sort(heap_.begin(), heap_.end(), is_better);
    return std::exchange(heap_, {});
  }

 private:
  static bool is_better(const ScoredDocument& a, const ScoredDocument& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  }

  std::size_t most_;
  std::vector<ScoredDocument> heap_;  // worst hit at the front
  float threshold_ = 0;               // all scores are above 0
};

}  // namespace kbase::native_index
