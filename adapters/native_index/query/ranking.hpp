// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/query/matching.hpp"
#include "adapters/native_index/query/top_hits.hpp"

namespace kbase::native_index {

/// A scoring term: adds impact * weight to the score of each document of the list.
struct ScoredList {
  PostingList list;
  float weight = 0;  ///< greater than 0
};

/// Finds the top documents of a segment. A document's score is the float32 sum, in the order of the lists, of
/// float32(weight * impact), regardless of which parts were pruned on the way. Reuses its memory. Not thread-safe.
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
  struct Part {
    const ScoredList* list;
    const Window* window;
    Span span;
    float most;  // maximum contribution to a score

    std::size_t postings() const { return span.end - span.begin; }
  };

  void open_window(std::span<const ScoredList> lists, std::uint32_t window);
  bool gather_few();
  void rank_span(std::uint32_t number, const WindowMatches* matches, TopHits& top);
  void rank_listed(std::span<const std::uint16_t> documents, TopHits& top);
  void rank_candidates(TopHits& top);
  bool order_parts(std::uint32_t number, const TopHits& top);
  bool pays_to_list(std::size_t matching, std::size_t first, float needed) const;
  std::size_t postings_from(std::size_t first) const;
  float threshold_of(const TopHits& top) const;
  std::size_t first_essential(float threshold) const;
  static std::uint8_t least_impact(const Part& part, float needed);
  void gather_best(const Part& part, std::uint8_t least);
  std::uint8_t gather_many(std::size_t first, std::uint32_t number, const std::uint64_t* words, float needed);
  std::uint64_t accumulate(std::uint16_t document, float score);
  void take_accumulated(std::uint64_t touched, std::uint32_t number, const std::uint64_t* words, float needed);
  template <class IsWanted>
  void keep_candidates(IsWanted is_wanted);
  void add_rest(std::size_t first, float threshold);
  void add_part(std::size_t number, std::uint32_t below, float threshold);
  void add_candidates(TopHits& top);
  void sum(std::span<const std::uint16_t> documents);

  std::uint32_t window_ = 0;
  std::vector<Window> windows_;  // windows of the lists, in their order
  std::span<const ScoredList> lists_;
  std::vector<Part> parts_;   // lists with postings in the span, lowest `most` first
  std::vector<float> mosts_;  // prefix sums of the parts' `most`
  std::vector<std::uint16_t> candidates_;
  std::vector<float> sums_;  // scores so far of the candidates
  std::vector<std::uint16_t> united_;
  std::vector<std::uint8_t> impacts_;
  alignas(64) std::array<float, kSpanDocuments> accumulators_{};
  Window::SpanScratch scratch_;
};

}  // namespace kbase::native_index
