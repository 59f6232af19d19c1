// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {

/// Appends the positions of a posting in the encoding described at kPostingEnd.
void append_positions(std::span<const std::uint32_t> positions, std::vector<std::uint8_t>& bytes);

/// Postings of one term, gathered before they are encoded. Reuses its memory for the next term. Not
/// thread-safe.
///
/// Documents must ascend strictly, and impacts must be 1..255. Either all postings of a list have positions or none has
/// (asserted).
class PostingBuffer {
 public:
  void clear();
  bool empty() const { return documents_.empty(); }

  void add(std::uint32_t document, std::uint8_t impact, std::span<const std::uint32_t> positions = {});

  /// Adds a document that lists have in common, with impact 1. Ignores it if it is not behind the last one: damaged
  /// lists are not in order.
  void add_common(std::uint32_t document) {
    if (documents_.empty() || documents_.back() < document) add(document, 1);
  }

  /// Adds a posting with positions encoded as by PositionReader::encoded(). Used by merges.
  void add_encoded(std::uint32_t document, std::uint8_t impact, std::span<const std::uint8_t> positions);

  std::span<const std::uint32_t> documents() const { return documents_; }
  std::span<const std::uint8_t> impacts() const { return impacts_; }
  std::span<const std::uint8_t> positions() const { return positions_; }  ///< encoded, posting after posting
  std::span<const std::uint32_t> position_blocks() const { return position_blocks_; }  ///< starts in positions()

 private:
  void add_document(std::uint32_t document, std::uint8_t impact, bool has_no_positions);

  std::vector<std::uint32_t> documents_;
  std::vector<std::uint8_t> impacts_;
  std::vector<std::uint8_t> positions_;
  std::vector<std::uint32_t> position_blocks_;
};

/// Encodes the lists of a segment's terms, one after the other, for two sections. Not thread-safe.
class PostingWriter {
 public:
  /// Bytes written since the last take_output(), to be appended to the sections.
  struct Output {
    std::vector<std::byte> postings;
    std::vector<std::byte> positions;
  };

  /// Buffer for the postings of the current term. Fill it, then call finish_term().
  PostingBuffer& term() { return term_; }

  /// Ends the current term, which must have postings. Returns the list's offset in section "postings".
  std::uint64_t finish_term();

  std::size_t pending_bytes() const { return pending_.postings.size() + pending_.positions.size(); }
  Output take_output();

 private:
  PostingBuffer term_;
  Output pending_;
  std::uint64_t flushed_postings_ = 0;
  std::uint64_t flushed_positions_ = 0;
};

/// Encodes a long list window by window. Not thread-safe.
class LongListWriter {
 public:
  /// Adds the next window. `documents` are the numbers within the window, at least one, ascending.
  void add(std::uint32_t window, std::span<const std::uint16_t> documents, std::span<const std::uint8_t> impacts);

  /// Adds the next window, whose documents are a set of more than format::kBitmapPostings.
  void add(std::uint32_t window, std::span<const std::uint64_t, kWindowWords> set,
           std::span<const std::uint8_t> impacts);

  bool empty() const { return entries_.empty(); }

  /// Appends the list, whose first byte must be at a multiple of 8 in its section. `position_blocks`: see
  /// PostingBuffer; empty if the list has no positions. `positions`: see format::LongHead.
  void append_to(std::vector<std::byte>& out, std::span<const std::uint32_t> position_blocks = {},
                 std::uint64_t positions = 0) const;

 private:
  void add_entry(std::uint32_t window, format::Container kind, std::span<const std::uint8_t> impacts);

  std::vector<format::WindowEntry> entries_;  // with offsets in containers_
  std::vector<std::uint8_t> impacts_;
  std::vector<std::byte> containers_;
};

/// A posting list that owns its bytes, for lists that a query computes (a disjunction, a phrase). Thread-safe once
/// constructed. Moving it keeps views valid.
class MemoryPostingList {
 public:
  MemoryPostingList() = default;  ///< an empty list
  explicit MemoryPostingList(const PostingBuffer& postings);
  explicit MemoryPostingList(const LongListWriter& list);

  MemoryPostingList(MemoryPostingList&&) = default;
  MemoryPostingList& operator=(MemoryPostingList&&) = default;

  const PostingList& list() const { return list_; }

 private:
  void open();

  std::vector<std::byte> postings_;
  std::vector<std::byte> positions_;
  PostingList list_;
};

}  // namespace kbase::native_index
