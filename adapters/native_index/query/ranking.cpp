// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/ranking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

/// Number of accumulators that are tested together: one per bit of a set's word, and one group per word of a span.
constexpr std::uint32_t kAccumulatorGroup = 64;

constexpr std::uint32_t kAllImpacts = 256;

/// Cost of looking up a document, in sequentially read postings.
constexpr std::size_t kLookUpCost = 4;

/// Up to this many documents, scoring all of them is cheaper than pruning.
constexpr std::size_t kFewDocuments = 64;

/// Up to this many postings of a window, scoring all of them is cheaper than finding out which can be hits; and up to
/// more than that, cheaper than pruning by span.
constexpr std::size_t kFewPostings = 1'024;
constexpr std::size_t kMorePostings = 16'384;

/// Up to this many postings of a list in a window, all their documents become candidates.
constexpr std::size_t kFewInList = 64;

/// More candidates of a window than this are pruned better by span.
constexpr std::size_t kMaxCandidates = 512;

}  // namespace

std::optional<std::uint32_t> Ranker::rank(std::span<const ScoredList> lists, std::uint32_t window, TopHits& top) {
  open_window(lists, window);
  std::size_t last = 0;  // list that has documents
  std::size_t with_documents = 0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i].count() == 0) continue;
    last = i;
    ++with_documents;
  }
  if (with_documents == 0) return 0;
  if (with_documents == 1) {
    rank_one(lists[last], windows_[last], top);
    return windows_[last].count();
  }
  const std::size_t postings = count_postings();
  if (postings <= kFewPostings) return rank_all(nullptr, top);
  if (rank_window(top)) return std::nullopt;
  if (postings <= kMorePostings) return rank_all(nullptr, top);
  for (std::uint32_t span = 0; span < kSpans; ++span) rank_span(span, nullptr, top);
  return std::nullopt;
}

void Ranker::rank_matches(std::span<const ScoredList> lists, std::uint32_t window, const WindowMatches& matches,
                          TopHits& top) {
  open_window(lists, window);
  if (!matches.is_set()) {
    rank_listed(matches.documents(), top);
    return;
  }
  if (count_postings() <= kMorePostings) {
    rank_all(&matches.set(), top);
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

/// Ranks the documents of a window that has only one of the lists.
void Ranker::rank_one(const ScoredList& list, const Window& window, TopHits& top) {
  gather_best(list.weight, window, {0, 0, window.count(), 0}, find_min_impact(list.weight, top.threshold()));
  add_summed_candidates(top);
}

/// Ranks a window as a whole if few of its documents can be hits. Returns false if they may be many.
bool Ranker::rank_window(TopHits& top) {
  scorers_.open(lists_, windows_);
  if (!scorers_.can_exceed(top.threshold())) return true;
  if (!gather_best_of_window(scorers_.lower(top.threshold()))) return false;
  rank_candidates(top);
  return true;
}

/// Sets the candidates to all documents of the short lists, and to the documents of one long list that can exceed the
/// threshold without them. Returns false if documents that are in no short list need two long lists, or if there are
/// many candidates.
bool Ranker::gather_best_of_window(float threshold) {
  candidates_.clear();
  if (const float longs = scorers_.max_score_of_longer(kFewInList); longs > threshold) {
    const Scorer* best = nullptr;
    for (std::size_t i = 0; i < scorers_.size(); ++i) {
      const Scorer& scorer = scorers_[i];
      const float others = longs - scorer.max_score;
      if (scorer.postings() <= kFewInList || others > threshold) continue;
      find_ranks(*scorer.window, scorer.span, find_min_impact(scorer.list->weight, threshold - others),
                 other_candidates_);
      if (best != nullptr && other_candidates_.size() >= candidates_.size()) continue;
      candidates_.swap(other_candidates_);
      best = &scorer;
    }
    if (best == nullptr || candidates_.size() > kMaxCandidates) return false;
    best->window->documents_at(candidates_, candidates_.data());
  }
  for (std::size_t i = 0; i < scorers_.size(); ++i) {
    if (scorers_[i].postings() > kFewInList) continue;
    const std::span<const std::uint16_t> documents = scorers_[i].window->array();
    other_candidates_.clear();
    std::set_union(candidates_.begin(), candidates_.end(), documents.begin(), documents.end(),
                   std::back_inserter(other_candidates_));
    candidates_.swap(other_candidates_);
  }
  return true;
}

/// Returns the number of postings in the window.
std::size_t Ranker::count_postings() const {
  std::size_t postings = 0;
  for (const Window& window : windows_) postings += window.count();
  return postings;
}

/// Scores all documents of a window that are in `among`, or, if it is null, all. Returns the number of documents of the
/// lists.
std::uint32_t Ranker::rank_all(const WindowSet* among, TopHits& top) {
  window_scores_.resize(kWindowDocuments);
  candidates_.resize(kMorePostings);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    const Window& window = windows_[i];
    const auto add = [&](std::span<const std::uint16_t> documents, const std::uint8_t* impact) {
      for (const std::uint16_t document : documents) {
        float& score = window_scores_[document];
        candidates_[count] = document;
        count += score == 0 ? 1 : 0;
        score += lists_[i].weight * static_cast<float>(*impact++);
      }
    };
    if (!window.is_bitmap()) {
      add(window.array(), window.impacts().data());
      continue;
    }
    std::size_t left = window.count();  // a damaged window may list more
    for (const Span& span : window.spans()) {
      const auto documents = window.documents(span, scratch_);
      add(documents.first(std::min(documents.size(), left)), window.impacts().data() + span.begin);
      left -= std::min(documents.size(), left);
    }
  }
  const std::uint32_t base = window_ * kWindowDocuments;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float score = std::exchange(window_scores_[candidates_[i]], 0.0F);
    if (among == nullptr || among->contains(candidates_[i])) top.add_unordered(score, base + candidates_[i]);
  }
  return count;
}

/// Ranks documents of one window, all of which match.
void Ranker::rank_listed(std::span<const std::uint16_t> documents, TopHits& top) {
  candidates_.assign(documents.begin(), documents.end());
  if (documents.size() <= kFewDocuments) {
    sum_scores(candidates_);
    add_summed_candidates(top);
    return;
  }
  scorers_.open(lists_, windows_);
  if (scorers_.can_exceed(top.threshold())) rank_candidates(top);
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
  scorers_.open_span(lists_, windows_, number);
  if (!scorers_.can_exceed(top.threshold())) return;
  const float threshold = scorers_.lower(top.threshold());
  const std::size_t first = scorers_.choose_essential(threshold);
  const float needed = threshold - scorers_.max_score_before(first);
  const std::uint64_t* const words = matches == nullptr ? nullptr : &matches->set().words[number * kSpanWords];
  if (matches != nullptr && should_list_matches(matches->count() / kSpans, first, needed)) {
    candidates_.resize(kSpanDocuments);
    candidates_.resize(kernels().list(words, kSpanWords, number * kSpanDocuments, candidates_.data()));
    rank_candidates(top);
    return;
  }
  std::uint8_t min_impact = 1;
  if (first + 1 == scorers_.size()) {
    const Scorer& essential = scorers_[first];
    gather_best(essential.list->weight, *essential.window, essential.span,
                find_min_impact(essential.list->weight, needed));
    if (words != nullptr)
      keep_candidates([words](std::uint16_t candidate, float) {
        return (words[candidate % kSpanDocuments / 64] >> (candidate % 64) & 1) != 0;
      });
  } else {
    min_impact = gather_accumulated(first, number, words, needed);
  }
  if (min_impact > 1) add_impacts(first, min_impact, threshold);
  add_earlier_scorers(first, threshold);
  add_candidates(top);
}

/// Whether looking up `matching` matches is cheaper than scanning the postings that could yield better candidates.
bool Ranker::should_list_matches(std::size_t matching, std::size_t first, float needed) const {
  const bool takes_best = needed > scorers_[first].list->weight;
  return matching * kLookUpCost < scorers_.postings_from(takes_best ? first + 1 : first);
}

/// Ranks candidates for which no scorer has been added yet.
void Ranker::rank_candidates(TopHits& top) {
  sums_.assign(candidates_.size(), 0);
  add_earlier_scorers(scorers_.size(), scorers_.lower(top.threshold()));
  add_candidates(top);
}

/// Returns the lowest impact with which a list of this weight can add more than `needed`, or a slightly lower one.
std::uint8_t Ranker::find_min_impact(float weight, float needed) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(needed / weight), 1.0F, 255.0F));
}

/// Sets `ranks` to those of a span's postings, relative to the window, with an impact of at least `min_impact`.
void Ranker::find_ranks(const Window& window, const Span& span, std::uint8_t min_impact,
                        std::vector<std::uint16_t>& ranks) {
  const auto impacts = window.impacts().subspan(span.begin, span.end - span.begin);
  ranks.resize(impacts.size());
  ranks.resize(kernels().find_at_least(impacts.data(), impacts.size(), min_impact, ranks.data()));
  for (std::uint16_t& rank : ranks) rank = static_cast<std::uint16_t>(rank + span.begin);
}

/// Sets the candidates to a list's documents in a span with an impact of at least `min_impact`.
void Ranker::gather_best(float weight, const Window& window, const Span& span, std::uint8_t min_impact) {
  find_ranks(window, span, min_impact, candidates_);
  sums_.clear();
  for (const std::uint16_t rank : candidates_) sums_.push_back(weight * static_cast<float>(window.impacts()[rank]));
  window.documents_at(candidates_, candidates_.data());
}

/// Sets the candidates to the documents for which the scorers from `first` on may add more than `needed`. Impacts of
/// scorer `first` below the returned value are not added yet: if its list is by far the longest, looking them up later
/// for the remaining candidates is cheaper.
std::uint8_t Ranker::gather_accumulated(std::size_t first, std::uint32_t number, const std::uint64_t* words,
                                        float needed) {
  const Scorer& weakest = scorers_[first];
  const bool is_longest = weakest.postings() > scorers_.postings_from(first + 1) * kLookUpCost;
  const std::uint8_t min_impact = is_longest ? find_min_impact(weakest.list->weight, needed) : 1;
  std::uint64_t touched = 0;
  if (min_impact > 1) {
    gather_best(weakest.list->weight, *weakest.window, weakest.span, min_impact);
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
  while (first-- > 0 && !candidates_.empty()) add_impacts(first, kAllImpacts, threshold);
  keep_candidates([threshold](std::uint16_t, float sum) { return sum > threshold; });
}

/// Adds one scorer to the candidates' sums, for impacts below `below`. First drops the candidates that cannot exceed
/// the threshold even with this scorer and all earlier ones.
void Ranker::add_impacts(std::size_t number, std::uint32_t below, float threshold) {
  const Scorer& scorer = scorers_[number];
  keep_candidates([max_score = scorers_.max_score_before(number + 1), threshold](std::uint16_t, float sum) {
    return sum + max_score > threshold;
  });
  impacts_.resize(candidates_.size());
  scorer.window->impacts_of(scorer.span, candidates_, impacts_.data());
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    sums_[i] += impacts_[i] < below ? scorer.list->weight * static_cast<float>(impacts_[i]) : 0;
}

/// Adds the candidates to the top hits. Their sums may be in any order of the lists, which matters from three lists on.
void Ranker::add_candidates(TopHits& top) {
  if (lists_.size() > 2 && !candidates_.empty()) sum_scores(candidates_);
  add_summed_candidates(top);
}

void Ranker::add_summed_candidates(TopHits& top) {
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
