// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/best_of_union.hpp"

#include <algorithm>
#include <tuple>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {

void BestOfUnion::begin(std::uint32_t windows, std::size_t best, std::span<const std::uint64_t> deleted) {
  constexpr std::size_t kMinFull = 512;
  windows_ = windows;
  words_.resize(std::max(words_.size(), std::size_t{windows} * kWindowWords));
  best_ = best;
  deleted_ = deleted;
  min_impact_ = 1;
  full_ = std::max(kMinFull, 4 * best);
  postings_.clear();
}

void BestOfUnion::add(const ShortList& list) {
  list.visit_windows(
      [this](std::uint32_t window, std::span<const std::uint16_t> documents, const std::uint8_t* impacts) {
        if (window < windows_) insert(window, documents, impacts);
      });
}

void BestOfUnion::add(const PostingList& list) {
  const auto best = static_cast<std::uint32_t>(std::min<std::size_t>(best_, kStoredRanks.back() + 1));
  if (deleted_.empty()) min_impact_ = std::max(min_impact_, list.top_impact(best));
  for (std::uint32_t i = 0; i < list.windows(); ++i)
    if (const Window window = list.window(i); window.number() < windows_) add(window);
}

void BestOfUnion::insert(std::uint32_t window, std::span<const std::uint16_t> documents, const std::uint8_t* impacts) {
  std::uint64_t* const set = words_.data() + std::size_t{window} * kWindowWords;
  const std::uint32_t base = window * kWindowDocuments;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    set[documents[i] / 64] |= std::uint64_t{1} << (documents[i] % 64);
    if (impacts[i] >= min_impact_) gather(base + documents[i], impacts[i]);
  }
}

void BestOfUnion::add(const Window& window) {
  window.unite_into(words_.data() + std::size_t{window.number()} * kWindowWords);
  if (window.max_impact() < min_impact_) return;
  const std::span<const std::uint8_t> impacts = window.impacts();
  ranks_.resize(impacts.size());
  ranks_.resize(kernels().find_at_least(impacts.data(), impacts.size(), min_impact_, ranks_.data()));
  documents_.resize(ranks_.size());
  window.documents_at(ranks_, documents_.data());
  const std::uint32_t base = window.number() * kWindowDocuments;
  for (std::size_t i = 0; i < ranks_.size(); ++i) gather(base + documents_[i], impacts[ranks_[i]]);
}

void BestOfUnion::gather(std::uint32_t document, std::uint8_t impact) {
  if (is_in(deleted_, document)) return;
  postings_.push_back({document, impact});
  if (postings_.size() >= full_) keep_best();
}

/// Drops the postings that are not among the best, and all but the best one of each document.
void BestOfUnion::keep_best() {
  std::sort(postings_.begin(), postings_.end(), [](const Posting& a, const Posting& b) {
    return std::tuple(a.document, b.impact) < std::tuple(b.document, a.impact);
  });
  const auto is_same = [](const Posting& a, const Posting& b) { return a.document == b.document; };
  postings_.erase(std::unique(postings_.begin(), postings_.end(), is_same), postings_.end());
  if (postings_.size() < best_) return;
  const auto last = postings_.begin() + static_cast<std::ptrdiff_t>(best_) - 1;
  std::nth_element(postings_.begin(), last, postings_.end(), [](const Posting& a, const Posting& b) {
    return std::tuple(b.impact, a.document) < std::tuple(a.impact, b.document);
  });
  min_impact_ = std::max(min_impact_, last->impact);
  postings_.erase(last + 1, postings_.end());
}

std::uint64_t BestOfUnion::take(PostingBuffer& list) {
  keep_best();
  std::sort(postings_.begin(), postings_.end(),
            [](const Posting& a, const Posting& b) { return a.document < b.document; });
  list.clear();
  for (const Posting& each : postings_) list.add(each.document, each.impact);
  postings_.clear();
  return count();
}

/// Returns the number of documents that are not deleted, and empties the set.
std::uint64_t BestOfUnion::count() {
  std::uint64_t documents = 0;
  for (std::uint32_t window = 0; window < windows_; ++window) {
    const std::size_t first = std::size_t{window} * kWindowWords;
    const std::span<std::uint64_t> set = std::span(words_).subspan(first, kWindowWords);
    for (std::size_t i = 0; i < set.size() && first + i < deleted_.size(); ++i) set[i] &= ~deleted_[first + i];
    documents += kernels().count(set.data());
    std::fill(set.begin(), set.end(), 0);
  }
  return documents;
}

}  // namespace kbase::native_index
