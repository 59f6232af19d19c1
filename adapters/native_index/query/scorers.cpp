// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/scorers.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kbase::native_index {
namespace {

/// Relative error per term of a float32 sum, which depends on the order of summation. Upper bounds are raised and
/// thresholds lowered by more than this error.
constexpr float kSlackPerTerm = 1.0F / (1U << 22);

}  // namespace

void Scorers::open(std::span<const ScoredList> lists, std::span<const Window> windows) {
  scorers_.clear();
  for (std::size_t i = 0; i < lists.size(); ++i)
    if (const Window& window = windows[i]; window.count() > 0)
      add(lists[i], window, {0, 0, window.count(), window.max_impact()});
  sort();
}

void Scorers::open_span(std::span<const ScoredList> lists, std::span<const Window> windows, std::uint32_t number) {
  scorers_.clear();
  for (std::size_t i = 0; i < lists.size(); ++i)
    if (const Span span = windows[i].span(number); span.begin != span.end) add(lists[i], windows[i], span);
  sort();
}

void Scorers::add(const ScoredList& list, const Window& window, const Span& span) {
  scorers_.push_back({&list, &window, span, list.weight * static_cast<float>(span.max_impact), true});
}

void Scorers::sort() {
  std::sort(scorers_.begin(), scorers_.end(), [](const Scorer& a, const Scorer& b) {
    return std::tuple(a.is_essential, a.max_score) < std::tuple(b.is_essential, b.max_score);
  });
  const float slack = 1 + kSlackPerTerm * static_cast<float>(scorers_.size());
  max_scores_.clear();
  float max_score = 0;
  for (const Scorer& scorer : scorers_) {
    max_score += scorer.max_score;
    max_scores_.push_back(max_score * slack);
  }
}

float Scorers::max_score_of_longer(std::size_t postings) const {
  float max_score = 0;
  for (const Scorer& scorer : scorers_)
    if (scorer.postings() > postings) max_score += scorer.max_score;
  return max_score * (1 + kSlackPerTerm * static_cast<float>(scorers_.size()));
}

float Scorers::lower(float threshold) const {
  return threshold * (1 - kSlackPerTerm * static_cast<float>(scorers_.size()));
}

std::size_t Scorers::choose_essential(float threshold) {
  const auto lowest = static_cast<std::size_t>(std::upper_bound(max_scores_.begin(), max_scores_.end(), threshold) -
                                               max_scores_.begin());
  by_postings_.resize(scorers_.size());
  std::iota(by_postings_.begin(), by_postings_.end(), 0U);
  std::sort(by_postings_.begin(), by_postings_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return scorers_[a].postings() > scorers_[b].postings(); });
  const float limit = threshold / (1 + kSlackPerTerm * static_cast<float>(scorers_.size() + 1));
  float max_score = 0;
  std::size_t postings = postings_from(0);
  std::size_t count = 0;
  for (; count < scorers_.size(); ++count) {
    const Scorer& next = scorers_[by_postings_[count]];
    if (max_score + next.max_score > limit) break;
    max_score += next.max_score;
    postings -= next.postings();
  }
  if (postings >= postings_from(lowest)) return lowest;
  for (std::size_t i = 0; i < count; ++i) scorers_[by_postings_[i]].is_essential = false;
  sort();
  return count;
}

std::size_t Scorers::postings_from(std::size_t first) const {
  std::size_t postings = 0;
  for (std::size_t i = first; i < scorers_.size(); ++i) postings += scorers_[i].postings();
  return postings;
}

}  // namespace kbase::native_index
