// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {

/// A scoring term: adds impact * weight to the score of each document of the list.
struct ScoredList {
  PostingList list;
  float weight = 0;          ///< greater than 0
  float implied_weight = 0;  ///< each document of the list is also in another one that adds at least this * impact
};

/// A scoring term in one window, or in one span of it.
struct Scorer {
  const ScoredList* list;
  const Window* window;
  Span span;
  float max_score;    ///< largest contribution to a score
  bool is_essential;  ///< see Scorers::choose_essential()

  std::size_t postings() const { return span.end - span.begin; }
};

/// The scoring terms that have documents in one window, or in one span of it. Sorted by their largest contributions,
/// the lowest first. Reuses its memory. Not thread-safe.
class Scorers {
 public:
  /// Opens a window: `windows` are those of the lists, in their order, and outlive their use.
  void open(std::span<const ScoredList> lists, std::span<const Window> windows);

  /// Opens a span of the window.
  void open_span(std::span<const ScoredList> lists, std::span<const Window> windows, std::uint32_t number);

  std::size_t size() const { return scorers_.size(); }
  const Scorer& operator[](std::size_t number) const { return scorers_[number]; }

  /// Returns an upper bound of what the scorers before `number` can add to a score together.
  float max_score_before(std::size_t number) const { return number == 0 ? 0 : max_scores_[number - 1]; }

  /// Returns an upper bound of what the scorers with more than `postings` postings can add together.
  float max_score_of_longer(std::size_t postings) const;

  /// Whether a document may exceed the threshold.
  bool can_exceed(float threshold) const { return max_score_before(size()) > threshold; }

  /// Lowers a threshold by the largest error of a score that is summed in another order than that of the lists.
  float lower(float threshold) const;

  /// Divides the scorers: a document that is only in those before the returned number cannot exceed the threshold.
  /// Takes the scorers with the lowest contributions, or, if that leaves fewer postings to the others, those with the
  /// most postings. Requires can_exceed().
  std::size_t choose_essential(float threshold);

  /// Returns the number of postings in the scorers from `first` on.
  std::size_t postings_from(std::size_t first) const;

 private:
  void add(const ScoredList& list, const Window& window, const Span& span);
  void sort();

  std::vector<Scorer> scorers_;
  std::vector<float> max_scores_;  // sums of the first contributions
  std::vector<std::uint32_t> by_postings_;
};

}  // namespace kbase::native_index
