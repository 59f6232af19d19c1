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

/// The `most` best documents of a segment, given in ascending order: the higher score first, then the lower number,
/// which is also the newer item. One thread.
class TopHits {
 public:
  explicit TopHits(std::size_t most) : most_(most) {}

  /// At least `most` documents are known to score this or more: what scores less is no hit.
  void expect(float score) { threshold_ = std::max(threshold_, std::nextafter(score, 0.0F)); }

  /// Only a higher score can be a hit.
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

  /// The best first. The object is empty afterwards.
  std::vector<ScoredDocument> take() {
    std::sort(heap_.begin(), heap_.end(), is_better);
    return std::exchange(heap_, {});
  }

 private:
  static bool is_better(const ScoredDocument& a, const ScoredDocument& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  }

  std::size_t most_;
  std::vector<ScoredDocument> heap_;  // the worst on top
  float threshold_ = 0;               // scores are above 0
};

}  // namespace kbase::native_index
