// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// Layout of the section of stored texts, used only by its writer and reader:
///
///   blocks  per text the sizes of title and content as varints; then titles and contents, alternating, as one LZ4
///           block (absent if all are empty)
///   zeros   up to a multiple of 8
///   table   start of each block and end of the last one, u64; first text number of each block and number of texts,
///           u32; text number of each document, u32
///   end     number of blocks u32, number of documents u32
///
/// The lengths are outside the LZ4 block, so that a reader knows how much of it to decompress. Texts are numbered
/// independently of documents, so that a merge can copy whole blocks even if the documents get new numbers.
namespace kbase::native_index {

inline constexpr std::size_t kStoreEndBytes = 8;

}  // namespace kbase::native_index
