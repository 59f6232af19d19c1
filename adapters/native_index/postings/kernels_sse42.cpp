// SPDX-License-Identifier: Apache-2.0
// Kernels with 16-byte vectors. Set operations use the plain loops, which compilers vectorize with SSE2.
#include <immintrin.h>

#include <algorithm>
#include <array>

#include "adapters/native_index/postings/kernels_internal.hpp"

#define KBASE_SSE42 [[gnu::target("sse4.2,popcnt")]]

namespace kbase::native_index::x86 {
namespace {

constexpr std::size_t kLane = 16;  ///< bytes per vector

KBASE_SSE42 inline __m128i load(const void* position) { return _mm_loadu_si128(static_cast<const __m128i*>(position)); }

struct Vectors {
  static constexpr std::size_t kBytes = kLane;

  /// Returns a bit for each byte >= threshold.
  KBASE_SSE42 static std::uint32_t mask_at_least(const std::uint8_t* bytes, std::uint8_t threshold) {
    const __m128i thresholds = _mm_set1_epi8(static_cast<char>(threshold));
    const __m128i values = load(bytes);
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(values, thresholds), values)));
  }

  /// Returns a bit for each number > limit.
  KBASE_SSE42 static std::uint32_t mask_above(const float* numbers, float limit) {
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmpgt_ps(_mm_loadu_ps(numbers), _mm_set1_ps(limit))));
  }
};

KBASE_SSE42 std::uint32_t count(const std::uint64_t* set) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kWindowWords; ++i) count += static_cast<std::uint64_t>(_mm_popcnt_u64(set[i]));
  return static_cast<std::uint32_t>(count);
}

KBASE_SSE42 std::uint32_t count_common(const std::uint64_t* set, const std::uint64_t* other) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kWindowWords; ++i) count += static_cast<std::uint64_t>(_mm_popcnt_u64(set[i] & other[i]));
  return static_cast<std::uint32_t>(count);
}

struct Blocks {
  static constexpr std::size_t kDocuments = kLane;  // two vectors of 16-bit numbers
  static constexpr std::size_t kGallopingRatio = 250;

  KBASE_SSE42 static bool contains(const std::uint16_t* block, std::uint16_t document) {
    const __m128i wanted = _mm_set1_epi16(static_cast<std::int16_t>(document));
    const __m128i equal =
        _mm_or_si128(_mm_cmpeq_epi16(load(block), wanted), _mm_cmpeq_epi16(load(block + kDocuments / 2), wanted));
    return _mm_testz_si128(equal, equal) == 0;
  }

  /// Returns the index of the document in the block; kDocuments if the block does not have it.
  KBASE_SSE42 static std::uint32_t find(const std::uint16_t* block, std::uint16_t document) {
    const __m128i wanted = _mm_set1_epi16(static_cast<std::int16_t>(document));
    const __m128i equal =
        _mm_packs_epi16(_mm_cmpeq_epi16(load(block), wanted), _mm_cmpeq_epi16(load(block + kDocuments / 2), wanted));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(equal));
    return mask == 0 ? kDocuments : static_cast<std::uint32_t>(std::countr_zero(mask));
  }
};

KBASE_SSE42 std::size_t intersect_arrays(const std::uint16_t* rare, std::size_t rare_size,
                                         const std::uint16_t* frequent, std::size_t frequent_size, std::uint16_t* out) {
  return intersect_by_blocks<Blocks>(rare, rare_size, frequent, frequent_size, out);
}

KBASE_SSE42 void look_up(const std::uint16_t* documents, std::size_t size, const std::uint16_t* array,
                         std::size_t array_size, const std::uint8_t* impacts, std::uint8_t* out) {
  look_up_by_blocks<Blocks>(documents, size, array, array_size, impacts, out);
}

KBASE_SSE42 inline std::size_t count_bits(std::uint64_t word) { return static_cast<std::size_t>(_mm_popcnt_u64(word)); }

KBASE_SSE42 std::uint8_t max(const std::uint8_t* bytes, std::size_t size) {
  if (size < kLane) return plain::max(bytes, size);
  __m128i max = load(bytes + size - kLane);  // the last vector overlaps the one before
  for (std::size_t i = 0; i + kLane <= size; i += kLane) max = _mm_max_epu8(max, load(bytes + i));
  alignas(kLane) std::array<std::uint8_t, kLane> lanes;
  _mm_store_si128(reinterpret_cast<__m128i*>(lanes.data()), max);
  return *std::max_element(lanes.begin(), lanes.end());
}

KBASE_SSE42 std::size_t find_at_least(const std::uint8_t* bytes, std::size_t size, std::uint8_t threshold,
                                      std::uint16_t* out) {
  return find_at_least_by_vectors<Vectors>(bytes, size, threshold, out);
}

KBASE_SSE42 std::size_t skip_postings(const std::uint8_t* bytes, std::size_t size, std::uint32_t postings) {
  std::size_t position = 0;
  for (; postings > 0 && position + kLane <= size; position += kLane) {
    const auto here = static_cast<std::uint32_t>(_mm_popcnt_u32(Vectors::mask_at_least(bytes + position, kPostingEnd)));
    if (here >= postings) break;
    postings -= here;
  }
  return position + plain::skip_postings(bytes + position, size - position, postings);
}

KBASE_SSE42 std::uint64_t mask_above(const float* numbers, float limit) {
  return mask_above_by_vectors<Vectors>(numbers, limit);
}

}  // namespace

KBASE_SSE42 std::uint32_t rank(const std::uint64_t* words, std::uint32_t bit) {
  std::uint64_t rank = 0;
  for (std::uint32_t i = 0; i < bit / 64; ++i) rank += static_cast<std::uint64_t>(_mm_popcnt_u64(words[i]));
  const std::uint64_t before = (std::uint64_t{1} << (bit % 64)) - 1;
  return static_cast<std::uint32_t>(rank + static_cast<std::uint64_t>(_mm_popcnt_u64(words[bit / 64] & before)));
}

KBASE_SSE42 void look_up_in_set(const std::uint16_t* documents, std::size_t size, const std::uint64_t* set,
                                const std::uint16_t* ranks, std::size_t list_size, const std::uint8_t* impacts,
                                std::uint8_t* out) {
  look_up_in_set_by_words(documents, size, set, ranks, list_size, impacts, out, count_bits);
}

constinit const Kernels kSse42 = [] {
  Kernels kernels = plain::kKernels;
  kernels.name = "sse4.2";
  kernels.count = count;
  kernels.count_common = count_common;
  kernels.intersect_arrays = intersect_arrays;
  kernels.look_up = look_up;
  kernels.look_up_in_set = look_up_in_set;
  kernels.rank = rank;
  kernels.max = max;
  kernels.find_at_least = find_at_least;
  kernels.skip_postings = skip_postings;
  kernels.mask_above = mask_above;
  return kernels;
}();

}  // namespace kbase::native_index::x86
