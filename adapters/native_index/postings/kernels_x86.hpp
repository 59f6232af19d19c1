// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/postings/kernels_plain.hpp"

namespace kbase::native_index::x86 {

extern const Kernels kSse42;  ///< needs SSE4.2 and POPCNT (x86-64-v2)
extern const Kernels kAvx2;   ///< needs AVX2, BMI1, BMI2 and POPCNT (x86-64-v3)

/// Kernels::rank with POPCNT. The loop over eight words takes a third of the time of a branchless selection of their
/// bits.
std::uint32_t rank(const std::uint64_t* words, std::uint32_t bit);

/// Kernels::common, one block of `frequent` at a time. `Blocks` defines, for an instruction set, the documents per
/// block, the ratio of lengths above which galloping is faster, and a test whether a block contains a document. Must be
/// inlined into the calling kernel, because only there its instructions may be used.
template <class Blocks>
[[gnu::always_inline]] inline std::size_t common_by_blocks(const std::uint16_t* rare, std::size_t rare_size,
                                                           const std::uint16_t* frequent, std::size_t frequent_size,
                                                           std::uint16_t* out) {
  if (rare_size * Blocks::kGallopingRatio < frequent_size)
    return plain::gallop(rare, rare_size, frequent, frequent_size, out);
  std::size_t found = 0;
  std::size_t place = 0;
  std::size_t i = 0;
  for (; i < rare_size; ++i) {
    const std::uint16_t document = rare[i];
    while (place + Blocks::kDocuments <= frequent_size && frequent[place + Blocks::kDocuments - 1] < document)
      place += Blocks::kDocuments;
    if (place + Blocks::kDocuments > frequent_size) break;
    out[found] = document;
    found += Blocks::hold(frequent + place, document) ? 1 : 0;
  }
  return found + plain::merge(rare + i, rare_size - i, frequent + place, frequent_size - place, out + found);
}

/// Kernels::at_least, one vector at a time. `Vectors` defines, for an instruction set, the bytes per vector and the
/// mask of bytes that reach the threshold. Must be inlined like common_by_blocks().
template <class Vectors>
[[gnu::always_inline]] inline std::size_t at_least_by_vectors(const std::uint8_t* bytes, std::size_t size,
                                                              std::uint8_t threshold, std::uint16_t* out) {
  std::size_t found = 0;
  std::size_t place = 0;
  for (; place + Vectors::kBytes <= size; place += Vectors::kBytes)
    for (std::uint32_t mask = Vectors::mask_at_least(bytes + place, threshold); mask != 0; mask &= mask - 1)
      out[found++] = static_cast<std::uint16_t>(place + static_cast<std::size_t>(std::countr_zero(mask)));
  for (; place < size; ++place)
    if (bytes[place] >= threshold) out[found++] = static_cast<std::uint16_t>(place);
  return found;
}

/// Kernels::above, one vector at a time. `Vectors` defines the bytes per vector and the mask of numbers above the
/// limit. Must be inlined like common_by_blocks().
template <class Vectors>
[[gnu::always_inline]] inline std::uint64_t above_by_vectors(const float* numbers, float limit) {
  constexpr std::size_t kNumbers = Vectors::kBytes / sizeof(float);
  std::uint64_t above = 0;
  for (std::size_t i = 0; i < 64; i += kNumbers)
    above |= static_cast<std::uint64_t>(Vectors::mask_above(numbers + i, limit)) << i;
  return above;
}

}  // namespace kbase::native_index::x86
