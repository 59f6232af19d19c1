// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "domain/base/result.hpp"

namespace kbase::native_index {

/// Documents are grouped in windows: a document is a window number and a 16-bit number within the window. The
/// containers are those of Roaring bitmaps (Chambi, Lemire, Kaser, Godin 2016) and are read without decoding.
inline constexpr std::uint32_t kWindowDocuments = 65'536;
inline constexpr std::uint32_t kWindowWords = kWindowDocuments / 64;
inline constexpr std::uint32_t kMaxWindows = 65'536;  ///< document numbers have 32 bits

/// Documents of a window are scored in spans of this size.
inline constexpr std::uint32_t kSpanDocuments = 4'096;
inline constexpr std::uint32_t kSpans = kWindowDocuments / kSpanDocuments;
inline constexpr std::uint32_t kSpanWords = kSpanDocuments / 64;

/// A list stores the impacts of its 16th, 32nd, ... best postings: the initial threshold when ranking by that term.
inline constexpr std::array<std::uint32_t, 5> kStoredRanks{16, 32, 64, 128, 256};

/// Encoding of the ascending positions of a posting: the first position, then each distance from the previous position
/// minus 1. Each byte of a number holds 7 bits, lowest first; its last byte is >= 0x80 and holds 6 bits, and is >= 0xC0
/// if it also ends the posting. No lengths are stored; Kernels::skip_postings skips postings by counting end bytes. For
/// 250,000 mixed items the positions take 25 MB; LEB128 would take 23 MB, plus 10 MB for lengths.
inline constexpr std::uint8_t kNumberEnd = 0x80;   ///< lowest last byte of a number
inline constexpr std::uint8_t kPostingEnd = 0xC0;  ///< lowest last byte of a posting

/// Layout of section "postings": little-endian numbers, one list after the other, at even offsets.
///
/// Short list (documents < kShortList), the form of most rare words; one document takes 7 bytes plus positions:
///   u16 shape                documents | windows << 7 | kHasPositions
///   u16 numbers[windows]     window numbers, ascending
///   u16 documents[documents] within their windows, ascending in each
///   u8 ends[windows]         rank after a window's last posting; absent if there is one window
///   u8 impacts[documents]
///   u8 top_impacts[]         one for each of kStoredRanks up to the number of documents
///   positions, see kPostingEnd; absent without kHasPositions
///
/// Long list, at a multiple of 8:
///   LongHead
///   WindowEntry[windows]
///   u32 position_blocks[]    start of the positions of every 32 postings, see LongHead; absent without kHasPositions
///   u8 impacts[documents]
///   containers               at WindowEntry::container
namespace format {

inline constexpr std::uint32_t kShortList = 128;
inline constexpr std::uint32_t kPositionBlock = 32;

inline constexpr std::uint16_t kLong = 0x8000;
inline constexpr std::uint16_t kHasPositions = 0x4000;

struct LongHead {
  std::uint16_t shape;
  std::uint8_t unused;  ///< 0
  std::array<std::uint8_t, kStoredRanks.size()> top_impacts;
  std::uint32_t documents;
  std::uint32_t windows;
  std::uint64_t positions;  ///< offset in section "positions"; position_blocks are relative to it
};
static_assert(sizeof(LongHead) == 24);

enum class Container : std::uint8_t {
  Array,         ///< u16 documents[count]
  SpannedArray,  ///< SpanTable, then as Array
  Bitmap,        ///< SpanTable, u16 ranks[128] (postings before each 512 bits), u64 words[1024]; at a multiple of 8
};

struct WindowEntry {
  std::uint32_t first;      ///< rank in the list of the window's first posting
  std::uint32_t container;  ///< offset from the start of the list, bytes
  std::uint16_t number;
  std::uint8_t max_impact;
  Container kind;
};
static_assert(sizeof(WindowEntry) == 12);

/// Start and largest impact of each span, stored if computing them from the array would be slower.
struct SpanTable {
  std::array<std::uint16_t, kSpans> starts;  ///< ranks within the window
  std::array<std::uint8_t, kSpans> max_impacts;
};
static_assert(sizeof(SpanTable) == 48);

inline constexpr std::uint32_t kSpannedPostings = 256;   ///< minimum postings of a window with a SpanTable
inline constexpr std::uint32_t kBitmapPostings = 4'096;  ///< maximum postings of an array; above, a bitmap is smaller
inline constexpr std::uint32_t kRankBits = 512;          ///< one cache line of a bitmap
inline constexpr std::uint32_t kRankEntries = kWindowDocuments / kRankBits;

}  // namespace format

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
    // Most numbers take one byte, nearly all others two.
    if (rest_.size() < 2 || (rest_[0] < kNumberEnd && rest_[1] < kNumberEnd)) return next_long(position);
    const std::size_t last = rest_[0] < kNumberEnd ? 1 : 0;
    const std::uint32_t high = rest_[last] & kLastBits;
    position = next_min_ + (last == 0 ? high : rest_[0] | high << 7);
    rest_ = rest_[last] < kPostingEnd ? rest_.subspan(last + 1) : std::span<const std::uint8_t>();
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

/// Whether a set of documents, one bit each, has the document. Documents past its end are not in it.
inline bool is_in(std::span<const std::uint64_t> set, std::uint32_t document) {
  return document / 64 < set.size() && (set[document / 64] >> (document % 64) & 1) != 0;
}

/// Set of a window's documents, one bit each; initially empty. Takes 8 KiB, so clear and reuse it.
struct alignas(64) WindowSet {
  std::array<std::uint64_t, kWindowWords> words{};

  void clear() { words.fill(0); }
  void insert(std::uint16_t document) { words[document / 64] |= std::uint64_t{1} << (document % 64); }
  bool contains(std::uint16_t document) const { return (words[document / 64] >> (document % 64) & 1) != 0; }
};

/// Forward-only cursor over an ascending array. advance() takes time logarithmic in the distance (Bentley, Yao, "An
/// almost optimal algorithm for unbounded searching", 1976).
class ArrayCursor {
 public:
  explicit ArrayCursor(std::span<const std::uint16_t> array) : array_(array) {}

  std::uint32_t rank() const { return rank_; }
  bool at_end() const { return rank_ == array_.size(); }
  std::uint16_t document() const { return array_[rank_]; }

  /// Moves to the first number >= `document` at or after the current one.
  void advance(std::uint32_t document) {
    if (at_end() || array_[rank_] >= document) return;
    std::size_t below = rank_;  // index of a number that is too small
    std::size_t step = 1;
    while (below + step < array_.size() && array_[below + step] < document) {
      below += step;
      step *= 2;
    }
    const auto end = array_.begin() + static_cast<std::ptrdiff_t>(std::min(below + step, array_.size()));
    const auto found = std::lower_bound(array_.begin() + static_cast<std::ptrdiff_t>(below) + 1, end, document);
    rank_ = static_cast<std::uint32_t>(found - array_.begin());
  }

 private:
  std::span<const std::uint16_t> array_;
  std::uint32_t rank_ = 0;
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
  std::span<const std::uint8_t> impacts() const { return {impacts_, count_}; }

  /// Returns the largest impact: in a long list in constant time, else of up to 127 impacts.
  std::uint8_t max_impact() const;

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

  /// Writes the documents of some postings; `ranks` are ascending. `out` may be `ranks`. Damaged bytes yield arbitrary
  /// documents.
  void documents_at(std::span<const std::uint16_t> ranks, std::uint16_t* out) const;

  bool contains(std::uint16_t document) const;
  std::uint32_t rank(std::uint16_t document) const;  ///< rank of the first posting at or after it, or count()

  /// Writes the impact of each of the ascending `documents`, 0 if it has no posting. `impacts` has space for as many.
  void impacts_of(std::span<const std::uint16_t> documents, std::uint8_t* impacts) const;

  /// Writes the impacts of documents of a span, which is one of spans().
  void impacts_of(const Span& span, std::span<const std::uint16_t> documents, std::uint8_t* impacts) const;

  void unite_into(std::uint64_t* set) const;      ///< set |= this; `set` has kWindowWords words
  void intersect_into(std::uint64_t* set) const;  ///< set &= this
  void subtract_from(std::uint64_t* set) const;   ///< set &= ~this
  std::uint32_t count_in(const std::uint64_t* set) const;

  /// Returns those of the ascending `documents` that have a posting. `out` has space for as many and must not overlap
  /// `documents`.
  std::span<const std::uint16_t> intersect(std::span<const std::uint16_t> documents, std::uint16_t* out) const;

  /// Returns the positions of a posting; empty if the list has none. Skips the positions of up to 31 postings before
  /// it, up to 126 in a short list.
  PositionReader positions(std::uint32_t rank) const;

 private:
  friend class PostingList;
  friend class WindowCursor;

  /// Location of a posting's positions.
  struct PositionMark {
    std::uint32_t rank = std::numeric_limits<std::uint32_t>::max();  ///< in the list; this: none
    std::size_t begin = 0;
  };

  PositionReader positions(std::uint32_t rank, PositionMark& last) const;

  /// Location of the list's positions.
  struct Positions {
    const std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
    const std::uint32_t* blocks = nullptr;  ///< starts in `bytes`; nullptr: short list, one block at 0
  };

  std::uint32_t bitmap_rank(std::uint16_t document) const;

  const std::uint8_t* impacts_ = nullptr;
  const std::uint16_t* array_ = nullptr;
  const std::uint64_t* words_ = nullptr;
  const std::uint16_t* ranks_ = nullptr;      ///< bitmap only: see format::Container
  const format::SpanTable* spans_ = nullptr;  ///< nullptr: not stored
  Positions positions_;
  std::uint32_t first_ = 0;  ///< rank in the list of the window's first posting
  std::uint32_t number_ = 0;
  std::uint32_t count_ = 0;
  std::uint8_t max_impact_ = 0;  ///< 0: not stored
};

/// Forward-only cursor over the postings of a window. Starts at the first posting. Not thread-safe.
class WindowCursor {
 public:
  static constexpr std::uint32_t kEnd = kWindowDocuments;

  WindowCursor() : cursor_({}), document_(kEnd) {}  ///< in an empty window
  explicit WindowCursor(const Window& window);

  std::uint32_t document() const { return document_; }  ///< kEnd after the last posting

  /// Moves to the first posting >= `document` at or after the current one. Returns its document or kEnd.
  std::uint32_t next_at_or_after(std::uint32_t document);
  std::uint32_t next() { return next_at_or_after(document_ + 1); }

  // These describe the current posting; not valid at kEnd.
  std::uint32_t rank() const;
  std::uint8_t impact() const { return window_.impacts_[rank()]; }
  PositionReader positions() { return window_.positions(rank(), last_positions_); }

 private:
  std::uint32_t next_in_bitmap(std::uint32_t document) const;

  Window window_;
  ArrayCursor cursor_;  ///< unused if the window is a bitmap
  std::uint32_t document_ = 0;
  Window::PositionMark last_positions_;  ///< of the last posting whose positions were read
};

/// Parts of a short list (layout: namespace format). Cheaper to find than a PostingList, for unions of thousands of
/// lists. A view, valid as long as the section is.
struct ShortList {
  std::uint32_t documents = 0;
  std::uint32_t windows = 0;
  bool has_positions = false;
  const std::uint16_t* numbers = nullptr;           ///< of the windows
  const std::uint16_t* documents_within = nullptr;  ///< their windows
  const std::uint8_t* ends = nullptr;               ///< ranks behind the windows; nullptr: one window
  const std::uint8_t* impacts = nullptr;
  std::size_t top_impacts = 0;  ///< offset in the list
  std::size_t end = 0;          ///< offset behind the top impacts

  /// `list`: from the first byte of the list to the end of section "postings". nullopt: the list is long or damaged.
  static std::optional<ShortList> open(std::span<const std::byte> list);

  /// Visits the number, the documents and the impacts of each window.
  template <class Visitor> void visit_windows(const Visitor& visit) const {
    for (std::uint32_t i = 0, begin = 0; i < windows; ++i) {
      const std::uint32_t behind = ends == nullptr ? documents : std::min<std::uint32_t>(ends[i], documents);
      if (begin >= behind) break;  // damaged
      visit(numbers[i], std::span(documents_within + begin, behind - begin), impacts + begin);
      begin = behind;
    }
  }
};

/// Documents of a term with their impacts and positions (layout: namespace format). A view that is cheap to open (a few
/// loads, no allocation) and to copy; valid as long as the sections are. Thread-safe.
class PostingList {
 public:
  PostingList() = default;  ///< an empty list

  /// `postings` must be aligned to 8 bytes in memory. Errors: Corrupt if the list does not fit into it.
  static Result<PostingList> open(std::span<const std::byte> postings, std::uint64_t offset,
                                  std::span<const std::byte> positions);

  std::uint32_t documents() const { return documents_; }
  bool has_positions() const { return positions_.bytes != nullptr; }

  /// Returns a lower bound of the kth largest impact (k from 1): the impact at the next larger of kStoredRanks, or 0 if
  /// none is stored. Includes deleted documents.
  std::uint8_t top_impact(std::uint32_t k) const;

  std::uint32_t windows() const { return windows_; }            ///< number of windows with postings
  Window window(std::uint32_t index) const;                     ///< by index, in document order
  std::uint32_t first_window_from(std::uint32_t number) const;  ///< index of the first one >= number, or windows()
  Window window_numbered(std::uint32_t number) const;           ///< empty if the list has no postings there

  /// Counts the list's documents in `set`, which has one bit per document of the segment in whole windows. Documents
  /// past the end of `set` are not counted.
  std::uint32_t count_in(std::span<const std::uint64_t> set) const;

 private:
  bool open_short();
  bool open_long(std::span<const std::byte> positions);
  std::uint32_t window_number(std::uint32_t index) const;
  bool read_short(std::uint32_t index, Window& window) const;
  bool read_long(std::uint32_t index, Window& window) const;
  bool locate_container(const format::WindowEntry& entry, Window& window) const;

  std::span<const std::byte> list_;                  ///< from the list's first byte to the end of the section
  const std::uint16_t* numbers_ = nullptr;           ///< short list: window numbers
  const std::uint16_t* documents_within_ = nullptr;  ///< short list: document numbers
  const std::uint8_t* ends_ = nullptr;               ///< short list with several windows: end ranks
  const format::WindowEntry* entries_ = nullptr;     ///< long list: window entries
  const std::uint8_t* impacts_ = nullptr;
  Window::Positions positions_;
  std::uint32_t documents_ = 0;
  std::uint32_t windows_ = 0;
  std::span<const std::uint8_t> top_impacts_;
};

}  // namespace kbase::native_index
