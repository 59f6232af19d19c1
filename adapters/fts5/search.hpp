// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/fts5/best_hits.hpp"
#include "adapters/fts5/counted_views.hpp"
#include "adapters/fts5/expression.hpp"
#include "adapters/fts5/extension.hpp"
#include "adapters/fts5/facet_counts.hpp"
#include "adapters/fts5/reader_pool.hpp"
#include "adapters/text/excerpt.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::fts5 {

/// One search on one reader, within a read transaction that the caller has begun.
class Search {
 public:
  /// `views` is null unless the sort needs them.
  Search(Reader& reader, const Contents& contents, const ports::SearchRequest& request,
         const CountedViews::Snapshot* views)
      : reader_(reader), contents_(contents), request_(request), views_(views) {}

  model::Result<ports::SearchAnswer> run(model::Visitor<ports::SearchHit> visitor);

 private:
  /// The matches of one expression, or of everything.
  struct Found {
    std::uint64_t total_before_filter = 0;
    std::uint64_t total = 0;
    double best_score = 0;
    std::vector<RankedMatch> best;
  };

  model::Result<Found> find_all_items();
  model::Result<Found> find_by_rule(const text::Query& query, model::MatchRule& rule);
  model::Result<Found> find(const std::string& expression, Scoring& scoring);
  model::Status take_match(Found& found, BestHits& best, RankedMatch match);
  bool lets_through(const Statement& order) const;
  model::Status show(const Found& found, const text::Query& query, model::Visitor<ports::SearchHit> visitor);

  std::size_t room() const;
  std::int64_t views_of(std::string_view id, std::int64_t imported) const;

  Reader& reader_;
  const Contents& contents_;
  const ports::SearchRequest& request_;
  const CountedViews::Snapshot* views_;
  FacetCounts facets_;
};

}  // namespace kbase::fts5
