// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/posting_list.hpp"

#include <algorithm>
#include <string>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
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

bool PostingList::open_short() {
  const std::uint16_t shape = *at<std::uint16_t>(list_, 0);
  documents_ = shape & 0x7F;
  windows_ = shape >> 7 & 0x7F;
  if (windows_ == 0 || windows_ > documents_) return false;
  const std::size_t ends = sizeof(shape) + 2 * (windows_ + documents_);
  const std::size_t impacts = ends + (windows_ > 1 ? windows_ : 0);
  const std::size_t top_impacts = impacts + documents_;
  const std::size_t end = top_impacts + count_stored_ranks(documents_);
  if (end > list_.size()) return false;
  numbers_ = at<std::uint16_t>(list_, sizeof(shape));
  documents_within_ = numbers_ + windows_;
  ends_ = windows_ > 1 ? bytes_at(list_, ends) : nullptr;
  impacts_ = bytes_at(list_, impacts);
  top_impacts_ = {bytes_at(list_, top_impacts), end - top_impacts};
  max_impact_ = kernels().max(impacts_, documents_);
  if ((shape & format::kHasPositions) != 0) positions_ = {bytes_at(list_, end), list_.size() - end, nullptr};
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
  max_impact_ = head.max_impact;
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
  if (entries_ == nullptr) window.max_impact_ = kernels().max(window.impacts_, window.count_);
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
