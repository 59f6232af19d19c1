// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "adapters/native_index/postings/format.hpp"
#include "adapters/native_index/postings/positions.hpp"
#include "adapters/native_index/postings/window_set.hpp"

namespace kbase::native_index {

/// Postings of one span of a window: their ranks in the window and their largest impact (0 if there are none).
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

  void add_to(std::uint64_t* set) const;       ///< set |= this; `set` has kWindowWords words
  void keep_in(std::uint64_t* set) const;      ///< set &= this
  void remove_from(std::uint64_t* set) const;  ///< set &= ~this
  std::uint32_t count_in(const std::uint64_t* set) const;

  /// Returns those of the ascending `documents` that have a posting. `out` has space for as many and must not overlap
  /// `documents`.
  std::span<const std::uint16_t> common(std::span<const std::uint16_t> documents, std::uint16_t* out) const;

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

}  // namespace kbase::native_index
