// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/query/matching.hpp"

namespace kbase::native_index {

/// A document of one segment and its score.
struct ScoredDocument {
  float score = 0;
  std::uint32_t document = 0;
};

/// Top-k heap of a segment's documents (k: `capacity`). Higher scores precede; among equal scores the lower document
/// number, which is the newer item. Documents must be added in ascending order. Not thread-safe.
class TopHits {
 public:
  explicit TopHits(std::size_t capacity) : capacity_(capacity) {}

  /// Sets the minimum score: at least `capacity` documents are known to score `score` or more. Equal scores are still
  /// hits.
  void set_min_score(float score) { threshold_ = std::max(threshold_, std::nextafter(score, 0.0F)); }

  /// Only higher scores can be hits.
  float threshold() const { return threshold_; }

  void add(float score, std::uint32_t document) {
    if (score <= threshold_ || capacity_ == 0) return;
    if (heap_.size() == capacity_) {
      std::pop_heap(heap_.begin(), heap_.end(), is_better);
      heap_.back() = {score, document};
    } else {
      heap_.push_back({score, document});
    }
    std::push_heap(heap_.begin(), heap_.end(), is_better);
    if (heap_.size() == capacity_) threshold_ = std::max(threshold_, heap_.front().score);
  }

  /// Returns the hits, best first, and empties the object.
  std::vector<ScoredDocument> take() {
    std::sort(heap_.begin(), heap_.end(), is_better);
    return std::exchange(heap_, {});
  }

 private:
  static bool is_better(const ScoredDocument& a, const ScoredDocument& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  }

  std::size_t capacity_;
  std::vector<ScoredDocument> heap_;  // worst hit at the front
  float threshold_ = 0;               // all scores are above 0
};

/// A scoring term: adds impact * weight to the score of each document of the list.
struct ScoredList {
  PostingList list;
  float weight = 0;  ///< greater than 0
};

/// Finds the top documents of a segment. A document's score is the float32 sum, in the order of the lists, of
/// float32(weight * impact), regardless of which lists were pruned on the way. Reuses its memory. Not thread-safe.
///
/// Windowed MaxScore: within a span of documents, lists whose maximum impacts together cannot lift a document above the
/// threshold are looked up only for candidates from the other lists (Turtle & Flood 1995; Ding & Suel 2011 for block
/// bounds; Lucene's MaxScoreBulkScorer for windows).
class Ranker {
 public:
  /// Adds the top documents of a segment among all that have any of the terms. Requires a segment without deleted
  /// documents.
  void rank(std::span<const ScoredList> lists, std::uint32_t windows, TopHits& top);

  /// Adds the top documents among one window's matches. Call with ascending windows.
  void rank_matches(std::span<const ScoredList> lists, std::uint32_t window, const WindowMatches& matches,
                    TopHits& top);

  /// Returns the scores of ascending documents of a window. Valid until the next call.
  std::span<const float> scores(std::span<const ScoredList> lists, std::uint32_t window,
                                std::span<const std::uint16_t> documents);

 private:
  /// A list in one span.
  struct Scorer {
    const ScoredList* list;
    const Window* window;
    Span span;
    float max_score;  // maximum contribution to a score

    std::size_t postings() const { return span.end - span.begin; }
  };

  void open_window(std::span<const ScoredList> lists, std::uint32_t window);
  bool gather_few();
  void rank_span(std::uint32_t number, const WindowMatches* matches, TopHits& top);
  void rank_listed(std::span<const std::uint16_t> documents, TopHits& top);
  void rank_candidates(TopHits& top);
  bool order_scorers(std::uint32_t number, const TopHits& top);
  bool should_list_matches(std::size_t matching, std::size_t first, float needed) const;
  std::size_t postings_from(std::size_t first) const;
  float lower_threshold(const TopHits& top) const;
  std::size_t first_essential(float threshold) const;
  static std::uint8_t find_min_impact(const Scorer& scorer, float needed);
  void gather_best(const Scorer& scorer, std::uint8_t min_impact);
  std::uint8_t gather_accumulated(std::size_t first, std::uint32_t number, const std::uint64_t* words, float needed);
  std::uint64_t accumulate(std::uint16_t document, float score);
  void collect_accumulated(std::uint64_t touched, std::uint32_t number, const std::uint64_t* words, float needed);
  template <class IsWanted> void keep_candidates(IsWanted is_wanted);
  void add_earlier_scorers(std::size_t first, float threshold);
  void add_scorer(std::size_t number, std::uint32_t below, float threshold);
  void add_candidates(TopHits& top);
  void sum_scores(std::span<const std::uint16_t> documents);

  std::uint32_t window_ = 0;
  std::vector<Window> windows_;  // windows of the lists, in their order
  std::span<const ScoredList> lists_;
  std::vector<Scorer> scorers_;    // lists with postings in the span, lowest `max_score` first
  std::vector<float> max_scores_;  // prefix sums of the scorers' `max_score`
  std::vector<std::uint16_t> candidates_;
  std::vector<float> sums_;  // scores so far of the candidates
  std::vector<std::uint16_t> merged_;
  std::vector<std::uint8_t> impacts_;
  alignas(64) std::array<float, kSpanDocuments> accumulators_{};
  Window::SpanScratch scratch_;
};

}  // namespace kbase::native_index
