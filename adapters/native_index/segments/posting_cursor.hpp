// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {

/// Iterates over all postings of a list in document order and returns their positions undecoded. A view of the list's
/// sections. Not thread-safe. Even in damaged lists, documents ascend and impacts are 1..255.
class PostingCursor {
 public:
  PostingCursor() = default;
  PostingCursor(const PostingCursor&) = delete;
  PostingCursor& operator=(const PostingCursor&) = delete;

  void open(const PostingList& list);

  /// Moves to the next posting; the first call moves to the first posting. Returns false at the end, or if the rest is
  /// damaged.
  bool next();

  std::uint32_t document() const { return document_; }
  std::uint8_t impact() const { return impact_; }
  std::span<const std::uint8_t> positions() const { return positions_; }  ///< empty if the list has no positions
  bool damaged() const { return damaged_; }

 private:
  bool next_run();
  bool open_window();
  bool open_span();
  bool mark_damaged();

  PostingList list_;
  std::uint32_t next_window_ = 0;
  Window window_;
  std::uint32_t next_span_ = kSpans;          // next span of a bitmap, which is listed span by span
  std::span<const std::uint16_t> documents_;  // current part: an array window, or a bitmap's span
  const std::uint8_t* impacts_ = nullptr;
  std::size_t place_ = 0;
  std::uint64_t min_document_ = 0;  // lowest valid next document
  PositionReader reader_;           // at the next posting's positions
  Window::SpanScratch scratch_;

  std::uint32_t document_ = 0;
  std::uint8_t impact_ = 0;
  std::span<const std::uint8_t> positions_;
  bool damaged_ = false;
};

}  // namespace kbase::native_index
