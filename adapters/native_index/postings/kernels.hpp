// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/native_index/postings/window_set.hpp"

namespace kbase::native_index {

/// The inner loops over postings, in one table for each instruction set. All give the same results. Arrays are strictly
/// ascending; where damaged ones are not, results mean nothing, but nothing outside of the given memory is touched.
struct Kernels {
  std::string_view name;

  // Sets of a window: kWindowWords words each.
  void (*unite)(std::uint64_t* set, const std::uint64_t* other);
  void (*intersect)(std::uint64_t* set, const std::uint64_t* other);
  void (*subtract)(std::uint64_t* set, const std::uint64_t* other);
  std::uint32_t (*count)(const std::uint64_t* set);
  std::uint32_t (*count_common)(const std::uint64_t* set, const std::uint64_t* other);

  // Arrays of documents in a window.
  void (*insert)(std::uint64_t* set, const std::uint16_t* array, std::size_t size);
  std::uint32_t (*count_in)(const std::uint64_t* set, const std::uint16_t* array, std::size_t size);

  /// The documents of `array` that are in `set`; `out` has room for `size` and may be `array`.
  std::size_t (*filter)(const std::uint64_t* set, const std::uint16_t* array, std::size_t size, std::uint16_t* out);

  /// The documents of the shorter array `rare` that are in `frequent` too; `out` has room for `rare_size` and may be
  /// `rare`. Lemire, Boytsov, Kurz, "SIMD compression and the intersection of sorted integers" (2016), their V1 and,
  /// where the lengths are far apart, galloping.
  std::size_t (*common)(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                        std::size_t frequent_size, std::uint16_t* out);

  /// The documents of `count` words, the first of which stands for `base` and on; `out` has room for count * 64.
  std::size_t (*list)(const std::uint64_t* words, std::size_t count, std::uint32_t base, std::uint16_t* out);

  /// The documents of some ascending ranks among those that list() would give; of ranks past them any documents.
  void (*select)(const std::uint64_t* words, std::size_t count, std::uint32_t base, const std::uint16_t* ranks,
                 std::size_t size, std::uint16_t* out);

  /// The bits before `bit` (0..511) of 8 words.
  std::uint32_t (*rank)(const std::uint64_t* words, std::uint32_t bit);

  // Bytes: impacts and positions.
  std::uint8_t (*max)(const std::uint8_t* bytes, std::size_t size);

  /// The indexes of the bytes >= threshold; at most 65,536 bytes. `out` has room for `size`.
  std::size_t (*at_least)(const std::uint8_t* bytes, std::size_t size, std::uint8_t threshold, std::uint16_t* out);

  /// The index after the `marks`th byte >= kPostingEnd, that is after as many postings' positions; `size` where there
  /// are fewer.
  std::size_t (*skip_marks)(const std::uint8_t* bytes, std::size_t size, std::uint32_t marks);

  /// Which of 64 numbers are > limit: a bit for each, the first one's the lowest.
  std::uint64_t (*above)(const float* numbers, float limit);
};

/// The fastest that this processor runs; chosen at the first call.
const Kernels& kernels();

/// All that this processor runs, for tests and measurements; the plain ones first.
std::vector<const Kernels*> all_kernels();

}  // namespace kbase::native_index
