// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/posting_list.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

std::uint32_t lower_bound(std::span<const std::uint16_t> array, std::uint32_t document) {
  return static_cast<std::uint32_t>(std::lower_bound(array.begin(), array.end(), document) - array.begin());
}

}  // namespace

std::array<Span, kSpans> Window::spans() const {
  std::array<Span, kSpans> spans;
  std::uint32_t rank = 0;
  for (std::uint32_t number = 0; number < kSpans; ++number) {
    if (spans_ != nullptr) {
      spans[number] = span(number);
      continue;
    }
    Span& here = spans[number] = {number, rank, rank, 0};
    for (; rank < count_ && array_[rank] / kSpanDocuments <= number; ++rank)
      here.max_impact = std::max(here.max_impact, impacts_[rank]);
    here.end = rank;
  }
  return spans;
}

std::uint8_t Window::max_impact() const { return max_impact_ > 0 ? max_impact_ : kernels().max(impacts_, count_); }

Span Window::span(std::uint32_t number) const {
  Span span{number, 0, count_, 0};
  if (spans_ == nullptr) {
    span.begin = lower_bound(array(), number * kSpanDocuments);
    span.end = span.begin + lower_bound(array().subspan(span.begin), (number + 1) * kSpanDocuments);
    span.max_impact = kernels().max(impacts_ + span.begin, span.end - span.begin);
    return span;
  }
  if (number + 1 < kSpans) span.end = std::min<std::uint32_t>(spans_->starts[number + 1], count_);
  span.begin = std::min<std::uint32_t>(spans_->starts[number], span.end);
  span.max_impact = spans_->max_impacts[number];
  return span;
}

std::span<const std::uint16_t> Window::documents(const Span& span, SpanScratch& scratch) const {
  const std::uint32_t postings = span.end - span.begin;
  if (!is_bitmap()) return {array_ + span.begin, postings};
  const std::size_t listed =
      kernels().list(words_ + span.number * kSpanWords, kSpanWords, span.number * kSpanDocuments, scratch.data());
  return {scratch.data(), std::min<std::size_t>(listed, postings)};
}

void Window::documents_at(std::span<const std::uint16_t> ranks, std::uint16_t* out) const {
  if (!is_bitmap()) {
    for (const std::uint16_t rank : ranks) *out++ = array_[rank];
    return;
  }
  constexpr std::uint32_t kBlockWords = format::kRankBits / 64;
  const std::span<const std::uint16_t> starts(ranks_, format::kRankEntries);  // of the blocks
  std::uint32_t block = 0;
  while (!ranks.empty()) {
    const auto behind = std::upper_bound(starts.begin() + block + 1, starts.end(), ranks.front());
    block = static_cast<std::uint32_t>(behind - starts.begin()) - 1;
    std::size_t here = 0;  // ranks in the block
    const std::uint32_t end = behind == starts.end() ? kWindowDocuments : *behind;
    std::uint16_t* const within = out;
    do within[here] = static_cast<std::uint16_t>(ranks[here] - std::min(ranks[here], starts[block]));
    while (++here < ranks.size() && ranks[here] < end);
    kernels().select(words_ + block * kBlockWords, kBlockWords, block * format::kRankBits, within, here, out);
    ranks = ranks.subspan(here);
    out += here;
  }
}

bool Window::contains(std::uint16_t document) const {
  return is_bitmap() ? is_in({words_, kWindowWords}, document) : std::binary_search(array_, array_ + count_, document);
}

std::uint32_t Window::rank(std::uint16_t document) const {
  return is_bitmap() ? bitmap_rank(document) : lower_bound(array(), document);
}

std::uint32_t Window::bitmap_rank(std::uint16_t document) const {
  const std::uint32_t block = document / format::kRankBits;
  const std::uint32_t within = kernels().rank(words_ + block * (format::kRankBits / 64), document % format::kRankBits);
  return std::min(ranks_[block] + within, count_);
}

void Window::impacts_of(std::span<const std::uint16_t> documents, std::uint8_t* impacts) const {
  impacts_of({0, 0, count_, 0}, documents, impacts);
}

void Window::impacts_of(const Span& span, std::span<const std::uint16_t> documents, std::uint8_t* impacts) const {
  if (is_bitmap())
    kernels().look_up_in_set(documents.data(), documents.size(), words_, ranks_, count_, impacts_, impacts);
  else
    kernels().look_up(documents.data(), documents.size(), array_ + span.begin, span.end - span.begin,
                      impacts_ + span.begin, impacts);
}

void Window::unite_into(std::uint64_t* set) const {
  if (is_bitmap())
    kernels().unite(set, words_);
  else
    kernels().insert(set, array_, count_);
}

void Window::intersect_into(std::uint64_t* set) const {
  if (is_bitmap()) return kernels().intersect(set, words_);
  WindowSet array_set;
  kernels().insert(array_set.words.data(), array_, count_);
  kernels().intersect(set, array_set.words.data());
}

void Window::subtract_from(std::uint64_t* set) const {
  if (is_bitmap()) return kernels().subtract(set, words_);
  for (const std::uint16_t document : array()) set[document / 64] &= ~(std::uint64_t{1} << (document % 64));
}

std::uint32_t Window::count_in(const std::uint64_t* set) const {
  return is_bitmap() ? kernels().count_common(set, words_) : kernels().count_in(set, array_, count_);
}

std::span<const std::uint16_t> Window::intersect(std::span<const std::uint16_t> documents, std::uint16_t* out) const {
  if (is_bitmap()) return {out, kernels().filter(words_, documents.data(), documents.size(), out)};
  if (documents.size() <= count_)
    return {out, kernels().intersect_arrays(documents.data(), documents.size(), array_, count_, out)};
  return {out, kernels().intersect_arrays(array_, count_, documents.data(), documents.size(), out)};
}

PositionReader Window::positions(std::uint32_t rank) const {
  PositionMark none;
  return positions(rank, none);
}

/// Begins at `last` if that is a posting before this one in the same block, else at the start of the block. Sets `last`
/// to this posting.
PositionReader Window::positions(std::uint32_t rank, PositionMark& last) const {
  if (positions_.bytes == nullptr) return {};
  const std::uint32_t in_list = first_ + rank;
  const bool is_short = positions_.blocks == nullptr;
  const std::uint32_t block = is_short ? 0 : in_list / format::kPositionBlock;
  std::uint32_t before = block * format::kPositionBlock;
  std::size_t begin = is_short ? 0 : positions_.blocks[block];
  if (last.rank <= in_list && last.rank >= before) {
    before = last.rank;
    begin = last.begin;
  }
  if (begin > positions_.size) return {};
  const std::uint8_t* const bytes = positions_.bytes + begin;
  begin += kernels().skip_postings(bytes, positions_.size - begin, in_list - before);
  last = {in_list, begin};
  return PositionReader({positions_.bytes + begin, positions_.size - begin});
}

WindowCursor::WindowCursor(const Window& window) : window_(window), cursor_(window.array()) {
  document_ = window.count() == 0 ? kEnd : 0;
  next_at_or_after(0);
}

std::uint32_t WindowCursor::next_at_or_after(std::uint32_t document) {
  if (document_ == kEnd) return kEnd;
  if (window_.is_bitmap()) return document_ = next_in_bitmap(std::max(document, document_));
  cursor_.advance(document);
  return document_ = cursor_.at_end() ? kEnd : cursor_.document();
}

std::uint32_t WindowCursor::next_in_bitmap(std::uint32_t document) const {
  if (document >= kEnd) return kEnd;
  std::uint32_t word = document / 64;
  std::uint64_t bits = window_.words_[word] >> (document % 64) << (document % 64);
  while (bits == 0) {
    if (++word == kWindowWords) return kEnd;
    bits = window_.words_[word];
  }
  return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
}

std::uint32_t WindowCursor::rank() const {
  if (!window_.is_bitmap()) return cursor_.rank();
  return std::min(window_.bitmap_rank(static_cast<std::uint16_t>(document_)), window_.count_ - 1);
}

namespace {

const std::uint8_t* bytes_at(std::span<const std::byte> bytes, std::size_t offset) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data() + offset);
}

/// The caller must check that the object lies within `bytes` and that `offset` is aligned.
template <class T> const T* at(std::span<const std::byte> bytes, std::size_t offset) {
  return reinterpret_cast<const T*>(bytes.data() + offset);
}

std::uint32_t count_stored_ranks(std::uint32_t documents) {
  return static_cast<std::uint32_t>(std::upper_bound(kStoredRanks.begin(), kStoredRanks.end(), documents) -
                                    kStoredRanks.begin());
}

}  // namespace

Result<PostingList> PostingList::open(std::span<const std::byte> postings, std::uint64_t offset,
                                      std::span<const std::byte> positions) {
  PostingList list;
  bool fits = offset % 2 == 0 && offset + sizeof(std::uint16_t) <= postings.size() && offset < postings.size() &&
              reinterpret_cast<std::uintptr_t>(postings.data()) % 8 == 0;
  if (fits) {
    list.list_ = postings.subspan(offset);
    const bool is_long = (*at<std::uint16_t>(list.list_, 0) & format::kLong) != 0;
    fits = is_long ? offset % 8 == 0 && list.open_long(positions) : list.open_short();
  }
  if (!fits) return corrupt_error("postings: the list at " + std::to_string(offset) + " does not fit into its section");
  return list;
}

std::optional<ShortList> ShortList::open(std::span<const std::byte> list) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(list.data()) % alignof(std::uint16_t) == 0;
  if (list.size() < sizeof(std::uint16_t) || !is_aligned) return std::nullopt;
  const std::uint16_t shape = *at<std::uint16_t>(list, 0);
  ShortList opened;
  opened.documents = shape & 0x7F;
  opened.windows = shape >> 7 & 0x7F;
  opened.has_positions = (shape & format::kHasPositions) != 0;
  if ((shape & format::kLong) != 0 || opened.windows == 0 || opened.windows > opened.documents) return std::nullopt;
  const std::size_t ends = sizeof(shape) + 2 * (opened.windows + opened.documents);
  const std::size_t impacts = ends + (opened.windows > 1 ? opened.windows : 0);
  opened.top_impacts = impacts + opened.documents;
  opened.end = opened.top_impacts + count_stored_ranks(opened.documents);
  if (opened.end > list.size()) return std::nullopt;
  opened.numbers = at<std::uint16_t>(list, sizeof(shape));
  opened.documents_within = opened.numbers + opened.windows;
  opened.ends = opened.windows > 1 ? bytes_at(list, ends) : nullptr;
  opened.impacts = bytes_at(list, impacts);
  return opened;
}

bool PostingList::open_short() {
  const auto parts = ShortList::open(list_);
  if (!parts) return false;
  documents_ = parts->documents;
  windows_ = parts->windows;
  numbers_ = parts->numbers;
  documents_within_ = parts->documents_within;
  ends_ = parts->ends;
  impacts_ = parts->impacts;
  top_impacts_ = {bytes_at(list_, parts->top_impacts), parts->end - parts->top_impacts};
  if (parts->has_positions) positions_ = {bytes_at(list_, parts->end), list_.size() - parts->end, nullptr};
  return true;
}

bool PostingList::open_long(std::span<const std::byte> positions) {
  if (list_.size() < sizeof(format::LongHead)) return false;
  const auto& head = *at<format::LongHead>(list_, 0);
  const bool has_positions = (head.shape & format::kHasPositions) != 0;
  documents_ = head.documents;
  windows_ = head.windows;
  if (windows_ == 0 || windows_ > documents_ || windows_ > kMaxWindows) return false;
  const std::size_t blocks = sizeof(head) + windows_ * sizeof(format::WindowEntry);
  const std::size_t block_count =
      has_positions ? (std::size_t{documents_} + format::kPositionBlock - 1) / format::kPositionBlock : 0;
  const std::size_t impacts = blocks + block_count * sizeof(std::uint32_t);
  if (impacts > list_.size() || documents_ > list_.size() - impacts) return false;
  if (has_positions && (head.positions >= positions.size())) return false;
  entries_ = at<format::WindowEntry>(list_, sizeof(head));
  impacts_ = bytes_at(list_, impacts);
  top_impacts_ = {head.top_impacts.data(), head.top_impacts.size()};
  if (has_positions)
    positions_ = {bytes_at(positions, head.positions), positions.size() - head.positions,
                  at<std::uint32_t>(list_, blocks)};
  return true;
}

std::uint8_t PostingList::top_impact(std::uint32_t k) const {
  const auto rank =
      static_cast<std::size_t>(std::lower_bound(kStoredRanks.begin(), kStoredRanks.end(), k) - kStoredRanks.begin());
  return rank < top_impacts_.size() ? top_impacts_[rank] : std::uint8_t{0};
}

std::uint32_t PostingList::window_number(std::uint32_t index) const {
  return entries_ == nullptr ? numbers_[index] : entries_[index].number;
}

std::uint32_t PostingList::first_window_from(std::uint32_t number) const {
  std::uint32_t begin = 0;
  for (std::uint32_t size = windows_; size > 0;) {
    const std::uint32_t half = size / 2;
    const bool below = window_number(begin + half) < number;
    begin = below ? begin + half + 1 : begin;
    size = below ? size - half - 1 : half;
  }
  return begin;
}

Window PostingList::window_numbered(std::uint32_t number) const {
  const std::uint32_t index = first_window_from(number);
  return index < windows_ && window_number(index) == number ? window(index) : Window();
}

Window PostingList::window(std::uint32_t index) const {
  Window window;
  const bool is_valid = entries_ == nullptr ? read_short(index, window) : read_long(index, window);
  if (!is_valid) return {};
  window.number_ = window_number(index);
  window.impacts_ = impacts_ + window.first_;
  window.positions_ = positions_;
  return window;
}

bool PostingList::read_short(std::uint32_t index, Window& window) const {
  const std::uint32_t begin = index == 0 ? 0 : ends_[index - 1];
  const std::uint32_t end = ends_ == nullptr ? documents_ : ends_[index];
  if (begin >= end || end > documents_) return false;
  window.first_ = begin;
  window.count_ = end - begin;
  window.array_ = documents_within_ + begin;
  return true;
}

bool PostingList::read_long(std::uint32_t index, Window& window) const {
  const format::WindowEntry& entry = entries_[index];
  const std::uint32_t end = index + 1 < windows_ ? entries_[index + 1].first : documents_;
  if (entry.first >= end || end > documents_ || end - entry.first > kWindowDocuments) return false;
  window.first_ = entry.first;
  window.count_ = end - entry.first;
  window.max_impact_ = entry.max_impact;
  return locate_container(entry, window);
}

bool PostingList::locate_container(const format::WindowEntry& entry, Window& window) const {
  const bool is_bitmap = entry.kind == format::Container::Bitmap;
  const std::size_t spans = entry.kind == format::Container::Array ? 0 : sizeof(format::SpanTable);
  const std::size_t ranks = is_bitmap ? format::kRankEntries * sizeof(std::uint16_t) : 0;
  const std::size_t documents = is_bitmap ? sizeof(WindowSet) : window.count_ * sizeof(std::uint16_t);
  const std::size_t begin = entry.container;
  if (entry.kind > format::Container::Bitmap || begin % (is_bitmap ? 8 : 2) != 0) return false;
  if (begin > list_.size() || spans + ranks + documents > list_.size() - begin) return false;
  if (spans > 0) window.spans_ = at<format::SpanTable>(list_, begin);
  if (is_bitmap) {
    window.ranks_ = at<std::uint16_t>(list_, begin + spans);
    window.words_ = at<std::uint64_t>(list_, begin + spans + ranks);
  } else {
    window.array_ = at<std::uint16_t>(list_, begin + spans);
  }
  return true;
}

std::uint32_t PostingList::count_in(std::span<const std::uint64_t> set) const {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < windows_; ++i) {
    const Window part = window(i);
    const std::size_t begin = std::size_t{part.number()} * kWindowWords;
    if (begin + kWindowWords <= set.size()) count += part.count_in(set.data() + begin);
  }
  return count;
}

}  // namespace kbase::native_index
