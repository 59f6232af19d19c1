// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/native_index/postings/kernels.hpp"

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
std::size_t common(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                   std::size_t frequent_size, std::uint16_t* out);
std::size_t list(const std::uint64_t* words, std::size_t count, std::uint32_t base, std::uint16_t* out);
void select(const std::uint64_t* words, std::size_t count, std::uint32_t base, const std::uint16_t* ranks,
            std::size_t size, std::uint16_t* out);
std::uint32_t rank(const std::uint64_t* words, std::uint32_t bit);
std::uint8_t max(const std::uint8_t* bytes, std::size_t size);
std::size_t at_least(const std::uint8_t* bytes, std::size_t size, std::uint8_t threshold, std::uint16_t* out);
std::size_t skip_marks(const std::uint8_t* bytes, std::size_t size, std::uint32_t marks);
std::uint64_t above(const float* numbers, float limit);

/// Variants of common() that always merge or always gallop.
std::size_t merge(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                  std::size_t frequent_size, std::uint16_t* out);
std::size_t gallop(const std::uint16_t* rare, std::size_t rare_size, const std::uint16_t* frequent,
                   std::size_t frequent_size, std::uint16_t* out);

extern const Kernels kKernels;

}  // namespace kbase::native_index::plain
