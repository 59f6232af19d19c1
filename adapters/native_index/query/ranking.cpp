// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/ranking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

/// Number of accumulators that are tested together: one per bit of a set's word, and one group per word of a span.
constexpr std::uint32_t kAccumulatorGroup = 64;

constexpr std::uint32_t kAllImpacts = 256;

/// Cost of looking up a document, in sequentially read postings.
constexpr std::size_t kLookUpCost = 4;

/// Up to this many documents of a window, scoring all of them is cheaper than pruning by span.
constexpr std::size_t kFewDocuments = 128;

/// Relative error per term of a float32 sum, which depends on the order of summation. Upper bounds are raised and
/// thresholds lowered by more than this error.
constexpr float kSlackPerTerm = 1.0F / (1U << 22);

}  // namespace

void Ranker::rank(std::span<const ScoredList> lists, std::uint32_t windows, TopHits& top) {
  for (std::uint32_t window = 0; window < windows; ++window) {
    open_window(lists, window);
    if (gather_few()) {
      add_candidates(top);
      continue;
    }
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
  for (std::uint32_t span = 0; span < kSpans; ++span) rank_span(span, &matches, top);
}

std::span<const float> Ranker::scores(std::span<const ScoredList> lists, std::uint32_t window,
                                      std::span<const std::uint16_t> documents) {
  open_window(lists, window);
  sum_scores(documents);
  return sums_;
}

void Ranker::open_window(std::span<const ScoredList> lists, std::uint32_t window) {
  lists_ = lists;
  window_ = window;
  windows_.clear();
  for (const ScoredList& each : lists) windows_.push_back(each.list.window_numbered(window));
}

/// Sets the candidates to all documents of the window with any of the terms. Returns false if there may be more than
/// kFewDocuments.
bool Ranker::gather_few() {
  std::size_t postings = 0;
  for (const Window& each : windows_) postings += each.count();
  if (postings > kFewDocuments) return false;
  candidates_.clear();
  for (const Window& each : windows_) {
    const std::span<const std::uint16_t> documents = each.array();
    merged_.clear();
    std::set_union(candidates_.begin(), candidates_.end(), documents.begin(), documents.end(),
                   std::back_inserter(merged_));
    candidates_.swap(merged_);
  }
  return true;
}

/// Ranks documents of one window, all of which match.
void Ranker::rank_listed(std::span<const std::uint16_t> documents, TopHits& top) {
  if (documents.size() <= kFewDocuments) {
    candidates_.assign(documents.begin(), documents.end());
    add_candidates(top);
    return;
  }
  while (!documents.empty()) {
    const std::uint32_t number = documents.front() / kSpanDocuments;
    const auto end = std::lower_bound(documents.begin(), documents.end(), (number + 1) * kSpanDocuments);
    const auto here = documents.first(static_cast<std::size_t>(end - documents.begin()));
    documents = documents.subspan(here.size());
    if (!order_scorers(number, top)) continue;
    candidates_.assign(here.begin(), here.end());
    rank_candidates(top);
  }
}

/// Drops the candidates, with their sums, for which `is_wanted` returns false.
template <class IsWanted> void Ranker::keep_candidates(IsWanted is_wanted) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const std::uint16_t candidate = candidates_[i];
    const float sum = sums_[i];
    candidates_[count] = candidate;
    sums_[count] = sum;
    count += is_wanted(candidate, sum) ? 1 : 0;
  }
  candidates_.resize(count);
  sums_.resize(count);
}

/// Ranks the documents of a span that are in `matches`, or, if it is null, all that have any of the terms.
void Ranker::rank_span(std::uint32_t number, const WindowMatches* matches, TopHits& top) {
  if (!order_scorers(number, top)) return;
  const float threshold = lower_threshold(top);
  const std::size_t first = first_essential(threshold);
  const float needed = threshold - (first == 0 ? 0 : max_scores_[first - 1]);
  const std::uint64_t* const words = matches == nullptr ? nullptr : &matches->set().words[number * kSpanWords];
  if (matches != nullptr && should_list_matches(matches->count() / kSpans, first, needed)) {
    candidates_.resize(kSpanDocuments);
    candidates_.resize(kernels().list(words, kSpanWords, number * kSpanDocuments, candidates_.data()));
    rank_candidates(top);
    return;
  }
  std::uint8_t min_impact = 1;
  if (first + 1 == scorers_.size()) {
    gather_best(scorers_[first], find_min_impact(scorers_[first], needed));
    if (words != nullptr)
      keep_candidates([words](std::uint16_t candidate, float) {
        return (words[candidate % kSpanDocuments / 64] >> (candidate % 64) & 1) != 0;
      });
  } else {
    min_impact = gather_accumulated(first, number, words, needed);
  }
  if (min_impact > 1) add_scorer(first, min_impact, threshold);
  add_earlier_scorers(first, threshold);
  add_candidates(top);
}

/// Whether looking up `matching` matches is cheaper than scanning the postings that could yield better candidates.
bool Ranker::should_list_matches(std::size_t matching, std::size_t first, float needed) const {
  const bool takes_best = needed > scorers_[first].list->weight;
  return matching * kLookUpCost < postings_from(takes_best ? first + 1 : first);
}

/// Returns the number of postings in the scorers from `first` on.
std::size_t Ranker::postings_from(std::size_t first) const {
  std::size_t postings = 0;
  for (std::size_t i = first; i < scorers_.size(); ++i) postings += scorers_[i].postings();
  return postings;
}

float Ranker::lower_threshold(const TopHits& top) const {
  return top.threshold() * (1 - kSlackPerTerm * static_cast<float>(scorers_.size()));
}

/// Ranks candidates for which no scorer has been added yet.
void Ranker::rank_candidates(TopHits& top) {
  sums_.assign(candidates_.size(), 0);
  add_earlier_scorers(scorers_.size(), lower_threshold(top));
  add_candidates(top);
}

/// Collects the lists with postings in a span, sorted by their maximum contribution, and the prefix sums of these
/// maxima. Returns false if no document of the span can exceed the threshold.
bool Ranker::order_scorers(std::uint32_t number, const TopHits& top) {
  scorers_.clear();
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    const Span span = windows_[i].span(number);
    if (span.begin != span.end)
      scorers_.push_back({&lists_[i], &windows_[i], span, lists_[i].weight * static_cast<float>(span.max_impact)});
  }
  std::sort(scorers_.begin(), scorers_.end(),
            [](const Scorer& a, const Scorer& b) { return a.max_score < b.max_score; });
  const float slack = 1 + kSlackPerTerm * static_cast<float>(scorers_.size());
  max_scores_.clear();
  float max_score = 0;
  for (const Scorer& scorer : scorers_) {
    max_score += scorer.max_score;
    max_scores_.push_back(max_score * slack);
  }
  return !scorers_.empty() && max_scores_.back() > top.threshold();
}

/// Returns the first essential scorer: a document that is only in earlier scorers cannot exceed the threshold.
std::size_t Ranker::first_essential(float threshold) const {
  return static_cast<std::size_t>(std::upper_bound(max_scores_.begin(), max_scores_.end(), threshold) -
                                  max_scores_.begin());
}

/// Returns the lowest impact with which the scorer can add more than `needed`, or a slightly lower one.
std::uint8_t Ranker::find_min_impact(const Scorer& scorer, float needed) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(needed / scorer.list->weight), 1.0F, 255.0F));
}

/// Sets the candidates to the scorer's documents with an impact of at least `min_impact`.
void Ranker::gather_best(const Scorer& scorer, std::uint8_t min_impact) {
  const auto impacts = scorer.window->impacts().subspan(scorer.span.begin, scorer.postings());
  candidates_.resize(impacts.size());
  candidates_.resize(kernels().find_at_least(impacts.data(), impacts.size(), min_impact, candidates_.data()));
  sums_.clear();
  for (const std::uint16_t rank : candidates_) sums_.push_back(scorer.list->weight * static_cast<float>(impacts[rank]));
  scorer.window->documents_at(scorer.span, candidates_, candidates_.data(), scratch_);
}

/// Sets the candidates to the documents for which the scorers from `first` on may add more than `needed`. Impacts of
/// scorer `first` below the returned value are not added yet: if its list is by far the longest, looking them up later
/// for the remaining candidates is cheaper.
std::uint8_t Ranker::gather_accumulated(std::size_t first, std::uint32_t number, const std::uint64_t* words,
                                        float needed) {
  const Scorer& weakest = scorers_[first];
  const bool is_longest = weakest.postings() > postings_from(first + 1) * kLookUpCost;
  const std::uint8_t min_impact = is_longest ? find_min_impact(weakest, needed) : 1;
  std::uint64_t touched = 0;
  if (min_impact > 1) {
    gather_best(weakest, min_impact);
    for (std::size_t i = 0; i < candidates_.size(); ++i) touched |= accumulate(candidates_[i], sums_[i]);
    needed = std::max(0.0F, needed - weakest.list->weight * static_cast<float>(min_impact - 1));
  }
  for (std::size_t i = min_impact > 1 ? first + 1 : first; i < scorers_.size(); ++i) {
    const Scorer& scorer = scorers_[i];
    const std::uint8_t* impact = scorer.window->impacts().data() + scorer.span.begin;
    const float weight = scorer.list->weight;
    for (const std::uint16_t document : scorer.window->documents(scorer.span, scratch_))
      touched |= accumulate(document, weight * static_cast<float>(*impact++));
  }
  collect_accumulated(touched, number, words, needed);
  return min_impact;
}

/// Adds to a document's accumulator. Returns a bit for its group of accumulators.
std::uint64_t Ranker::accumulate(std::uint16_t document, float score) {
  const std::uint32_t index = document % kSpanDocuments;
  accumulators_[index] += score;
  return std::uint64_t{1} << (index / kAccumulatorGroup);
}

/// Sets the candidates to the documents with more than `needed` in their accumulators, only those in `words` if it is
/// not null. Clears the accumulators.
void Ranker::collect_accumulated(std::uint64_t touched, std::uint32_t number, const std::uint64_t* words,
                                 float needed) {
  candidates_.clear();
  sums_.clear();
  for (; touched != 0; touched &= touched - 1) {
    const auto word = static_cast<std::uint32_t>(std::countr_zero(touched));
    float* const group = &accumulators_[word * kAccumulatorGroup];
    std::uint64_t above = kernels().mask_above(group, needed);
    if (words != nullptr) above &= words[word];
    for (; above != 0; above &= above - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(above));
      candidates_.push_back(static_cast<std::uint16_t>(number * kSpanDocuments + word * kAccumulatorGroup + i));
      sums_.push_back(group[i]);
    }
    std::fill_n(group, kAccumulatorGroup, 0.0F);
  }
}

/// Adds the scorers before `first`, largest first, and drops the candidates that cannot exceed the threshold.
void Ranker::add_earlier_scorers(std::size_t first, float threshold) {
  while (first-- > 0 && !candidates_.empty()) add_scorer(first, kAllImpacts, threshold);
  keep_candidates([threshold](std::uint16_t, float sum) { return sum > threshold; });
}

/// Adds one scorer to the candidates' sums, for impacts below `below`. First drops the candidates that cannot exceed
/// the threshold even with this scorer and all earlier ones.
void Ranker::add_scorer(std::size_t number, std::uint32_t below, float threshold) {
  const Scorer& scorer = scorers_[number];
  keep_candidates(
      [max_score = max_scores_[number], threshold](std::uint16_t, float sum) { return sum + max_score > threshold; });
  impacts_.resize(candidates_.size());
  scorer.window->impacts_of(candidates_, impacts_.data());
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    sums_[i] += impacts_[i] < below ? scorer.list->weight * static_cast<float>(impacts_[i]) : 0;
}

void Ranker::add_candidates(TopHits& top) {
  if (candidates_.empty()) return;
  sum_scores(candidates_);
  const std::uint32_t base = window_ * kWindowDocuments;
  for (std::size_t i = 0; i < candidates_.size(); ++i) top.add(sums_[i], base + candidates_[i]);
}

void Ranker::sum_scores(std::span<const std::uint16_t> documents) {
  sums_.assign(documents.size(), 0);
  impacts_.resize(documents.size());
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    windows_[i].impacts_of(documents, impacts_.data());
    for (std::size_t j = 0; j < documents.size(); ++j) sums_[j] += lists_[i].weight * static_cast<float>(impacts_[j]);
  }
}

}  // namespace kbase::native_index
