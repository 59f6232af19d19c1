// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kbase::native_index {

/// A document of one segment and its score.
struct ScoredDocument {
  float score = 0;
  std::uint32_t document = 0;
};

/// Top documents of a segment (k: `capacity`). Higher scores precede; among equal scores the lower document number,
/// which is the newer item. Not thread-safe.
///
/// Gathers up to twice as many as wanted before it drops the worse half, which takes less time per document than a heap
/// (IResearch's block collector does the same).
class TopHits {
 public:
  explicit TopHits(std::size_t capacity) : capacity_(capacity) { hits_.reserve(std::min(2 * capacity, kReserved)); }

  /// Sets the minimum score: at least `capacity` documents are known to score `score` or more. Equal scores are still
  /// hits.
  void set_min_score(float score) { threshold_ = std::max(threshold_, std::nextafter(score, 0.0F)); }

  /// Only higher scores can be hits, if their documents are higher than all before.
  float threshold() const { return threshold_; }

  /// Adds a document that is higher than all before.
  void add(float score, std::uint32_t document) {
    if (score > threshold_) push(score, document);
  }

  /// Adds a document that may be lower than some before, which then all are of the same window.
  void add_unordered(float score, std::uint32_t document) {
    if (score >= threshold_) push(score, document);
  }

  /// Returns the hits, best first, and empties the object.
  std::vector<ScoredDocument> take() {
    std::sort(hits_.begin(), hits_.end(), is_better);
    if (hits_.size() > capacity_) hits_.resize(capacity_);
    return std::exchange(hits_, {});
  }

 private:
  static constexpr std::size_t kReserved = 256;

  static bool is_better(const ScoredDocument& a, const ScoredDocument& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  }

  void push(float score, std::uint32_t document) {
    hits_.push_back({score, document});
    if (hits_.size() >= 2 * capacity_) keep_best();
  }

  void keep_best() {
    const auto end = hits_.begin() + static_cast<std::ptrdiff_t>(capacity_);
    if (capacity_ > 0) {
      std::nth_element(hits_.begin(), end - 1, hits_.end(), is_better);
      threshold_ = std::max(threshold_, (end - 1)->score);
    }
    hits_.erase(end, hits_.end());
  }

  std::size_t capacity_;
  std::vector<ScoredDocument> hits_;
  float threshold_ = 0;  // all scores are above 0
};

}  // namespace kbase::native_index
