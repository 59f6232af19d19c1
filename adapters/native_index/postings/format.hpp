// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

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
///   u32 position_blocks[]    start of the positions of every 64 postings, see LongHead; absent without kHasPositions
///   u8 impacts[documents]
///   containers               at WindowEntry::container
namespace format {

inline constexpr std::uint32_t kShortList = 128;
inline constexpr std::uint32_t kPositionBlock = 64;

inline constexpr std::uint16_t kLong = 0x8000;
inline constexpr std::uint16_t kHasPositions = 0x4000;

struct LongHead {
  std::uint16_t shape;
  std::uint8_t max_impact;
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
}  // namespace kbase::native_index
