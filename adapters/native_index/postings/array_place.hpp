// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace kbase::native_index {

/// Forward-only cursor over an ascending array. advance() takes time logarithmic in the distance (Bentley, Yao, "An
/// almost optimal algorithm for unbounded searching", 1976).
class ArrayPlace {
 public:
  explicit ArrayPlace(std::span<const std::uint16_t> array) : array_(array) {}

  std::uint32_t rank() const { return rank_; }
  bool at_end() const { return rank_ == array_.size(); }
  std::uint16_t document() const { return array_[rank_]; }

  /// Moves to the first number >= `document` at or after the current one.
  void advance(std::uint32_t document) {
    if (at_end() || array_[rank_] >= document) return;
    std::size_t below = rank_;  // index of a number that is too small
    std::size_t step = 1;
    while (below + step < array_.size() && array_[below + step] < document) {
      below += step;
      step *= 2;
    }
    const auto end = array_.begin() + static_cast<std::ptrdiff_t>(std::min(below + step, array_.size()));
    const auto found = std::lower_bound(array_.begin() + static_cast<std::ptrdiff_t>(below) + 1, end, document);
    rank_ = static_cast<std::uint32_t>(found - array_.begin());
  }

 private:
  std::span<const std::uint16_t> array_;
  std::uint32_t rank_ = 0;
};

}  // namespace kbase::native_index
