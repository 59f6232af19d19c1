// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/postings/posting_list.hpp"

/// Portable kernels; see Kernels for what each does. Also used for tails shorter than a vector, and where vectors gain
/// nothing.
namespace kbase::native_index::plain {

void unite(std::uint64_t* set, const std::uint64_t* other);
void intersect(std::uint64_t* set, const std::uint64_t* other);
void subtract(std::uint64_t* set, const std::uint64_t* other);
std::uint32_t count(const std::uint64_t* set);
std::uint32_t count_common(const std::uint64_t* set, const std::uint64_t* other);
void insert(std::uint64_t* set, const std::uint16_t* array, std::size_t size);
std::uint32_t count_in(const std::uint64_t* set, const std::uint16_t* array, std::size_t size);
std::size_t filter(const std::uint64_t* set, const std::uint16_t* array, std::size_t size, std::uint16_t* out);
std::size_t intersect_arrays(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                             std::size_t frequent_size, std::uint16_t* out);
void look_up(const std::uint16_t* documents, std::size_t size, const std::uint16_t* array, std::size_t array_size,
             const std::uint8_t* impacts, std::uint8_t* out);
void look_up_in_set(const std::uint16_t* documents, std::size_t size, const std::uint64_t* set,
                    const std::uint16_t* ranks, std::size_t list_size, const std::uint8_t* impacts, std::uint8_t* out);
std::size_t list(const std::uint64_t* words, std::size_t count, std::uint32_t base, std::uint16_t* out);
void select(const std::uint64_t* words, std::size_t count, std::uint32_t base, const std::uint16_t* ranks,
            std::size_t size, std::uint16_t* out);
std::uint32_t rank(const std::uint64_t* words, std::uint32_t bit);
std::uint8_t max(const std::uint8_t* bytes, std::size_t size);
std::size_t find_at_least(const std::uint8_t* bytes, std::size_t size, std::uint8_t threshold, std::uint16_t* out);
std::size_t compact(const std::uint8_t* bytes, std::size_t size, std::uint8_t* out);
std::size_t skip_postings(const std::uint8_t* bytes, std::size_t size, std::uint32_t postings);
std::uint64_t mask_above(const float* numbers, float limit);

/// Variants of intersect_arrays() that always merge or always gallop.
std::size_t merge(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                  std::size_t frequent_size, std::uint16_t* out);
std::size_t gallop(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                   std::size_t frequent_size, std::uint16_t* out);

inline constexpr Kernels kKernels{
    .name = "plain",
    .unite = unite,
    .intersect = intersect,
    .subtract = subtract,
    .count = count,
    .count_common = count_common,
    .insert = insert,
    .count_in = count_in,
    .filter = filter,
    .intersect_arrays = intersect_arrays,
    .look_up = look_up,
    .look_up_in_set = look_up_in_set,
    .list = list,
    .select = select,
    .rank = rank,
    .max = max,
    .find_at_least = find_at_least,
    .compact = compact,
    .skip_postings = skip_postings,
    .mask_above = mask_above,
};

}  // namespace kbase::native_index::plain

/// Kernels for x86-64 processors.
namespace kbase::native_index::x86 {

extern const Kernels kSse42;  ///< needs SSE4.2 and POPCNT (x86-64-v2)
extern const Kernels kAvx2;   ///< needs AVX2, BMI1, BMI2 and POPCNT (x86-64-v3)

/// Kernels::rank with POPCNT. The loop over eight words takes a third of the time of a branchless selection of their
/// bits.
std::uint32_t rank(const std::uint64_t* words, std::uint32_t bit);

/// Visits each of the ascending `documents` with the start of the block of `array` that may have it. `Blocks` defines,
/// for an instruction set, the documents per block. Returns the number of visited documents; the others belong behind
/// the last whole block, which `position` then is. Must be inlined into the calling kernel, because only there its
/// instructions may be used.
template <class Blocks, class Visitor>
[[gnu::always_inline]] inline std::size_t visit_blocks(const std::uint16_t* documents, std::size_t size,
                                                       const std::uint16_t* array, std::size_t array_size,
                                                       std::size_t& position, const Visitor& visit) {
  for (std::size_t i = 0; i < size; ++i) {
    while (position + Blocks::kDocuments <= array_size && array[position + Blocks::kDocuments - 1] < documents[i])
      position += Blocks::kDocuments;
    if (position + Blocks::kDocuments > array_size) return i;
    visit(i, position);
  }
  return size;
}

/// Kernels::intersect_arrays, one block of `frequent` at a time. `Blocks` also defines the ratio of lengths above which
/// galloping is faster, and a test whether a block contains a document. Must be inlined like visit_blocks().
template <class Blocks>
[[gnu::always_inline]] inline std::size_t intersect_by_blocks(const std::uint16_t* rare, std::size_t rare_size,
                                                              const std::uint16_t* frequent, std::size_t frequent_size,
                                                              std::uint16_t* out) {
  if (rare_size * Blocks::kGallopingRatio < frequent_size)
    return plain::gallop(rare, rare_size, frequent, frequent_size, out);
  std::size_t found = 0;
  std::size_t position = 0;
  const auto keep = [&](std::size_t i, std::size_t block) __attribute__((always_inline)) {
    out[found] = rare[i];
    found += Blocks::contains(frequent + block, out[found]) ? 1 : 0;
  };
  const std::size_t visited = visit_blocks<Blocks>(rare, rare_size, frequent, frequent_size, position, keep);
  return found +
         plain::merge(rare + visited, rare_size - visited, frequent + position, frequent_size - position, out + found);
}

/// Kernels::look_up, one block of `array` at a time. `Blocks` also defines the search for a document in a block. Must
/// be inlined like visit_blocks().
template <class Blocks>
[[gnu::always_inline]] inline void look_up_by_blocks(const std::uint16_t* documents, std::size_t size,
                                                     const std::uint16_t* array, std::size_t array_size,
                                                     const std::uint8_t* impacts, std::uint8_t* out) {
  if (size * Blocks::kGallopingRatio < array_size)
    return plain::look_up(documents, size, array, array_size, impacts, out);
  std::size_t position = 0;
  const auto look_up = [&](std::size_t i, std::size_t block) __attribute__((always_inline)) {
    const std::uint32_t found = Blocks::find(array + block, documents[i]);
    out[i] = found < Blocks::kDocuments ? impacts[block + found] : std::uint8_t{0};
  };
  const std::size_t visited = visit_blocks<Blocks>(documents, size, array, array_size, position, look_up);
  plain::look_up(documents + visited, size - visited, array + position, array_size - position, impacts + position,
                 out + visited);
}

/// Kernels::look_up_in_set; `count_bits` counts the bits of a word. Must be inlined like visit_blocks().
template <class CountBits>
[[gnu::always_inline]] inline void look_up_in_set_by_words(const std::uint16_t* documents, std::size_t size,
                                                           const std::uint64_t* set, const std::uint16_t* ranks,
                                                           std::size_t list_size, const std::uint8_t* impacts,
                                                           std::uint8_t* out, CountBits count_bits) {
  constexpr std::size_t kBlockWords = format::kRankBits / 64;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t word = documents[i] / 64;
    const std::uint64_t bit = std::uint64_t{1} << (documents[i] % 64);
    if ((set[word] & bit) == 0) {
      out[i] = 0;
      continue;
    }
    std::size_t rank = ranks[word / kBlockWords] + count_bits(set[word] & (bit - 1));
    for (std::size_t before = word / kBlockWords * kBlockWords; before < word; ++before)
      rank += count_bits(set[before]);
    out[i] = impacts[rank < list_size ? rank : list_size - 1];
  }
}

/// Kernels::find_at_least, one vector at a time. `Vectors` defines, for an instruction set, the bytes per vector and
/// the mask of bytes that reach the threshold. Must be inlined like visit_blocks().
template <class Vectors>
[[gnu::always_inline]] inline std::size_t find_at_least_by_vectors(const std::uint8_t* bytes, std::size_t size,
                                                                   std::uint8_t threshold, std::uint16_t* out) {
  std::size_t found = 0;
  std::size_t position = 0;
  for (; position + Vectors::kBytes <= size; position += Vectors::kBytes)
    for (std::uint32_t mask = Vectors::mask_at_least(bytes + position, threshold); mask != 0; mask &= mask - 1)
      out[found++] = static_cast<std::uint16_t>(position + static_cast<std::size_t>(std::countr_zero(mask)));
  for (; position < size; ++position)
    if (bytes[position] >= threshold) out[found++] = static_cast<std::uint16_t>(position);
  return found;
}

/// Kernels::mask_above, one vector at a time. `Vectors` defines the bytes per vector and the mask of numbers above the
/// limit. Must be inlined like visit_blocks().
template <class Vectors>
[[gnu::always_inline]] inline std::uint64_t mask_above_by_vectors(const float* numbers, float limit) {
  constexpr std::size_t kNumbers = Vectors::kBytes / sizeof(float);
  std::uint64_t mask_above = 0;
  for (std::size_t i = 0; i < 64; i += kNumbers)
    mask_above |= static_cast<std::uint64_t>(Vectors::mask_above(numbers + i, limit)) << i;
  return mask_above;
}

}  // namespace kbase::native_index::x86
