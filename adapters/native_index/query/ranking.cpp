// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/ranking.hpp"

#include <algorithm>
#include <cmath>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

/// Accumulators that are looked at together: one comparison tells whether any of them is worth a closer look.
constexpr std::size_t kGlance = 64;

/// Sums of float32 differ by their order. Bounds are lifted, and thresholds lowered, by more than that.
constexpr float kSlackPerTerm = 1.0F / (1U << 22);

bool any_above(const float* values, float limit) {
  std::uint32_t above = 0;
  for (std::size_t i = 0; i < kGlance; ++i) above |= static_cast<std::uint32_t>(values[i] > limit);
  return above != 0;
}

}  // namespace

void Ranker::rank(std::span<const ScoredList> lists, std::uint32_t windows, TopHits& top) {
  for (std::uint32_t window = 0; window < windows; ++window) {
    open_window(lists, window);
    for (std::uint32_t span = 0; span < kSpans; ++span) rank_span(span, nullptr, top);
  }
}

void Ranker::rank_matches(std::span<const ScoredList> lists, std::uint32_t window, const WindowMatches& matches,
                          TopHits& top) {
  open_window(lists, window);
  if (!matches.is_set()) {
    rank_listed(matches.documents(), top);
    return;
  }
  constexpr std::size_t kWords = kSpanDocuments / 64;
  for (std::uint32_t span = 0; span < kSpans; ++span) {
    order_parts(span);
    if (parts_.empty() || mosts_.back() <= top.threshold()) continue;
    std::size_t postings = 0;
    for (const Part& part : parts_) postings += part.span.end - part.span.begin;
    const std::uint64_t* const words = matches.set().words.data() + span * kWords;
    std::size_t matching = 0;
    for (std::size_t i = 0; i < kWords; ++i) matching += static_cast<std::size_t>(__builtin_popcountll(words[i]));
    if (matching * parts_.size() >= postings) {
      rank_span(span, &matches, top);
      continue;
    }
    Window::SpanScratch listed;
    rank_listed({listed.data(), kernels().list(words, kWords, span * kSpanDocuments, listed.data())}, top);
  }
}

std::span<const float> Ranker::scores(std::span<const ScoredList> lists, std::uint32_t window,
                                      std::span<const std::uint16_t> documents) {
  open_window(lists, window);
  sum(documents);
  return sums_;
}

void Ranker::open_window(std::span<const ScoredList> lists, std::uint32_t window) {
  lists_ = lists;
  window_ = window;
  windows_.clear();
  for (const ScoredList& each : lists) windows_.push_back(each.list.window_numbered(window));
}

/// Documents of one window, all of which match.
void Ranker::rank_listed(std::span<const std::uint16_t> documents, TopHits& top) {
  while (!documents.empty()) {
    const std::uint32_t number = documents.front() / kSpanDocuments;
    const auto end = std::lower_bound(documents.begin(), documents.end(), (number + 1) * kSpanDocuments);
    const auto here = documents.first(static_cast<std::size_t>(end - documents.begin()));
    documents = documents.subspan(here.size());
    order_parts(number);
    if (parts_.empty() || mosts_.back() <= top.threshold()) continue;
    candidates_.assign(here.begin(), here.end());
    add_candidates(top);
  }
}

void Ranker::rank_span(std::uint32_t number, const WindowMatches* matches, TopHits& top) {
  if (matches == nullptr) order_parts(number);
  if (parts_.empty() || mosts_.back() <= top.threshold()) return;
  const float threshold = top.threshold() * (1 - kSlackPerTerm * static_cast<float>(parts_.size()));
  const std::size_t first = first_essential(threshold);
  const float needed = threshold - (first == 0 ? 0 : mosts_[first - 1]);
  if (first + 1 == parts_.size())
    gather_one(parts_[first], needed);
  else
    gather_many(first, number, needed);
  if (matches != nullptr) drop_unmatched(*matches);
  add_rest(first, threshold);
  add_candidates(top);
}

/// The lists with postings in a span, and what they can add together.
void Ranker::order_parts(std::uint32_t number) {
  parts_.clear();
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    const Span span = windows_[i].span(number);
    if (span.begin != span.end)
      parts_.push_back({&lists_[i], &windows_[i], span, lists_[i].weight * static_cast<float>(span.max_impact)});
  }
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.most < b.most; });
  const float slack = 1 + kSlackPerTerm * static_cast<float>(parts_.size());
  mosts_.clear();
  float most = 0;
  for (const Part& part : parts_) {
    most += part.most;
    mosts_.push_back(most * slack);
  }
}

/// The first part that a document has to be in to get above the threshold.
std::size_t Ranker::first_essential(float threshold) const {
  return static_cast<std::size_t>(std::upper_bound(mosts_.begin(), mosts_.end(), threshold) - mosts_.begin());
}

/// Candidates: the documents to which the part adds more than `needed`.
void Ranker::gather_one(const Part& part, float needed) {
  const float least = std::floor(needed / part.list->weight);
  const auto threshold = static_cast<std::uint8_t>(std::clamp(least, 1.0F, 255.0F));
  const auto impacts = part.window->impacts().subspan(part.span.begin, part.span.end - part.span.begin);
  const auto documents = part.window->documents(part.span, scratch_);
  const std::size_t size = std::min(impacts.size(), documents.size());
  candidates_.resize(size);
  candidates_.resize(kernels().at_least(impacts.data(), size, threshold, candidates_.data()));
  sums_.clear();
  for (std::uint16_t& candidate : candidates_) {
    sums_.push_back(part.list->weight * static_cast<float>(impacts[candidate]));
    candidate = documents[candidate];
  }
}

/// Candidates: the documents to which the parts from `first` on add more than `needed`.
void Ranker::gather_many(std::size_t first, std::uint32_t number, float needed) {
  for (std::size_t i = first; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const std::uint8_t* impact = part.window->impacts().data() + part.span.begin;
    const float weight = part.list->weight;
    for (const std::uint16_t document : part.window->documents(part.span, scratch_))
      accumulators_[document % kSpanDocuments] += weight * static_cast<float>(*impact++);
  }
  candidates_.clear();
  sums_.clear();
  for (std::size_t begin = 0; begin < kSpanDocuments; begin += kGlance) {
    if (!any_above(&accumulators_[begin], needed)) continue;
    for (std::size_t i = begin; i < begin + kGlance; ++i) {
      if (accumulators_[i] <= needed) continue;
      candidates_.push_back(static_cast<std::uint16_t>(number * kSpanDocuments + i));
      sums_.push_back(accumulators_[i]);
    }
  }
  accumulators_.fill(0);
}

void Ranker::drop_unmatched(const WindowMatches& matches) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!matches.set().contains(candidates_[i])) continue;
    candidates_[kept] = candidates_[i];
    sums_[kept++] = sums_[i];
  }
  candidates_.resize(kept);
  sums_.resize(kept);
}

/// Adds the parts before `first`, the largest first, and drops the candidates that can't get above the threshold.
void Ranker::add_rest(std::size_t first, float threshold) {
  for (std::size_t i = first; i-- > 0 && !candidates_.empty();) {
    std::size_t kept = 0;
    for (std::size_t j = 0; j < candidates_.size(); ++j) {
      candidates_[kept] = candidates_[j];
      sums_[kept] = sums_[j];
      kept += sums_[j] + mosts_[i] > threshold ? 1 : 0;
    }
    candidates_.resize(kept);
    sums_.resize(kept);
    impacts_.resize(kept);
    parts_[i].window->impacts_of(candidates_, impacts_.data());
    for (std::size_t j = 0; j < kept; ++j) sums_[j] += parts_[i].list->weight * static_cast<float>(impacts_[j]);
  }
}

void Ranker::add_candidates(TopHits& top) {
  if (candidates_.empty()) return;
  sum(candidates_);
  const std::uint32_t base = window_ * kWindowDocuments;
  for (std::size_t i = 0; i < candidates_.size(); ++i) top.add(sums_[i], base + candidates_[i]);
}

void Ranker::sum(std::span<const std::uint16_t> documents) {
  sums_.assign(documents.size(), 0);
  impacts_.resize(documents.size());
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    windows_[i].impacts_of(documents, impacts_.data());
    for (std::size_t j = 0; j < documents.size(); ++j) sums_[j] += lists_[i].weight * static_cast<float>(impacts_[j]);
  }
}

}  // namespace kbase::native_index
