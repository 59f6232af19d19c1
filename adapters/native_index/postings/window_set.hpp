// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "adapters/native_index/postings/format.hpp"

namespace kbase::native_index {

/// Set of a window's documents, one bit each; initially empty. Takes 8 KiB, so clear and reuse it.
struct alignas(64) WindowSet {
  std::array<std::uint64_t, kWindowWords> words{};

  void clear() { words.fill(0); }
  void insert(std::uint16_t document) { words[document / 64] |= std::uint64_t{1} << (document % 64); }
  bool contains(std::uint16_t document) const { return (words[document / 64] >> (document % 64) & 1) != 0; }
};

/// Forward-only cursor over an ascending array. advance() takes time logarithmic in the distance (Bentley, Yao, "An
/// almost optimal algorithm for unbounded searching", 1976).
class ArrayCursor {
 public:
  explicit ArrayCursor(std::span<const std::uint16_t> array) : array_(array) {}

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
