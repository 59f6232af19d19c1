// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/posting_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>

#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {
namespace {

void append_number(std::uint32_t number, std::uint8_t last_byte, std::vector<std::uint8_t>& bytes) {
  for (; number >= 0x40; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number & 0x7F));
  bytes.push_back(static_cast<std::uint8_t>(number | last_byte));
}

using Bytes = std::vector<std::byte>;
using TopImpacts = std::array<std::uint8_t, kStoredRanks.size()>;

template <class T> void append(Bytes& bytes, std::span<const T> values) {
  const std::span<const std::byte> raw = std::as_bytes(values);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

template <class T> void append(Bytes& bytes, const T& value) { append(bytes, std::span<const T>(&value, 1)); }

void align(Bytes& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

std::size_t round_up_to_8(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

std::uint8_t find_max_impact(std::span<const std::uint8_t> impacts) {
  return kernels().max(impacts.data(), impacts.size());
}

/// Returns the rank of the first document >= `document`.
template <class Number> std::uint32_t find_rank(std::span<const Number> documents, std::uint64_t document) {
  return static_cast<std::uint32_t>(std::lower_bound(documents.begin(), documents.end(), document) - documents.begin());
}

/// Returns the numbers of documents within their windows.
std::vector<std::uint16_t> numbers_within_windows(std::span<const std::uint32_t> documents) {
  std::vector<std::uint16_t> within;
  within.reserve(documents.size());
  for (const std::uint32_t document : documents) within.push_back(static_cast<std::uint16_t>(document));
  return within;
}

/// Returns the impacts at kStoredRanks, 0 beyond the last posting. Uses a counting sort, as there are only 255 impacts.
TopImpacts find_top_impacts(std::span<const std::uint8_t> impacts) {
  if (impacts.size() < kStoredRanks.front()) return {};  // the case of most lists
  std::array<std::uint32_t, 256> counts{};
  for (const std::uint8_t impact : impacts) ++counts[impact];
  TopImpacts top_impacts{};
  std::size_t stored = 0;
  std::uint32_t seen = 0;
  for (std::size_t impact = 255; impact > 0; --impact)
    for (seen += counts[impact]; stored < top_impacts.size() && seen >= kStoredRanks[stored]; ++stored)
      top_impacts[stored] = static_cast<std::uint8_t>(impact);
  return top_impacts;
}

/// Postings of one window, as a range of ranks in the list.
struct WindowRange {
  std::uint32_t number;
  std::uint32_t begin;
  std::uint32_t end;
};

std::vector<WindowRange> split_windows(std::span<const std::uint32_t> documents) {
  std::vector<WindowRange> ranges;
  for (std::uint32_t begin = 0; begin < documents.size();) {
    const std::uint32_t number = documents[begin] / kWindowDocuments;
    const std::uint64_t next_window = (std::uint64_t{number} + 1) * kWindowDocuments;
    const std::uint32_t end = begin + find_rank(documents.subspan(begin), next_window);
    ranges.push_back({number, begin, end});
    begin = end;
  }
  return ranges;
}

void append_short(const PostingBuffer& list, Bytes& out) {
  const std::vector<WindowRange> ranges = split_windows(list.documents());
  const std::uint32_t has_positions = list.positions().empty() ? 0U : format::kHasPositions;
  append(out, static_cast<std::uint16_t>(list.documents().size() | ranges.size() << 7 | has_positions));
  for (const WindowRange& range : ranges) append(out, static_cast<std::uint16_t>(range.number));
  append(out, std::span<const std::uint16_t>(numbers_within_windows(list.documents())));
  if (ranges.size() > 1)
    for (const WindowRange& range : ranges) append(out, static_cast<std::uint8_t>(range.end));
  append(out, list.impacts());
  for (const std::uint8_t impact : find_top_impacts(list.impacts()))
    if (impact > 0) append(out, impact);
  append(out, list.positions());
}

format::Container choose_container(std::size_t documents) {
  if (documents > format::kBitmapPostings) return format::Container::Bitmap;
  return documents < format::kSpannedPostings ? format::Container::Array : format::Container::SpannedArray;
}

/// `find_end(span)` returns the rank behind the span's last posting; called with ascending spans.
template <class FindEnd> format::SpanTable make_span_table(std::span<const std::uint8_t> impacts, FindEnd find_end) {
  format::SpanTable table{};
  for (std::uint32_t span = 0, begin = 0; span < kSpans; ++span) {
    const std::uint32_t end = find_end(span);
    table.starts[span] = static_cast<std::uint16_t>(begin);
    table.max_impacts[span] = find_max_impact(impacts.subspan(begin, end - begin));
    begin = end;
  }
  return table;
}

void append_bitmap(std::span<const std::uint64_t, kWindowWords> set, std::span<const std::uint8_t> impacts,
                   Bytes& out) {
  constexpr std::size_t kBlockWords = format::kRankBits / 64;
  std::array<std::uint16_t, format::kRankEntries> ranks{};
  std::array<std::uint32_t, kSpans> ends{};
  std::uint32_t rank = 0;
  for (std::size_t word = 0; word < set.size(); ++word) {
    if (word % kBlockWords == 0) ranks[word / kBlockWords] = static_cast<std::uint16_t>(rank);
    rank += static_cast<std::uint32_t>(std::popcount(set[word]));
    ends[word / kSpanWords] = rank;
  }
  append(out, make_span_table(impacts, [&ends](std::uint32_t span) { return ends[span]; }));
  append(out, ranks);
  append(out, std::span<const std::uint64_t>(set));
}

void append_array(std::span<const std::uint16_t> documents, std::span<const std::uint8_t> impacts, Bytes& out) {
  if (choose_container(documents.size()) == format::Container::SpannedArray)
    append(out, make_span_table(impacts, [documents](std::uint32_t span) {
             return find_rank(documents, (std::uint64_t{span} + 1) * kSpanDocuments);
           }));
  append(out, documents);
}

void append_long(const PostingBuffer& list, Bytes& out, std::uint64_t positions) {
  const std::vector<std::uint16_t> documents = numbers_within_windows(list.documents());
  LongListWriter writer;
  for (const WindowRange& range : split_windows(list.documents()))
    writer.add(range.number, std::span(documents).subspan(range.begin, range.end - range.begin),
               list.impacts().subspan(range.begin, range.end - range.begin));
  const bool has_positions = !list.positions().empty();
  writer.append_to(out, has_positions ? list.position_blocks() : std::span<const std::uint32_t>(), positions);
}

/// Appends a non-empty list to the bytes of the two sections (layout: namespace format).
/// `written_positions` is the number of bytes in the positions section before `positions`. The bytes before `postings`
/// in its section must be a multiple of 8. Returns the offset of the list in `postings`.
std::size_t append_list(const PostingBuffer& list, std::vector<std::byte>& postings, std::vector<std::byte>& positions,
                        std::uint64_t written_positions) {
  assert(!list.empty());
  const bool is_short = list.documents().size() < format::kShortList;
  align(postings, is_short ? alignof(std::uint16_t) : alignof(std::uint64_t));
  const std::size_t begin = postings.size();
  if (is_short) {
    append_short(list, postings);
    return begin;
  }
  append_long(list, postings, written_positions + positions.size());
  append(positions, list.positions());
  return begin;
}

}  // namespace

void append_positions(std::span<const std::uint32_t> positions, std::vector<std::uint8_t>& bytes) {
  std::uint32_t next_min = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    assert(positions[i] >= next_min);
    append_number(positions[i] - next_min, i + 1 == positions.size() ? kPostingEnd : kNumberEnd, bytes);
    next_min = positions[i] + 1;
  }
}

void PostingBuffer::clear() {
  documents_.clear();
  impacts_.clear();
  positions_.clear();
  position_blocks_.clear();
}

void PostingBuffer::add_document(std::uint32_t document, std::uint8_t impact, [[maybe_unused]] bool has_no_positions) {
  assert(documents_.empty() || documents_.back() < document);
  assert(documents_.empty() || positions_.empty() == has_no_positions);
  assert(impact > 0);
  if (documents_.size() % format::kPositionBlock == 0)
    position_blocks_.push_back(static_cast<std::uint32_t>(positions_.size()));
  documents_.push_back(document);
  impacts_.push_back(impact);
}

void PostingBuffer::add(std::uint32_t document, std::uint8_t impact, std::span<const std::uint32_t> positions) {
  add_document(document, impact, positions.empty());
  append_positions(positions, positions_);
}

void PostingBuffer::add_encoded(std::uint32_t document, std::uint8_t impact, std::span<const std::uint8_t> positions) {
  add_document(document, impact, positions.empty());
  positions_.insert(positions_.end(), positions.begin(), positions.end());
}

std::uint64_t PostingWriter::finish_term() {
  const std::size_t begin = append_list(term_, pending_.postings, pending_.positions, flushed_positions_);
  term_.clear();
  return flushed_postings_ + begin;
}

PostingWriter::Output PostingWriter::take_output() {
  pending_.postings.resize(round_up_to_8(pending_.postings.size()));  // keeps lists aligned
  flushed_postings_ += pending_.postings.size();
  flushed_positions_ += pending_.positions.size();
  return std::exchange(pending_, {});
}

void LongListWriter::add(std::uint32_t window, std::span<const std::uint16_t> documents,
                         std::span<const std::uint8_t> impacts) {
  const format::Container kind = choose_container(documents.size());
  if (kind == format::Container::Bitmap) {
    WindowSet set;
    for (const std::uint16_t document : documents) set.insert(document);
    return add(window, set.words, impacts);
  }
  add_entry(window, kind, impacts);
  append_array(documents, impacts, containers_);
}

void LongListWriter::add(std::uint32_t window, std::span<const std::uint64_t, kWindowWords> set,
                         std::span<const std::uint8_t> impacts) {
  add_entry(window, format::Container::Bitmap, impacts);
  append_bitmap(set, impacts, containers_);
}

void LongListWriter::add_entry(std::uint32_t window, format::Container kind, std::span<const std::uint8_t> impacts) {
  align(containers_, kind == format::Container::Bitmap ? alignof(std::uint64_t) : alignof(std::uint16_t));
  entries_.push_back({static_cast<std::uint32_t>(impacts_.size()), static_cast<std::uint32_t>(containers_.size()),
                      static_cast<std::uint16_t>(window), find_max_impact(impacts), kind});
  impacts_.insert(impacts_.end(), impacts.begin(), impacts.end());
}

void LongListWriter::append_to(std::vector<std::byte>& out, std::span<const std::uint32_t> position_blocks,
                               std::uint64_t positions) const {
  const std::uint32_t has_positions = position_blocks.empty() ? 0U : format::kHasPositions;
  const std::size_t containers =
      round_up_to_8(sizeof(format::LongHead) + entries_.size() * sizeof(format::WindowEntry) +
                    position_blocks.size() * sizeof(std::uint32_t) + impacts_.size());
  append(out, format::LongHead{static_cast<std::uint16_t>(format::kLong | has_positions), 0, find_top_impacts(impacts_),
                               static_cast<std::uint32_t>(impacts_.size()), static_cast<std::uint32_t>(entries_.size()),
                               positions});
  for (format::WindowEntry entry : entries_) {
    entry.container += static_cast<std::uint32_t>(containers);
    append(out, entry);
  }
  append(out, position_blocks);
  append(out, std::span<const std::uint8_t>(impacts_));
  align(out, alignof(std::uint64_t));
  append(out, std::span<const std::byte>(containers_));
}

MemoryPostingList::MemoryPostingList(const PostingBuffer& postings) {
  if (postings.empty()) return;
  append_list(postings, postings_, positions_, 0);
  open();
}

MemoryPostingList::MemoryPostingList(const LongListWriter& list) {
  if (list.empty()) return;
  list.append_to(postings_);
  open();
}

void MemoryPostingList::open() {
  const Result<PostingList> list = PostingList::open(postings_, 0, positions_);
  assert(list.has_value());
  list_ = *list;
}

}  // namespace kbase::native_index
