// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/posting_writer.hpp"

#include <algorithm>
#include <array>
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

std::uint8_t find_max_impact(std::span<const std::uint8_t> impacts) {
  return kernels().max(impacts.data(), impacts.size());
}

/// Returns the rank of the first document >= `document`.
std::uint32_t find_rank(std::span<const std::uint32_t> documents, std::uint64_t document) {
  return static_cast<std::uint32_t>(std::lower_bound(documents.begin(), documents.end(), document) - documents.begin());
}

void append_documents(Bytes& bytes, std::span<const std::uint32_t> documents) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + documents.size() * sizeof(std::uint16_t));
  auto* out = reinterpret_cast<std::uint16_t*>(bytes.data() + begin);  // lists and arrays begin at even offsets
  for (const std::uint32_t document : documents) *out++ = static_cast<std::uint16_t>(document);
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
  append_documents(out, list.documents());
  if (ranges.size() > 1)
    for (const WindowRange& range : ranges) append(out, static_cast<std::uint8_t>(range.end));
  append(out, list.impacts());
  for (const std::uint8_t impact : find_top_impacts(list.impacts()))
    if (impact > 0) append(out, impact);
  append(out, list.positions());
}

/// Encodes one window of a long list.
class WindowEncoder {
 public:
  WindowEncoder(const PostingBuffer& list, const WindowRange& range)
      : documents_(list.documents().subspan(range.begin, range.end - range.begin)),
        impacts_(list.impacts().subspan(range.begin, range.end - range.begin)) {}

  format::Container kind() const {
    if (documents_.size() > format::kBitmapPostings) return format::Container::Bitmap;
    return documents_.size() < format::kSpannedPostings ? format::Container::Array : format::Container::SpannedArray;
  }

  std::uint8_t max_impact() const { return find_max_impact(impacts_); }

  void append_to(Bytes& out) const {
    if (kind() != format::Container::Array) append(out, span_table());
    if (kind() == format::Container::Bitmap) return append_bitmap(out);
    append_documents(out, documents_);
  }

 private:
  format::SpanTable span_table() const {
    format::SpanTable table{};
    const std::uint64_t first = documents_.front() / kWindowDocuments * std::uint64_t{kWindowDocuments};
    for (std::uint32_t span = 0, begin = 0; span < kSpans; ++span) {
      const std::uint32_t end =
          begin + find_rank(documents_.subspan(begin), first + (std::uint64_t{span} + 1) * kSpanDocuments);
      table.starts[span] = static_cast<std::uint16_t>(begin);
      table.max_impacts[span] = find_max_impact(impacts_.subspan(begin, end - begin));
      begin = end;
    }
    return table;
  }

  void append_bitmap(Bytes& out) const {
    WindowSet set;
    std::array<std::uint16_t, format::kRankEntries> ranks{};
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < documents_.size(); ++rank) {
      const auto document = static_cast<std::uint16_t>(documents_[rank]);
      set.insert(document);
      for (; next <= document / format::kRankBits; ++next) ranks[next] = static_cast<std::uint16_t>(rank);
    }
    std::fill(ranks.begin() + static_cast<std::ptrdiff_t>(next), ranks.end(),
              static_cast<std::uint16_t>(documents_.size()));
    append(out, ranks);
    append(out, set.words);
  }

  std::span<const std::uint32_t> documents_;
  std::span<const std::uint8_t> impacts_;
};

void append_long(const PostingBuffer& list, Bytes& out, std::uint64_t positions) {
  const std::size_t begin = out.size();
  const std::vector<WindowRange> ranges = split_windows(list.documents());
  const std::uint32_t has_positions = list.positions().empty() ? 0U : format::kHasPositions;
  append(out,
         format::LongHead{static_cast<std::uint16_t>(format::kLong | has_positions), find_max_impact(list.impacts()),
                          find_top_impacts(list.impacts()), static_cast<std::uint32_t>(list.documents().size()),
                          static_cast<std::uint32_t>(ranges.size()), positions});
  const std::size_t entries = out.size();
  out.resize(entries + ranges.size() * sizeof(format::WindowEntry));
  if (has_positions != 0) append(out, list.position_blocks());
  append(out, list.impacts());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const WindowEncoder encoder(list, ranges[i]);
    align(out, encoder.kind() == format::Container::Bitmap ? alignof(std::uint64_t) : alignof(std::uint16_t));
    const format::WindowEntry entry{ranges[i].begin, static_cast<std::uint32_t>(out.size() - begin),
                                    static_cast<std::uint16_t>(ranges[i].number), encoder.max_impact(), encoder.kind()};
    std::memcpy(out.data() + entries + i * sizeof(entry), &entry, sizeof(entry));
    encoder.append_to(out);
  }
}

/// Appends a non-empty list to the bytes of the two sections (layout: namespace format in window.hpp).
/// `written_positions` is the number of bytes in the positions section before `positions`. The bytes before `postings`
/// in its section must be a multiple of
/// 8. Returns the offset of the list in `postings`.
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
  pending_.postings.resize((pending_.postings.size() + 7) / 8 * 8);  // keeps lists aligned
  flushed_postings_ += pending_.postings.size();
  flushed_positions_ += pending_.positions.size();
  return std::exchange(pending_, {});
}

MemoryPostingList::MemoryPostingList(const PostingBuffer& postings) {
  if (postings.empty()) return;
  append_list(postings, postings_, positions_, 0);
  const Result<PostingList> list = PostingList::open(postings_, 0, positions_);
  assert(list.has_value());
  list_ = *list;
}

}  // namespace kbase::native_index
