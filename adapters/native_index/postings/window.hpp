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

/// The postings of one span of a window: their ranks in the window, and the largest of their impacts (0: none).
struct Span {
  std::uint32_t number = 0;  ///< its documents begin at number * kSpanDocuments
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint8_t max_impact = 0;

  bool operator==(const Span&) const = default;
};

/// The postings of a list in one window of documents: a view of a few words, free to copy, valid as long as the list's
/// sections are. A posting is named by its rank, 0..count() - 1, in document order. Any number of threads.
///
/// Of damaged bytes it makes wrong postings, but never reads outside of the sections nor gives a rank >= count().
class Window {
 public:
  using SpanScratch = std::array<std::uint16_t, kSpanDocuments>;

  Window() = default;  ///< one without postings

  std::uint32_t number() const { return number_; }
  std::uint32_t count() const { return count_; }
  std::uint8_t max_impact() const { return max_impact_; }
  std::span<const std::uint8_t> impacts() const { return {impacts_, count_}; }

  bool is_bitmap() const { return words_ != nullptr; }
  std::span<const std::uint16_t> array() const { return {array_, is_bitmap() ? 0 : count_}; }
  const std::uint64_t* words() const { return words_; }  ///< kWindowWords of them; nullptr without bitmap

  std::array<Span, kSpans> spans() const;

  /// One of spans(): constant time where the window has 256 postings or more, else a search among them.
  Span span(std::uint32_t number) const;

  /// The documents of a span's postings, from its first rank on: a part of the array, or of a bitmap listed in
  /// `scratch`. As many as the span has postings; of damaged bytes fewer, or documents of other spans: take them
  /// modulo kSpanDocuments before they index anything.
  std::span<const std::uint16_t> documents(const Span& span, SpanScratch& scratch) const;

  /// The documents of some of a span's postings, of which `ranks` has the ascending ranks from its first one on; `out`
  /// may be `ranks`. Of damaged bytes any documents, as above.
  void documents_at(const Span& span, std::span<const std::uint16_t> ranks, std::uint16_t* out,
                    SpanScratch& scratch) const;

  bool contains(std::uint16_t document) const;
  std::uint32_t rank(std::uint16_t document) const;  ///< of the first posting at or after it; count(): none

  /// The impact of each of some ascending documents, 0 where it has no posting. `impacts` has room for as many.
  void impacts_of(std::span<const std::uint16_t> documents, std::uint8_t* impacts) const;

  void add_to(std::uint64_t* set) const;       ///< set |= this; kWindowWords words, as below
  void keep_in(std::uint64_t* set) const;      ///< set &= this
  void remove_from(std::uint64_t* set) const;  ///< set &= ~this
  std::uint32_t count_in(const std::uint64_t* set) const;

  /// Those of some ascending documents that have a posting; `out` has room for as many and lies elsewhere.
  std::span<const std::uint16_t> common(std::span<const std::uint16_t> documents, std::uint16_t* out) const;

  /// None where the list has no positions. Costs a count of the positions of at most 63 postings before it, in a short
  /// list 126.
  PositionReader positions(std::uint32_t rank) const;

 private:
  friend class PostingList;
  friend class WindowCursor;

  /// Where the positions of the list lie.
  struct Positions {
    const std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
    const std::uint32_t* blocks = nullptr;  ///< begins in `bytes`; nullptr: of a short list, one block at 0
  };

  std::uint32_t bitmap_rank(std::uint16_t document) const;
  std::uint8_t bitmap_impact(std::uint16_t document) const;

  const std::uint8_t* impacts_ = nullptr;
  const std::uint16_t* array_ = nullptr;
  const std::uint64_t* words_ = nullptr;
  const std::uint16_t* ranks_ = nullptr;      ///< of a bitmap
  const format::SpanTable* spans_ = nullptr;  ///< nullptr: none is kept
  Positions positions_;
  std::uint32_t first_ = 0;  ///< rank in the list of the window's first posting
  std::uint32_t number_ = 0;
  std::uint32_t count_ = 0;
  std::uint8_t max_impact_ = 0;
};

}  // namespace kbase::native_index
