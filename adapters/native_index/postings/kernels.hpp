// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {

/// Inner loops over postings, one table per instruction set. All tables return the same results. Arrays must be
/// strictly ascending; for damaged arrays the results are undefined, but no memory outside the given arrays is
/// accessed.
struct Kernels {
  std::string_view name;

  // Sets of a window, kWindowWords words each.
  void (*unite)(std::uint64_t* set, const std::uint64_t* other);
  void (*intersect)(std::uint64_t* set, const std::uint64_t* other);
  void (*subtract)(std::uint64_t* set, const std::uint64_t* other);
  std::uint32_t (*count)(const std::uint64_t* set);
  std::uint32_t (*count_common)(const std::uint64_t* set, const std::uint64_t* other);

  // Arrays of documents in a window.
  void (*insert)(std::uint64_t* set, const std::uint16_t* array, std::size_t size);
  std::uint32_t (*count_in)(const std::uint64_t* set, const std::uint16_t* array, std::size_t size);

  /// Writes the documents of `array` that are in `set`. `out` has space for `size` documents and may be `array`.
  std::size_t (*filter)(const std::uint64_t* set, const std::uint16_t* array, std::size_t size, std::uint16_t* out);

  /// Writes the documents of the shorter array `rare` that are also in `frequent`. `out` has space for `rare_size`
  /// documents and may be `rare`. Algorithm V1 of Lemire, Boytsov, Kurz, "SIMD compression and the intersection of
  /// sorted integers" (2016), and galloping if the lengths differ a lot.
  std::size_t (*intersect_arrays)(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                                  std::size_t frequent_size, std::uint16_t* out);

  /// Writes the impact of each of the ascending `documents` in a list, 0 if the list does not have it. `array` and
  /// `impacts` are the documents and impacts of the list.
  void (*look_up)(const std::uint16_t* documents, std::size_t size, const std::uint16_t* array, std::size_t array_size,
                  const std::uint8_t* impacts, std::uint8_t* out);

  /// Does it for a list of `list_size` postings whose documents are a set; `ranks` as in format::Container.
  void (*look_up_in_set)(const std::uint16_t* documents, std::size_t size, const std::uint64_t* set,
                         const std::uint16_t* ranks, std::size_t list_size, const std::uint8_t* impacts,
                         std::uint8_t* out);

  /// Writes the documents of `count` words; bit 0 of the first word is document `base`. `out` has space for count * 64.
  std::size_t (*list)(const std::uint64_t* words, std::size_t count, std::uint32_t base, std::uint16_t* out);

  /// Writes the documents at the given ascending ranks of list()'s output. Unspecified for ranks past its end.
  void (*select)(const std::uint64_t* words, std::size_t count, std::uint32_t base, const std::uint16_t* ranks,
                 std::size_t size, std::uint16_t* out);

  /// Returns the number of bits before `bit` (0..511) in 8 words.
  std::uint32_t (*rank)(const std::uint64_t* words, std::uint32_t bit);

  // Bytes: impacts or encoded positions.
  std::uint8_t (*max)(const std::uint8_t* bytes, std::size_t size);

  /// Writes the indexes of the bytes >= threshold. `size` is at most 65,536, and `out` has space for `size` indexes.
  std::size_t (*find_at_least)(const std::uint8_t* bytes, std::size_t size, std::uint8_t threshold, std::uint16_t* out);

  /// Writes the bytes that are not 0. `size` is a multiple of 32, and `out` has space for `size` bytes.
  std::size_t (*compact)(const std::uint8_t* bytes, std::size_t size, std::uint8_t* out);

  /// Returns the index after the `postings`th byte >= kPostingEnd, which skips the positions of `postings` postings;
  /// `size` if there are fewer.
  std::size_t (*skip_postings)(const std::uint8_t* bytes, std::size_t size, std::uint32_t postings);

  /// Returns a bit for each of 64 numbers, lowest first: whether it is > limit.
  std::uint64_t (*mask_above)(const float* numbers, float limit);
};

/// Fastest table that this processor supports; chosen at the first call.
const Kernels& kernels();

/// All tables that this processor supports, for tests and measurements; the plain table first.
std::vector<const Kernels*> all_kernels();

}  // namespace kbase::native_index
