// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/query/matching.hpp"
#include "adapters/native_index/query/scorers.hpp"
#include "adapters/native_index/query/top_hits.hpp"

namespace kbase::native_index {

/// Finds the top documents of a segment. A document's score is the float32 sum, in the order of the lists, of
/// float32(weight * impact), regardless of which lists were pruned on the way. Reuses its memory. Not thread-safe.
///
/// Windowed MaxScore: within a span of documents, lists whose maximum impacts together cannot lift a document above the
/// threshold are looked up only for candidates from the other lists (Turtle & Flood 1995; Ding & Suel 2011 for block
/// bounds; Lucene's MaxScoreBulkScorer for windows).
class Ranker {
 public:
  /// Adds the top documents of a window among all that have any of the terms. Call with ascending windows. Requires a
  /// segment without deleted documents. Returns the number of documents with any of the terms if all were scored.
  std::optional<std::uint32_t> rank(std::span<const ScoredList> lists, std::uint32_t window, TopHits& top);

  /// Adds the top documents among one window's matches. Call with ascending windows.
  void rank_matches(std::span<const ScoredList> lists, std::uint32_t window, const WindowMatches& matches,
                    TopHits& top);

  /// Returns the scores of ascending documents of a window. Valid until the next call.
  std::span<const float> scores(std::span<const ScoredList> lists, std::uint32_t window,
                                std::span<const std::uint16_t> documents);

 private:
  void open_window(std::span<const ScoredList> lists, std::uint32_t window);
  std::size_t count_postings() const;
  std::uint32_t rank_all(const WindowSet* among, TopHits& top);
  void rank_one(const ScoredList& list, const Window& window, TopHits& top);
  void rank_span(std::uint32_t number, const WindowMatches* matches, TopHits& top);
  void rank_listed(std::span<const std::uint16_t> documents, TopHits& top);
  void rank_candidates(TopHits& top);
  bool rank_window(TopHits& top);
  bool gather_best_of_window(float threshold);
  bool should_list_matches(std::size_t matching, std::size_t first, float needed) const;
  static std::uint8_t find_min_impact(float weight, float needed);
  static void find_ranks(const Window& window, const Span& span, std::uint8_t min_impact,
                         std::vector<std::uint16_t>& ranks);
  void gather_best(float weight, const Window& window, const Span& span, std::uint8_t min_impact);
  std::uint8_t gather_accumulated(std::size_t first, std::uint32_t number, const std::uint64_t* words, float needed);
  std::uint64_t accumulate(std::uint16_t document, float score);
  void collect_accumulated(std::uint64_t touched, std::uint32_t number, const std::uint64_t* words, float needed);
  template <class IsWanted> void keep_candidates(IsWanted is_wanted);
  void add_earlier_scorers(std::size_t first, float threshold);
  void add_impacts(std::size_t number, std::uint32_t below, float threshold);
  void add_candidates(TopHits& top);
  void add_summed_candidates(TopHits& top);
  void sum_scores(std::span<const std::uint16_t> documents);

  std::uint32_t window_ = 0;
  std::vector<Window> windows_;  // windows of the lists, in their order
  std::span<const ScoredList> lists_;
  Scorers scorers_;
  std::vector<std::uint16_t> candidates_;
  std::vector<std::uint16_t> other_candidates_;
  std::vector<float> sums_;  // scores so far of the candidates
  std::vector<std::uint8_t> impacts_;
  alignas(64) std::array<float, kSpanDocuments> accumulators_{};
  std::vector<float> window_scores_;  // of the documents of a window; all zero between uses
  Window::SpanScratch scratch_;
};

}  // namespace kbase::native_index
