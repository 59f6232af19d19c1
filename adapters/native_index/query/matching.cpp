// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/matching.hpp"

#include <algorithm>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

/// Returns an upper bound for the number of a disjunction's documents in a window.
std::uint32_t max_documents(const Disjunction& lists, std::uint32_t window) {
  std::uint32_t size = 0;
  for (const PostingList& list : lists) size += list.window_numbered(window).count();
  return size;
}

}  // namespace

std::uint64_t Matcher::count(const Matching& matching, std::uint32_t windows) {
  std::uint64_t total = 0;
  for (std::uint32_t window = 0; window < windows; ++window) total += match(matching, window).count();
  return total;
}

const WindowMatches& Matcher::match(const Matching& matching, std::uint32_t window) {
  order_.clear();
  for (const Disjunction& each : matching.required) order_.push_back(&each);
  if (!matching.any.empty()) order_.push_back(&matching.any);
  matches_.is_set_ = false;
  matches_.count_ = 0;
  std::sort(order_.begin(), order_.end(), [&](const Disjunction* a, const Disjunction* b) {
    return max_documents(*a, window) < max_documents(*b, window);
  });
  if (order_.empty())
    start_with_all(matching.documents, window);
  else
    start_with(*order_[0], window);
  for (std::size_t i = 1; i < order_.size(); ++i) intersect(*order_[i], window);
  exclude(matching.excluded, window);
  exclude_deleted(matching.deleted, window);
  exclude_outside(matching, window);
  update_count();
  return matches_;
}

void Matcher::start_with(const Disjunction& first, std::uint32_t window) {
  const Window only = first.size() == 1 ? first[0].window_numbered(window) : Window();
  matches_.is_set_ = first.size() != 1 || only.is_bitmap();
  if (matches_.is_set_) {
    unite(first, window, matches_.set_);
    return;
  }
  matches_.documents_.assign(only.array().begin(), only.array().end());
  matches_.count_ = only.count();
}

void Matcher::start_with_all(std::uint32_t documents, std::uint32_t window) {
  const std::uint64_t before = std::uint64_t{window} * kWindowDocuments;
  const std::uint64_t here = documents <= before ? 0 : std::min<std::uint64_t>(documents - before, kWindowDocuments);
  matches_.is_set_ = true;
  matches_.set_.clear();
  auto& words = matches_.set_.words;
  std::fill_n(words.begin(), here / 64, ~std::uint64_t{0});
  if (here % 64 != 0) words[here / 64] = (std::uint64_t{1} << (here % 64)) - 1;
}

void Matcher::intersect(const Disjunction& other, std::uint32_t window) {
  if (!matches_.is_set_) {
    if (matches_.count_ == 0) return;
    if (other.size() == 1) {
      const Window with = other[0].window_numbered(window);
      scratch_.resize(matches_.count_);
      matches_.count_ = static_cast<std::uint32_t>(with.intersect(matches_.documents(), scratch_.data()).size());
      matches_.documents_.swap(scratch_);
      return;
    }
    unite(other, window, other_);
    std::uint16_t* const documents = matches_.documents_.data();
    matches_.count_ =
        static_cast<std::uint32_t>(kernels().filter(other_.words.data(), documents, matches_.count_, documents));
    return;
  }
  if (other.size() == 1) {
    other[0].window_numbered(window).intersect_into(matches_.set_.words.data());
    return;
  }
  unite(other, window, other_);
  kernels().intersect(matches_.set_.words.data(), other_.words.data());
}

void Matcher::exclude(const Disjunction& other, std::uint32_t window) {
  for (const PostingList& list : other) {
    const Window without = list.window_numbered(window);
    if (without.count() == 0) continue;
    if (matches_.is_set_) {
      without.subtract_from(matches_.set_.words.data());
      continue;
    }
    std::uint16_t* const begin = matches_.documents_.data();
    std::uint16_t* const end = begin + matches_.count_;
    matches_.count_ = static_cast<std::uint32_t>(
        std::remove_if(begin, end, [&](std::uint16_t document) { return without.contains(document); }) - begin);
  }
}

void Matcher::exclude_deleted(std::span<const std::uint64_t> deleted, std::uint32_t window) {
  const std::size_t first = std::size_t{window} * kWindowWords;
  if (deleted.size() <= first) return;
  const auto words = deleted.subspan(first, std::min<std::size_t>(kWindowWords, deleted.size() - first));
  if (matches_.is_set_) {
    for (std::size_t i = 0; i < words.size(); ++i) matches_.set_.words[i] &= ~words[i];
    return;
  }
  std::uint16_t* const begin = matches_.documents_.data();
  std::uint16_t* const end = begin + matches_.count_;
  const auto is_deleted = [&](std::uint16_t document) {
    return document / 64U < words.size() && (words[document / 64] >> (document % 64) & 1) != 0;
  };
  matches_.count_ = static_cast<std::uint32_t>(std::remove_if(begin, end, is_deleted) - begin);
}

void Matcher::exclude_outside(const Matching& matching, std::uint32_t window) {
  const std::uint64_t before = std::uint64_t{window} * kWindowDocuments;
  const auto in_window = [before](std::uint32_t document) {
    return document <= before ? 0 : std::min<std::uint64_t>(document - before, kWindowDocuments);
  };
  const std::uint64_t begin = in_window(matching.begin);
  const std::uint64_t end = in_window(matching.end);
  if (begin == 0 && end == kWindowDocuments) return;
  if (!matches_.is_set_) {
    std::uint16_t* const documents = matches_.documents_.data();
    const auto is_outside = [&](std::uint16_t document) { return document < begin || document >= end; };
    matches_.count_ =
        static_cast<std::uint32_t>(std::remove_if(documents, documents + matches_.count_, is_outside) - documents);
    return;
  }
  // Returns the mask of the bits of word `word` that precede bit `document` of the window.
  const auto bits_before = [](std::uint64_t document, std::size_t word) -> std::uint64_t {
    if (document <= word * 64) return 0;
    return document - word * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (document - word * 64)) - 1;
  };
  auto& words = matches_.set_.words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] &= bits_before(end, i) & ~bits_before(begin, i);
}

void Matcher::unite(const Disjunction& lists, std::uint32_t window, WindowSet& set) {
  set.clear();
  for (const PostingList& list : lists) list.window_numbered(window).unite_into(set.words.data());
}

void Matcher::update_count() {
  if (matches_.is_set_) matches_.count_ = kernels().count(matches_.set_.words.data());
}

}  // namespace kbase::native_index
