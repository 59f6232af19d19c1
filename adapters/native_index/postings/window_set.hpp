// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "adapters/native_index/postings/format.hpp"

namespace kbase::native_index {

/// Set of a window's documents, one bit each; initially empty. Takes 8 KiB, so clear and reuse it.
struct alignas(64) WindowSet {
  std::array<std::uint64_t, kWindowWords> words{};

  void clear() { words.fill(0); }
  void insert(std::uint16_t document) { words[document / 64] |= std::uint64_t{1} << (document % 64); }
  bool contains(std::uint16_t document) const { return (words[document / 64] >> (document % 64) & 1) != 0; }
};

}  // namespace kbase::native_index
