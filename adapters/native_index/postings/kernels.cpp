// SPDX-License-Identifier: Apache-2.0
// The portable kernels, and the selection of the kernels that the processor supports.
#include "adapters/native_index/postings/kernels.hpp"

#include <algorithm>
#include <bit>

#include "adapters/native_index/postings/kernels_internal.hpp"
#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index::plain {
namespace {

constexpr std::size_t kGallopingRatio = 16;  ///< ratio of lengths above which galloping is faster

std::uint32_t count_bits(std::uint64_t word) { return static_cast<std::uint32_t>(std::popcount(word)); }

bool is_in(const std::uint64_t* set, std::uint16_t document) {
  return (set[document / 64] >> (document % 64) & 1) != 0;
}

}  // namespace

void unite(std::uint64_t* set, const std::uint64_t* other) {
  for (std::size_t i = 0; i < kWindowWords; ++i) set[i] |= other[i];
}

void intersect(std::uint64_t* set, const std::uint64_t* other) {
  for (std::size_t i = 0; i < kWindowWords; ++i) set[i] &= other[i];
}

void subtract(std::uint64_t* set, const std::uint64_t* other) {
  for (std::size_t i = 0; i < kWindowWords; ++i) set[i] &= ~other[i];
}

std::uint32_t count(const std::uint64_t* set) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kWindowWords; ++i) count += count_bits(set[i]);
  return count;
}

std::uint32_t count_common(const std::uint64_t* set, const std::uint64_t* other) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kWindowWords; ++i) count += count_bits(set[i] & other[i]);
  return count;
}

void insert(std::uint64_t* set, const std::uint16_t* array, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) set[array[i] / 64] |= std::uint64_t{1} << (array[i] % 64);
}

std::uint32_t count_in(const std::uint64_t* set, const std::uint16_t* array, std::size_t size) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += is_in(set, array[i]) ? 1 : 0;
  return count;
}

std::size_t filter(const std::uint64_t* set, const std::uint16_t* array, std::size_t size, std::uint16_t* out) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint16_t document = array[i];
    out[found] = document;
    found += is_in(set, document) ? 1 : 0;
  }
  return found;
}

std::size_t merge(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                  std::size_t frequent_size, std::uint16_t* out) {
  std::size_t found = 0;
  std::size_t position = 0;
  for (std::size_t i = 0; i < rare_size; ++i) {
    const std::uint16_t document = rare[i];
    while (position < frequent_size && frequent[position] < document) ++position;
    if (position == frequent_size) break;
    if (frequent[position] == document) out[found++] = document;
  }
  return found;
}

std::size_t gallop(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                   std::size_t frequent_size, std::uint16_t* out) {
  std::size_t found = 0;
  ArrayCursor cursor({frequent, frequent_size});
  for (std::size_t i = 0; i < rare_size; ++i) {
    const std::uint16_t document = rare[i];
    cursor.advance(document);
    if (cursor.at_end()) break;
    if (cursor.document() == document) out[found++] = document;
  }
  return found;
}

std::size_t intersect_arrays(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                             std::size_t frequent_size, std::uint16_t* out) {
  const auto chosen = rare_size * kGallopingRatio < frequent_size ? gallop : merge;
  return chosen(rare, rare_size, frequent, frequent_size, out);
}

void look_up(const std::uint16_t* documents, std::size_t size, const std::uint16_t* array, std::size_t array_size,
             const std::uint8_t* impacts, std::uint8_t* out) {
  ArrayCursor cursor({array, array_size});
  for (std::size_t i = 0; i < size; ++i) {
    cursor.advance(documents[i]);
    out[i] = !cursor.at_end() && cursor.document() == documents[i] ? impacts[cursor.rank()] : std::uint8_t{0};
  }
}

void look_up_in_set(const std::uint16_t* documents, std::size_t size, const std::uint64_t* set,
                    const std::uint16_t* ranks, std::size_t list_size, const std::uint8_t* impacts, std::uint8_t* out) {
  x86::look_up_in_set_by_words(documents, size, set, ranks, list_size, impacts, out, count_bits);
}

std::size_t list(const std::uint64_t* words, std::size_t count, std::uint32_t base, std::uint16_t* out) {
  std::size_t listed = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint64_t bits = words[i]; bits != 0; bits &= bits - 1)
      out[listed++] = static_cast<std::uint16_t>(base + i * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
  return listed;
}

void select(const std::uint64_t* words, std::size_t count, std::uint32_t base, const std::uint16_t* ranks,
            std::size_t size, std::uint16_t* out) {
  std::size_t word = 0;
  std::uint32_t before = 0;  // set bits in the words before it
  for (std::size_t i = 0; i < size; ++i) {
    while (word + 1 < count && before + count_bits(words[word]) <= ranks[i]) before += count_bits(words[word++]);
    std::uint64_t rest = words[word];
    for (std::uint32_t rank = before; rank < ranks[i] && rest != 0; ++rank) rest &= rest - 1;
    out[i] = static_cast<std::uint16_t>(base + word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
}

std::uint32_t rank(const std::uint64_t* words, std::uint32_t bit) {
  std::uint32_t rank = 0;
  for (std::uint32_t i = 0; i < bit / 64; ++i) rank += count_bits(words[i]);
  return rank + count_bits(words[bit / 64] & ((std::uint64_t{1} << (bit % 64)) - 1));
}

std::uint8_t max(const std::uint8_t* bytes, std::size_t size) {
  std::uint8_t max = 0;
  for (std::size_t i = 0; i < size; ++i) max = std::max(max, bytes[i]);
  return max;
}

std::size_t find_at_least(const std::uint8_t* bytes, std::size_t size, std::uint8_t threshold, std::uint16_t* out) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < size; ++i) {
    out[found] = static_cast<std::uint16_t>(i);
    found += bytes[i] >= threshold ? 1 : 0;
  }
  return found;
}

std::size_t compact(const std::uint8_t* bytes, std::size_t size, std::uint8_t* out) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; ++i) {
    out[kept] = bytes[i];
    kept += bytes[i] != 0 ? 1 : 0;
  }
  return kept;
}

std::size_t skip_postings(const std::uint8_t* bytes, std::size_t size, std::uint32_t postings) {
  std::size_t position = 0;
  for (; postings > 0 && position < size; ++position) postings -= bytes[position] >= kPostingEnd ? 1 : 0;
  return position;
}

std::uint64_t mask_above(const float* numbers, float limit) {
  std::uint64_t mask_above = 0;
  for (std::size_t i = 0; i < 64; ++i) mask_above |= std::uint64_t{numbers[i] > limit} << i;
  return mask_above;
}

}  // namespace kbase::native_index::plain

namespace kbase::native_index {

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all{&plain::kKernels};
#ifdef __x86_64__
  const bool has_popcnt = __builtin_cpu_supports("popcnt") != 0;
  if (has_popcnt && __builtin_cpu_supports("sse4.2") != 0) all.push_back(&x86::kSse42);
  if (has_popcnt && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
      __builtin_cpu_supports("bmi2") != 0)
    all.push_back(&x86::kAvx2);
#endif
  return all;
}

const Kernels& kernels() {
  static const Kernels& fastest = *all_kernels().back();
  return fastest;
}

}  // namespace kbase::native_index
