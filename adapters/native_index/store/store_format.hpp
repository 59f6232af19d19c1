// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// How the section of stored texts is laid out, for its writer and its reader alone:
///
///   blocks: for each document the bytes of its title and of its content as varints, then the texts of all, title and
///   content in turn, as one LZ4 block (nothing where all are empty)
///   zeros up to a multiple of 8
///   the table: where each block begins u64, and where the last one ends; first document of each block u32, and the
///   number of documents
///   the end: number of blocks u32, 0 u32
///
/// The lengths stay outside of the LZ4 block, so that a reader knows how little of it to decompress.
namespace kbase::native_index {

inline constexpr std::size_t kStoreEndBytes = 8;

}  // namespace kbase::native_index
