// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/list_encoder.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <span>

#include "adapters/native_index/postings/format.hpp"
#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/postings/window_set.hpp"

namespace kbase::native_index {
namespace {

using Bytes = std::vector<std::byte>;
using Best = std::array<std::uint8_t, kKeptRanks.size()>;

template <class T>
void append(Bytes& bytes, std::span<const T> values) {
  const std::span<const std::byte> raw = std::as_bytes(values);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

template <class T>
void append(Bytes& bytes, const T& value) {
  append(bytes, std::span<const T>(&value, 1));
}

void align(Bytes& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

std::uint8_t max_of(std::span<const std::uint8_t> impacts) {
  return kernels().max(impacts.data(), impacts.size());
}

/// Returns the rank of the first document >= `document`.
std::uint32_t rank_of(std::span<const std::uint32_t> documents, std::uint64_t document) {
  return static_cast<std::uint32_t>(std::lower_bound(documents.begin(), documents.end(), document) - documents.begin());
}

void append_documents(Bytes& bytes, std::span<const std::uint32_t> documents) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + documents.size() * sizeof(std::uint16_t));
  auto* out = reinterpret_cast<std::uint16_t*>(bytes.data() + begin);  // lists and arrays begin at even offsets
  for (const std::uint32_t document : documents) *out++ = static_cast<std::uint16_t>(document);
}

/// Returns the impacts at kKeptRanks, 0 beyond the last posting. Uses a counting sort, as there are only 255 impacts.
Best best_of(std::span<const std::uint8_t> impacts) {
  if (impacts.size() < kKeptRanks.front()) return {};  // the case of most lists
  std::array<std::uint32_t, 256> counts{};
  for (const std::uint8_t impact : impacts) ++counts[impact];
  Best best{};
  std::size_t kept = 0;
  std::uint32_t seen = 0;
  for (std::size_t impact = 255; impact > 0; --impact)
    for (seen += counts[impact]; kept < best.size() && seen >= kKeptRanks[kept]; ++kept)
      best[kept] = static_cast<std::uint8_t>(impact);
  return best;
}

/// Postings of one window, as a range of ranks in the list.
struct Part {
  std::uint32_t number;
  std::uint32_t begin;
  std::uint32_t end;
};

std::vector<Part> parts_of(std::span<const std::uint32_t> documents) {
  std::vector<Part> parts;
  for (std::uint32_t begin = 0; begin < documents.size();) {
    const std::uint32_t number = documents[begin] / kWindowDocuments;
    const std::uint64_t next_window = (std::uint64_t{number} + 1) * kWindowDocuments;
    const std::uint32_t end = begin + rank_of(documents.subspan(begin), next_window);
    parts.push_back({number, begin, end});
    begin = end;
  }
  return parts;
}

void append_short(const PostingBuffer& list, Bytes& out) {
  const std::vector<Part> parts = parts_of(list.documents());
  const std::uint32_t has_positions = list.positions().empty() ? 0U : format::kHasPositions;
  append(out, static_cast<std::uint16_t>(list.documents().size() | parts.size() << 7 | has_positions));
  for (const Part& part : parts) append(out, static_cast<std::uint16_t>(part.number));
  append_documents(out, list.documents());
  if (parts.size() > 1)
    for (const Part& part : parts) append(out, static_cast<std::uint8_t>(part.end));
  append(out, list.impacts());
  for (const std::uint8_t impact : best_of(list.impacts()))
    if (impact > 0) append(out, impact);
  append(out, list.positions());
}

/// Encodes one window of a long list.
class LongPart {
 public:
  LongPart(const PostingBuffer& list, const Part& part)
      : documents_(list.documents().subspan(part.begin, part.end - part.begin)),
        impacts_(list.impacts().subspan(part.begin, part.end - part.begin)) {}

  format::Container kind() const {
    if (documents_.size() > format::kBitmapPostings) return format::Container::Bitmap;
    return documents_.size() < format::kSpannedPostings ? format::Container::Array : format::Container::SpannedArray;
  }

  std::uint8_t max_impact() const { return max_of(impacts_); }

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
          begin + rank_of(documents_.subspan(begin), first + (std::uint64_t{span} + 1) * kSpanDocuments);
      table.begins[span] = static_cast<std::uint16_t>(begin);
      table.max_impacts[span] = max_of(impacts_.subspan(begin, end - begin));
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
  const std::vector<Part> parts = parts_of(list.documents());
  const std::uint32_t has_positions = list.positions().empty() ? 0U : format::kHasPositions;
  append(out, format::LongHead{static_cast<std::uint16_t>(format::kLong | has_positions), max_of(list.impacts()),
                               best_of(list.impacts()), static_cast<std::uint32_t>(list.documents().size()),
                               static_cast<std::uint32_t>(parts.size()), positions});
  const std::size_t entries = out.size();
  out.resize(entries + parts.size() * sizeof(format::WindowEntry));
  if (has_positions != 0) append(out, list.position_blocks());
  append(out, list.impacts());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LongPart part(list, parts[i]);
    align(out, part.kind() == format::Container::Bitmap ? alignof(std::uint64_t) : alignof(std::uint16_t));
    const format::WindowEntry entry{parts[i].begin, static_cast<std::uint32_t>(out.size() - begin),
                                    static_cast<std::uint16_t>(parts[i].number), part.max_impact(), part.kind()};
    std::memcpy(out.data() + entries + i * sizeof(entry), &entry, sizeof(entry));
    part.append_to(out);
  }
}

}  // namespace

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

}  // namespace kbase::native_index
