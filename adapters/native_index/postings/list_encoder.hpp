// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "adapters/native_index/postings/posting_buffer.hpp"

namespace kbase::native_index {

/// Appends a list of one posting or more, as format.hpp lays it out, to the bytes of the two sections. `positions`
/// follows `written_positions` bytes that its section has already; `postings` follows a multiple of 8. Returns where
/// in `postings` the list begins.
std::size_t append_list(const PostingBuffer& list, std::vector<std::byte>& postings, std::vector<std::byte>& positions,
                        std::uint64_t written_positions);

}  // namespace kbase::native_index
