// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kbase::fts5 {

/// A match with what it is ordered by.
struct RankedMatch {
  std::int64_t key = 0;    ///< of the item
  double score = 0;        ///< what its relevance is made of
  double rank = 0;         ///< highest first
  std::int64_t order = 0;  ///< among equal ranks highest first
  std::string id;          ///< then lowest first

  bool before(const RankedMatch& other) const {
    if (rank != other.rank) return rank > other.rank;
    if (order != other.order) return order > other.order;
    return id < other.id;
  }
};

/// Keeps the best `room` matches of those it is offered.
class BestHits {
 public:
  explicit BestHits(std::size_t room) : room_(room) {}

  /// Whether a match of this rank could still get in: for others the order need not be looked up.
  bool admits(double rank) const { return room_ > 0 && (heap_.size() < room_ || rank >= heap_.front().rank); }

  void offer(RankedMatch match) {
    if (room_ == 0) return;
    if (heap_.size() == room_) {
      if (!match.before(heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), best_first);
      heap_.pop_back();
    }
    heap_.push_back(std::move(match));
    std::push_heap(heap_.begin(), heap_.end(), best_first);
  }

  /// All that were kept, the best first. Once.
  std::vector<RankedMatch> take() {
    std::sort(heap_.begin(), heap_.end(), best_first);
    return std::move(heap_);
  }

 private:
  static bool best_first(const RankedMatch& a, const RankedMatch& b) { return a.before(b); }

  std::size_t room_;
  std::vector<RankedMatch> heap_;  // the worst at the front
};

}  // namespace kbase::fts5
