// SPDX-License-Identifier: Apache-2.0
// Kernels with 32-byte vectors.
#include <immintrin.h>

#include <array>

#include "adapters/native_index/postings/kernels_internal.hpp"

#define KBASE_AVX2 [[gnu::target("avx2,bmi,bmi2,popcnt")]]

namespace kbase::native_index::x86 {
namespace {

constexpr std::size_t kLane = 32;      ///< bytes per vector
constexpr std::size_t kLaneWords = 4;  ///< 64-bit words per vector

KBASE_AVX2 inline __m256i load(const void* position) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(position));
}

KBASE_AVX2 inline void store(void* position, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(position), value);
}

struct Vectors {
  static constexpr std::size_t kBytes = kLane;

  /// Returns a bit for each byte >= threshold.
  KBASE_AVX2 static std::uint32_t mask_at_least(const std::uint8_t* bytes, std::uint8_t threshold) {
    const __m256i thresholds = _mm256_set1_epi8(static_cast<char>(threshold));
    const __m256i values = load(bytes);
    return static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(values, thresholds), values)));
  }

  /// Returns a bit for each number > limit.
  KBASE_AVX2 static std::uint32_t mask_above(const float* numbers, float limit) {
    return static_cast<std::uint32_t>(
        _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(numbers), _mm256_set1_ps(limit), _CMP_GT_OQ)));
  }
};

/// Counts the bits of each 64-bit word: a table lookup per half byte (Mula, Kurz, Lemire, "Faster population counts
/// using AVX2 instructions", 2018).
KBASE_AVX2 inline __m256i count_bits(__m256i value) {
  const __m256i table =
      _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i half = _mm256_set1_epi8(0x0F);
  const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(value, half));
  const __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(value, 4), half));
  return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

KBASE_AVX2 inline std::uint32_t sum_quarters(__m256i quarters) {
  const __m128i halves = _mm_add_epi64(_mm256_castsi256_si128(quarters), _mm256_extracti128_si256(quarters, 1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si64(halves) + _mm_extract_epi64(halves, 1));
}

KBASE_AVX2 void unite(std::uint64_t* set, const std::uint64_t* other) {
  for (std::size_t i = 0; i < kWindowWords; i += kLaneWords)
    store(set + i, _mm256_or_si256(load(set + i), load(other + i)));
}

KBASE_AVX2 void intersect(std::uint64_t* set, const std::uint64_t* other) {
  for (std::size_t i = 0; i < kWindowWords; i += kLaneWords)
    store(set + i, _mm256_and_si256(load(set + i), load(other + i)));
}

KBASE_AVX2 void subtract(std::uint64_t* set, const std::uint64_t* other) {
  for (std::size_t i = 0; i < kWindowWords; i += kLaneWords)
    store(set + i, _mm256_andnot_si256(load(other + i), load(set + i)));
}

KBASE_AVX2 std::uint32_t count(const std::uint64_t* set) {
  __m256i sums = _mm256_setzero_si256();
  for (std::size_t i = 0; i < kWindowWords; i += kLaneWords) sums = _mm256_add_epi64(sums, count_bits(load(set + i)));
  return sum_quarters(sums);
}

KBASE_AVX2 std::uint32_t count_common(const std::uint64_t* set, const std::uint64_t* other) {
  __m256i sums = _mm256_setzero_si256();
  for (std::size_t i = 0; i < kWindowWords; i += kLaneWords)
    sums = _mm256_add_epi64(sums, count_bits(_mm256_and_si256(load(set + i), load(other + i))));
  return sum_quarters(sums);
}

struct Blocks {
  static constexpr std::size_t kDocuments = kLane;  // two vectors of 16-bit numbers
  static constexpr std::size_t kGallopingRatio = 500;

  KBASE_AVX2 static bool contains(const std::uint16_t* block, std::uint16_t document) {
    const __m256i wanted = _mm256_set1_epi16(static_cast<std::int16_t>(document));
    const __m256i equal = _mm256_or_si256(_mm256_cmpeq_epi16(load(block), wanted),
                                          _mm256_cmpeq_epi16(load(block + kDocuments / 2), wanted));
    return _mm256_testz_si256(equal, equal) == 0;
  }

  /// Returns the index of the document in the block; kDocuments if the block does not have it.
  KBASE_AVX2 static std::uint32_t find(const std::uint16_t* block, std::uint16_t document) {
    const __m256i wanted = _mm256_set1_epi16(static_cast<std::int16_t>(document));
    const __m256i equal = _mm256_packs_epi16(_mm256_cmpeq_epi16(load(block), wanted),
                                             _mm256_cmpeq_epi16(load(block + kDocuments / 2), wanted));
    // The halves of the two vectors alternate after packing.
    const auto mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(equal, 0b11'01'10'00)));
    return mask == 0 ? kDocuments : _tzcnt_u32(mask);
  }
};

KBASE_AVX2 std::size_t intersect_arrays(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                                        std::size_t frequent_size, std::uint16_t* out) {
  return intersect_by_blocks<Blocks>(rare, rare_size, frequent, frequent_size, out);
}

KBASE_AVX2 void look_up(const std::uint16_t* documents, std::size_t size, const std::uint16_t* array,
                        std::size_t array_size, const std::uint8_t* impacts, std::uint8_t* out) {
  look_up_by_blocks<Blocks>(documents, size, array, array_size, impacts, out);
}

KBASE_AVX2 inline std::size_t popcount(std::uint64_t word) { return static_cast<std::size_t>(_mm_popcnt_u64(word)); }

KBASE_AVX2 void look_up_in_set(const std::uint16_t* documents, std::size_t size, const std::uint64_t* set,
                               const std::uint16_t* ranks, std::size_t list_size, const std::uint8_t* impacts,
                               std::uint8_t* out) {
  look_up_in_set_by_words(documents, size, set, ranks, list_size, impacts, out, popcount);
}

/// For each byte value the indexes of its set bits, ascending.
constexpr auto kBitsOfByte = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte)
    for (std::size_t bit = 0, listed = 0; bit < 8; ++bit)
      if ((byte >> bit & 1) != 0) table[byte][listed++] = static_cast<std::uint8_t>(bit);
  return table;
}();

/// Writes eight documents per byte of the word. Surplus ones are overwritten by the next byte's documents, or lie
/// within the space that list() requires.
KBASE_AVX2 inline std::uint16_t* list_dense(std::uint64_t word, std::uint32_t base, std::uint16_t* out) {
  __m128i first = _mm_set1_epi16(static_cast<std::int16_t>(base));
  for (int byte = 0; byte < 8; ++byte, word >>= 8) {
    const __m128i positions = _mm_cvtepu8_epi16(_mm_loadu_si64(kBitsOfByte[word & 0xFF].data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_add_epi16(positions, first));
    out += _mm_popcnt_u64(word & 0xFF);
    first = _mm_add_epi16(first, _mm_set1_epi16(8));
  }
  return out;
}

KBASE_AVX2 std::size_t list(const std::uint64_t* words, std::size_t count, std::uint32_t base, std::uint16_t* out) {
  constexpr std::int64_t kDense = 10;  // bits per word above which the table is faster
  std::uint16_t* end = out;
  for (std::size_t i = 0; i < count; ++i, base += 64) {
    if (_mm_popcnt_u64(words[i]) > kDense) {
      end = list_dense(words[i], base, end);
      continue;
    }
    for (std::uint64_t word = words[i]; word != 0; word = _blsr_u64(word))
      *end++ = static_cast<std::uint16_t>(base + _tzcnt_u64(word));
  }
  return static_cast<std::size_t>(end - out);
}

KBASE_AVX2 void select(const std::uint64_t* words, std::size_t count, std::uint32_t base, const std::uint16_t* ranks,
                       std::size_t size, std::uint16_t* out) {
  std::size_t word = 0;
  std::int64_t before = 0;  // set bits in the words before it
  std::int64_t here = _mm_popcnt_u64(words[0]);
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t rank = ranks[i];
    while (word + 1 < count && before + here <= rank) {
      before += here;
      here = _mm_popcnt_u64(words[++word]);
    }
    const std::uint64_t bit = _pdep_u64(std::uint64_t{1} << ((rank - before) & 63), words[word]);
    out[i] = static_cast<std::uint16_t>(base + word * 64 + _tzcnt_u64(bit));
  }
}

KBASE_AVX2 std::uint8_t max(const std::uint8_t* bytes, std::size_t size) {
  if (size < kLane) return kSse42.max(bytes, size);
  __m256i max = load(bytes + size - kLane);  // the last vector overlaps the one before
  for (std::size_t i = 0; i + kLane <= size; i += kLane) max = _mm256_max_epu8(max, load(bytes + i));
  const __m128i half = _mm_max_epu8(_mm256_castsi256_si128(max), _mm256_extracti128_si256(max, 1));
  // Minimum of the complements, for which there is an instruction. It works on 16 bits, so bytes are paired first.
  const __m128i complement = _mm_xor_si128(half, _mm_set1_epi8(-1));
  const __m128i pairs = _mm_min_epu8(complement, _mm_srli_epi16(complement, 8));
  const __m128i minimum = _mm_minpos_epu16(_mm_and_si128(pairs, _mm_set1_epi16(0x00FF)));
  return static_cast<std::uint8_t>(~_mm_cvtsi128_si32(minimum));
}

KBASE_AVX2 std::size_t find_at_least(const std::uint8_t* bytes, std::size_t size, std::uint8_t threshold,
                                     std::uint16_t* out) {
  return find_at_least_by_vectors<Vectors>(bytes, size, threshold, out);
}

/// Compacts eight bytes at a time. The bytes behind them that are overwritten next lie within the space of `out`, since
/// no more than all bytes are kept.
KBASE_AVX2 std::size_t compact(const std::uint8_t* bytes, std::size_t size, std::uint8_t* out) {
  std::uint8_t* end = out;
  for (std::size_t i = 0; i < size; i += kLane) {
    auto kept =
        ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(bytes + i), _mm256_setzero_si256())));
    for (std::size_t part = i; kept != 0; part += 8, kept >>= 8) {
      const __m128i order = _mm_loadu_si64(kBitsOfByte[kept & 0xFF].data());
      _mm_storeu_si64(end, _mm_shuffle_epi8(_mm_loadu_si64(bytes + part), order));
      end += _mm_popcnt_u32(kept & 0xFF);
    }
  }
  return static_cast<std::size_t>(end - out);
}

KBASE_AVX2 std::size_t skip_postings(const std::uint8_t* bytes, std::size_t size, std::uint32_t postings) {
  if (postings == 0) return 0;
  std::size_t position = 0;
  for (; position + kLane <= size; position += kLane) {
    std::uint32_t mask = Vectors::mask_at_least(bytes + position, kPostingEnd);
    const auto here = static_cast<std::uint32_t>(_mm_popcnt_u32(mask));
    if (here < postings) {
      postings -= here;
      continue;
    }
    while (--postings > 0) mask = _blsr_u32(mask);
    return position + _tzcnt_u32(mask) + 1;
  }
  return position + plain::skip_postings(bytes + position, size - position, postings);
}

KBASE_AVX2 std::uint64_t mask_above(const float* numbers, float limit) {
  return mask_above_by_vectors<Vectors>(numbers, limit);
}

}  // namespace

constinit const Kernels kAvx2 = [] {
  Kernels kernels = plain::kKernels;
  kernels.name = "avx2";
  kernels.unite = unite;
  kernels.intersect = intersect;
  kernels.subtract = subtract;
  kernels.count = count;
  kernels.count_common = count_common;
  kernels.intersect_arrays = intersect_arrays;
  kernels.look_up = look_up;
  kernels.look_up_in_set = look_up_in_set;
  kernels.list = list;
  kernels.select = select;
  kernels.rank = rank;
  kernels.max = max;
  kernels.find_at_least = find_at_least;
  kernels.compact = compact;
  kernels.skip_postings = skip_postings;
  kernels.mask_above = mask_above;
  return kernels;
}();

}  // namespace kbase::native_index::x86
