// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// How the section of stored texts is laid out, for its writer and its reader alone:
///
///   blocks: for each text the bytes of the title and of the content as varints, then all of them, title and content
///   in turn, as one LZ4 block (nothing where all are empty)
///   zeros up to a multiple of 8
///   the table: where each block begins u64, and where the last one ends; number of the first text of each block u32,
///   and the number of texts; the number of each document's text u32
///   the end: number of blocks u32, number of documents u32
///
/// The lengths stay outside of the LZ4 block, so that a reader knows how little of it to decompress. Texts are numbered
/// apart from documents, so that a merge copies whole blocks whatever order their documents get.
namespace kbase::native_index {

inline constexpr std::size_t kStoreEndBytes = 8;

}  // namespace kbase::native_index
