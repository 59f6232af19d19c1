// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/search/facet_counts.hpp"
#include "adapters/native_index/search/proximity.hpp"
#include "adapters/native_index/search/query_plan.hpp"
#include "adapters/native_index/search/workspace.hpp"
#include "adapters/text/query.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// An item in a search result.
struct Hit {
  std::uint32_t segment;  ///< index in the snapshot
  std::uint32_t document;
  float score;
};

/// One search of a snapshot: call find(), then show(). Not thread-safe.
class Search {
 public:
  struct Options {
    bool counts_total = true;    ///< false makes a ranked page of any-word matches cheaper
    bool corrects_typos = true;  ///< costs 1-2 ms if a query word is not in the index, else nothing
  };

  /// All arguments must outlive the object.
  Search(const Snapshot& snapshot, Workspace& workspace, const ports::SearchRequest& request, const ports::Call& call,
         const ports::Clock& clock, const Options& options);

  /// Computes the reply and the hits of the page. Errors: Cancelled; Deadline.
  model::Result<ports::SearchAnswer> find();

  /// Hits of the page in result order. Scores are set only if the result is sorted by score.
  const std::vector<Hit>& page() const { return page_; }

  /// Visits the hits of the page with their stored texts and excerpts. Errors: as StoreReader::read().
  model::Status show(model::Visitor<ports::SearchHit> visitor);

 private:
  struct Found {
    std::uint64_t total = 0;
    std::vector<Hit> best;          ///< by score: contains the first kept() results, unsorted
    std::vector<Hit> hits;          ///< by another order: contains the first room() results
    std::uint64_t least_views = 0;  ///< items with fewer views are not on the page
  };

  model::Result<Found> find_by_rule(model::MatchRule& rule);
  model::Result<Found> find_any(std::uint64_t all, model::MatchRule& rule);
  model::Result<std::uint64_t> count(model::MatchRule rule, std::uint64_t enough);
  model::Result<Found> find(model::MatchRule rule);
  model::Status find_in(std::uint32_t segment, model::MatchRule rule, Found& found);
  void rank_all(const SegmentPlan& plan, std::uint32_t segment, TopHits& top);
  void take_by_views(std::uint32_t segment, std::uint32_t window, const WindowMatches& matches, Found& found);
  std::span<const std::uint16_t> much_viewed(std::uint32_t segment, std::uint32_t window, const WindowMatches& matches,
                                             std::uint64_t& least_views);
  void keep_most_viewed(Found& found) const;
  void expect(const Found& found, TopHits& top) const;

  void rerank_by_proximity(std::vector<Hit>& best);
  void cut_page(std::vector<Hit>& hits) const;
  bool precedes(const Hit& a, const Hit& b) const;
  bool is_better(const Hit& a, const Hit& b) const;
  bool has_smaller_id(const Hit& a, const Hit& b) const;
  float score_of(const Hit& hit);
  std::size_t words_in(const Hit& hit) const;

  const LiveSegment& live(std::uint32_t segment) const { return snapshot_.segments[segment]; }
  std::uint64_t views_of(const Hit& hit) const { return live(hit.segment).views->of(hit.document); }
  std::size_t room() const;
  std::size_t kept() const;
  bool is_by_score() const { return request_.sort == model::Sort::Relevance && request_.query != nullptr; }
  model::Status still_wanted() const;

  const Snapshot& snapshot_;
  Workspace& workspace_;
  const ports::SearchRequest& request_;
  const ports::Call& call_;
  const ports::Clock& clock_;
  const Options options_;
  text::Query query_;
  std::vector<SegmentPlan> plans_;
  std::optional<Proximity> proximity_;
  FacetCounts facets_;
  std::vector<Hit> best_;  // top hits by score, sorted
  std::vector<Hit> page_;
};

}  // namespace kbase::native_index
