// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace kbase::native_index {

/// The work of a search, estimated step by step before each step is done, so that a search that must be quick is given
/// up in time. The unit is the time to rank one posting, at most a nanosecond. Not thread-safe.
class Effort {
 public:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  /// Limit of a quick search: about half a millisecond.
  static constexpr std::uint64_t kQuick = 500'000;
  /// Steps whose work is not known before.
  static constexpr std::uint64_t kUnknown = kQuick + 1;

  static constexpr std::uint64_t kHit = 2'000;          ///< to read what a hit shows
  static constexpr std::uint64_t kRankedHit = 32;       ///< to order a hit of the page or before it
  static constexpr std::uint64_t kTitle = 200;          ///< to look up an item whose title is the query
  static constexpr std::uint64_t kPhrasePosting = 100;  ///< to look for a phrase in an item
  static constexpr std::uint64_t kFacetPosting = 32;    ///< to count the facets of an item
  static constexpr std::uint64_t kViewsPosting = 64;    ///< to compare the views of an item
  static constexpr std::uint64_t kShortList = 80;       ///< to open a list

  void begin(std::uint64_t limit) {
    limit_ = limit;
    spent_ = 0;
  }
  void add(std::uint64_t work) { spent_ += work < kNoLimit - spent_ ? work : kNoLimit - spent_; }
  bool is_too_much() const { return spent_ > limit_; }

 private:
  std::uint64_t limit_ = kNoLimit;
  std::uint64_t spent_ = 0;
};

}  // namespace kbase::native_index
