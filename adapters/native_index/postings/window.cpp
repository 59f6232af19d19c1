// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/window.hpp"

#include <algorithm>

#include "adapters/native_index/postings/array_place.hpp"
#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

std::uint32_t lower_bound(std::span<const std::uint16_t> array, std::uint32_t document) {
  return static_cast<std::uint32_t>(std::lower_bound(array.begin(), array.end(), document) - array.begin());
}

bool is_in(const std::uint64_t* words, std::uint16_t document) {
  return (words[document / 64] >> (document % 64) & 1) != 0;
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

Span Window::span(std::uint32_t number) const {
  Span span{number, 0, count_, 0};
  if (spans_ == nullptr) {
    span.begin = lower_bound(array(), number * kSpanDocuments);
    span.end = span.begin + lower_bound(array().subspan(span.begin), (number + 1) * kSpanDocuments);
    span.max_impact = kernels().max(impacts_ + span.begin, span.end - span.begin);
    return span;
  }
  if (number + 1 < kSpans) span.end = std::min<std::uint32_t>(spans_->begins[number + 1], count_);
  span.begin = std::min<std::uint32_t>(spans_->begins[number], span.end);
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

void Window::documents_at(const Span& span, std::span<const std::uint16_t> ranks, std::uint16_t* out,
                          SpanScratch& scratch) const {
  constexpr std::size_t kFewRanks = 128;  // up to this, cheaper than listing all
  if (is_bitmap() && ranks.size() <= kFewRanks) {
    kernels().select(words_ + span.number * kSpanWords, kSpanWords, span.number * kSpanDocuments, ranks.data(),
                     ranks.size(), out);
    return;
  }
  const std::span<const std::uint16_t> all = documents(span, scratch);
  for (const std::uint16_t rank : ranks) *out++ = rank < all.size() ? all[rank] : std::uint16_t{0};
}

bool Window::contains(std::uint16_t document) const {
  return is_bitmap() ? is_in(words_, document) : std::binary_search(array_, array_ + count_, document);
}

std::uint32_t Window::rank(std::uint16_t document) const {
  return is_bitmap() ? bitmap_rank(document) : lower_bound(array(), document);
}

std::uint32_t Window::bitmap_rank(std::uint16_t document) const {
  const std::uint32_t block = document / format::kRankBits;
  const std::uint32_t within = kernels().rank(words_ + block * (format::kRankBits / 64), document % format::kRankBits);
  return std::min(ranks_[block] + within, count_);
}

/// Requires that the bitmap contains `document`.
std::uint8_t Window::bitmap_impact(std::uint16_t document) const {
  return impacts_[std::min(bitmap_rank(document), count_ - 1)];
}

void Window::impacts_of(std::span<const std::uint16_t> documents, std::uint8_t* impacts) const {
  if (is_bitmap()) {
    for (const std::uint16_t document : documents)
      *impacts++ = is_in(words_, document) ? bitmap_impact(document) : std::uint8_t{0};
    return;
  }
  ArrayPlace place(array());
  for (const std::uint16_t document : documents) {
    place.advance(document);
    const bool found = !place.at_end() && place.document() == document;
    *impacts++ = found ? impacts_[place.rank()] : std::uint8_t{0};
  }
}

void Window::add_to(std::uint64_t* set) const {
  if (is_bitmap())
    kernels().unite(set, words_);
  else
    kernels().insert(set, array_, count_);
}

void Window::keep_in(std::uint64_t* set) const {
  if (is_bitmap()) return kernels().intersect(set, words_);
  WindowSet own;
  kernels().insert(own.words.data(), array_, count_);
  kernels().intersect(set, own.words.data());
}

void Window::remove_from(std::uint64_t* set) const {
  if (is_bitmap()) return kernels().subtract(set, words_);
  for (const std::uint16_t document : array()) set[document / 64] &= ~(std::uint64_t{1} << (document % 64));
}

std::uint32_t Window::count_in(const std::uint64_t* set) const {
  return is_bitmap() ? kernels().count_common(set, words_) : kernels().count_in(set, array_, count_);
}

std::span<const std::uint16_t> Window::common(std::span<const std::uint16_t> documents, std::uint16_t* out) const {
  if (is_bitmap()) return {out, kernels().filter(words_, documents.data(), documents.size(), out)};
  if (documents.size() <= count_)
    return {out, kernels().common(documents.data(), documents.size(), array_, count_, out)};
  return {out, kernels().common(array_, count_, documents.data(), documents.size(), out)};
}

PositionReader Window::positions(std::uint32_t rank) const {
  if (positions_.bytes == nullptr) return {};
  const std::uint32_t in_list = first_ + rank;
  const bool is_short = positions_.blocks == nullptr;
  const std::size_t begin = is_short ? 0 : positions_.blocks[in_list / format::kPositionBlock];
  if (begin > positions_.size) return {};
  const std::span<const std::uint8_t> bytes(positions_.bytes + begin, positions_.size - begin);
  const std::uint32_t before = is_short ? in_list : in_list % format::kPositionBlock;
  return PositionReader(bytes.subspan(kernels().skip_marks(bytes.data(), bytes.size(), before)));
}

}  // namespace kbase::native_index
