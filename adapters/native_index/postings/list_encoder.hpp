// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "adapters/native_index/postings/posting_buffer.hpp"

namespace kbase::native_index {

/// Appends a non-empty list to the bytes of the two sections (layout: format.hpp). `written_positions` is the number of
/// bytes in the positions section before `positions`. The bytes before `postings` in its section must be a multiple of
/// 8. Returns the offset of the list in `postings`.
std::size_t append_list(const PostingBuffer& list, std::vector<std::byte>& postings, std::vector<std::byte>& positions,
                        std::uint64_t written_positions);

}  // namespace kbase::native_index
