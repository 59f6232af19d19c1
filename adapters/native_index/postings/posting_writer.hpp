// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_buffer.hpp"

namespace kbase::native_index {

/// Encodes the lists of a segment's terms, one after the other, for two sections. Not thread-safe.
class PostingWriter {
 public:
  /// Bytes written since the last take(), to be appended to the sections.
  struct Pieces {
    std::vector<std::byte> postings;
    std::vector<std::byte> positions;
  };

  /// Buffer for the postings of the current term. Fill it, then call finish_term().
  PostingBuffer& term() { return term_; }

  /// Ends the current term, which must have postings. Returns the list's offset in section "postings".
  std::uint64_t finish_term();

  std::size_t pending_bytes() const { return pending_.postings.size() + pending_.positions.size(); }
  Pieces take();

 private:
  PostingBuffer term_;
  Pieces pending_;
  std::uint64_t taken_postings_ = 0;
  std::uint64_t taken_positions_ = 0;
};

}  // namespace kbase::native_index
