// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "adapters/native_index/postings/format.hpp"
#include "adapters/native_index/postings/window_set.hpp"

namespace kbase::native_index {

inline bool ends_posting(std::span<const std::uint8_t> encoded) {
  return !encoded.empty() && encoded.back() >= kPostingEnd;
}

/// Reads the positions of one posting. Damaged bytes end it early; reads never leave the given bytes.
class PositionReader {
 public:
  PositionReader() = default;
  explicit PositionReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  /// Returns false if there are no more positions.
  bool next(std::uint32_t& position) {
    if (rest_.empty() || rest_.front() < kNumberEnd) return next_long(position);
    const std::uint8_t byte = rest_.front();  // most numbers take one byte
    rest_ = byte < kPostingEnd ? rest_.subspan(1) : std::span<const std::uint8_t>();
    position = next_min_ + (byte & kLastBits);
    next_min_ = position + 1;
    return true;
  }

  /// Returns the encoded positions not read yet.
  std::span<const std::uint8_t> encoded() const;

  /// Returns encoded() and moves to the list's next posting. If the bytes do not end a posting, they are damaged.
  std::span<const std::uint8_t> read_encoded();

 private:
  static constexpr std::uint8_t kLastBits = 0x3F;

  bool next_long(std::uint32_t& position);

  std::span<const std::uint8_t> rest_;  ///< may extend past the posting
  std::uint32_t next_min_ = 0;          ///< lowest possible next position
};

/// Postings of one span of a window: their ranks in the window and their largest impact (0 for an empty span).
struct Span {
  std::uint32_t number = 0;  ///< first document: number * kSpanDocuments
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint8_t max_impact = 0;

  bool operator==(const Span&) const = default;
};

/// Postings of a list in one window of documents. A view that is cheap to copy, valid as long as the list's sections
/// are. A posting is identified by its rank, 0..count() - 1, in document order. Thread-safe.
///
/// Damaged bytes yield wrong postings, but reads never leave the sections and ranks are always below count().
class Window {
 public:
  using SpanScratch = std::array<std::uint16_t, kSpanDocuments>;

  Window() = default;  ///< an empty window

  std::uint32_t number() const { return number_; }
  std::uint32_t count() const { return count_; }
  std::uint8_t max_impact() const { return max_impact_; }
  std::span<const std::uint8_t> impacts() const { return {impacts_, count_}; }

  bool is_bitmap() const { return words_ != nullptr; }
  std::span<const std::uint16_t> array() const { return {array_, is_bitmap() ? 0 : count_}; }
  const std::uint64_t* words() const { return words_; }  ///< kWindowWords words; nullptr without bitmap

  std::array<Span, kSpans> spans() const;

  /// Returns one of spans(). Constant time if the window has 256 postings or more, else a search.
  Span span(std::uint32_t number) const;

  /// Returns the documents of a span's postings: a part of the array, or the bitmap's span listed in `scratch`.
  /// Normally one per posting; damaged bytes may yield fewer, or documents of other spans, so reduce them modulo
  /// kSpanDocuments before using them as an index.
  std::span<const std::uint16_t> documents(const Span& span, SpanScratch& scratch) const;

  /// Writes the documents of some of a span's postings. `ranks` are ascending and relative to the span's first rank.
  /// `out` may be `ranks`. Damaged bytes yield arbitrary documents, as in documents().
  void documents_at(const Span& span, std::span<const std::uint16_t> ranks, std::uint16_t* out,
                    SpanScratch& scratch) const;

  bool contains(std::uint16_t document) const;
  std::uint32_t rank(std::uint16_t document) const;  ///< rank of the first posting at or after it, or count()

  /// Writes the impact of each of the ascending `documents`, 0 if it has no posting. `impacts` has space for as many.
  void impacts_of(std::span<const std::uint16_t> documents, std::uint8_t* impacts) const;

  void unite_into(std::uint64_t* set) const;      ///< set |= this; `set` has kWindowWords words
  void intersect_into(std::uint64_t* set) const;  ///< set &= this
  void subtract_from(std::uint64_t* set) const;   ///< set &= ~this
  std::uint32_t count_in(const std::uint64_t* set) const;

  /// Returns those of the ascending `documents` that have a posting. `out` has space for as many and must not overlap
  /// `documents`.
  std::span<const std::uint16_t> intersect(std::span<const std::uint16_t> documents, std::uint16_t* out) const;

  /// Returns the positions of a posting; empty if the list has none. Skips the positions of up to 63 postings before
  /// it, up to 126 in a short list.
  PositionReader positions(std::uint32_t rank) const;

 private:
  friend class PostingList;
  friend class WindowCursor;

  /// Location of the list's positions.
  struct Positions {
    const std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
    const std::uint32_t* blocks = nullptr;  ///< starts in `bytes`; nullptr: short list, one block at 0
  };

  std::uint32_t bitmap_rank(std::uint16_t document) const;
  std::uint8_t bitmap_impact(std::uint16_t document) const;

  const std::uint8_t* impacts_ = nullptr;
  const std::uint16_t* array_ = nullptr;
  const std::uint64_t* words_ = nullptr;
  const std::uint16_t* ranks_ = nullptr;      ///< bitmap only: see format::Container
  const format::SpanTable* spans_ = nullptr;  ///< nullptr: not stored
  Positions positions_;
  std::uint32_t first_ = 0;  ///< rank in the list of the window's first posting
  std::uint32_t number_ = 0;
  std::uint32_t count_ = 0;
  std::uint8_t max_impact_ = 0;
};

/// Forward-only cursor over the postings of a window. Starts at the first posting. Not thread-safe.
class WindowCursor {
 public:
  static constexpr std::uint32_t kEnd = kWindowDocuments;

  explicit WindowCursor(const Window& window);

  std::uint32_t document() const { return document_; }  ///< kEnd after the last posting

  /// Moves to the first posting >= `document` at or after the current one. Returns its document or kEnd.
  std::uint32_t next_at_or_after(std::uint32_t document);
  std::uint32_t next() { return next_at_or_after(document_ + 1); }

  // These describe the current posting; not valid at kEnd.
  std::uint32_t rank() const;
  std::uint8_t impact() const { return window_.impacts_[rank()]; }
  PositionReader positions() const { return window_.positions(rank()); }

 private:
  std::uint32_t next_in_bitmap(std::uint32_t document) const;

  Window window_;
  ArrayCursor cursor_;  ///< unused if the window is a bitmap
  std::uint32_t document_ = 0;
};

}  // namespace kbase::native_index
