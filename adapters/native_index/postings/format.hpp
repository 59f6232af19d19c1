// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace kbase::native_index {

/// Documents are looked at in windows, so that a document is a window's number and a 16-bit number within it. The
/// containers are those of Roaring bitmaps (Chambi, Lemire, Kaser, Godin 2016); nothing in them has to be decoded.
inline constexpr std::uint32_t kWindowDocuments = 65'536;
inline constexpr std::uint32_t kWindowWords = kWindowDocuments / 64;
inline constexpr std::uint32_t kMaxWindows = 65'536;  ///< documents have 32 bits

/// Within a window, documents are scored a span at a time.
inline constexpr std::uint32_t kSpanDocuments = 4'096;
inline constexpr std::uint32_t kSpans = kWindowDocuments / kSpanDocuments;
inline constexpr std::uint32_t kSpanWords = kSpanDocuments / 64;

/// A list keeps the impacts of its 16th, 32nd, ... best postings: the first threshold of a ranking by that word.
inline constexpr std::array<std::uint32_t, 5> kKeptRanks{16, 32, 64, 128, 256};

/// The layout of section "postings": all numbers little-endian, lists one after the other, at even offsets.
///
/// A short list (documents < kShortList), where the mass of rare words lies; one document takes 7 bytes and positions:
///   u16 shape                documents | windows << 7 | kHasPositions
///   u16 numbers[windows]     of the windows, ascending
///   u16 documents[documents] within their windows, ascending in each
///   u8 ends[windows]         rank after a window's last posting; absent where there is one window
///   u8 impacts[documents]
///   u8 best[]                as many of kKeptRanks as the list has documents for
///   positions, see positions.hpp; absent without kHasPositions
///
/// A long list, at a multiple of 8:
///   LongHead
///   WindowEntry[windows]
///   u32 position_blocks[]    absent without kHasPositions: where each 64 postings' positions begin, see LongHead
///   u8 impacts[documents]
///   containers               WindowEntry::container says where
namespace format {

inline constexpr std::uint32_t kShortList = 128;
inline constexpr std::uint32_t kPositionBlock = 64;

inline constexpr std::uint16_t kLong = 0x8000;
inline constexpr std::uint16_t kHasPositions = 0x4000;

struct LongHead {
  std::uint16_t shape;
  std::uint8_t max_impact;
  std::array<std::uint8_t, kKeptRanks.size()> best;
  std::uint32_t documents;
  std::uint32_t windows;
  std::uint64_t positions;  ///< of the list in section "positions"; blocks count from there
};
static_assert(sizeof(LongHead) == 24);

enum class Container : std::uint8_t {
  Array,         ///< u16 documents[count]
  SpannedArray,  ///< SpanTable, then as Array
  Bitmap,        ///< SpanTable, u16 ranks[128] (postings before each 512 bits), u64 words[1024]; at a multiple of 8
};

struct WindowEntry {
  std::uint32_t first;      ///< rank of the window's first posting in the list
  std::uint32_t container;  ///< bytes from the list's begin
  std::uint16_t number;
  std::uint8_t max_impact;
  Container kind;
};
static_assert(sizeof(WindowEntry) == 12);

/// What a span begins with and reaches, kept where looking it up in the array would cost more.
struct SpanTable {
  std::array<std::uint16_t, kSpans> begins;  ///< ranks within the window
  std::array<std::uint8_t, kSpans> max_impacts;
};
static_assert(sizeof(SpanTable) == 48);

inline constexpr std::uint32_t kSpannedPostings = 256;   ///< from here a window has a SpanTable
inline constexpr std::uint32_t kBitmapPostings = 4'096;  ///< above, a bitmap is smaller than the array
inline constexpr std::uint32_t kRankBits = 512;          ///< a cache line of a bitmap
inline constexpr std::uint32_t kRankEntries = kWindowDocuments / kRankBits;

}  // namespace format
}  // namespace kbase::native_index
