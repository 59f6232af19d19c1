// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/postings/memory_posting_list.hpp"
#include "adapters/native_index/query/matching.hpp"
#include "adapters/native_index/query/ranking.hpp"
#include "adapters/native_index/search/workspace.hpp"
#include "adapters/text/query.hpp"
#include "domain/model/function_ref.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// A query word in one segment.
struct PlannedWord {
  Union matching;            ///< documents that match the word
  Union scored;              ///< subset of `matching` in which any form scores; with positions unless a prefix
  std::uint32_t weight = 0;  ///< from proximity_weight(); 0: a prefix
};

/// Posting lists of a query in one segment; views of that segment and of `made`.
struct SegmentPlan {
  std::vector<PlannedWord> words;       ///< distinct, in query order
  std::vector<ScoredList> scored;       ///< scoring lists of all words, in their order
  std::vector<Union> clauses;           ///< one per clause
  std::vector<Union> phrases;           ///< one per required phrase
  Union excluded;                       ///< disjunction of all exclusions
  bool matches_by_words = true;         ///< documents of any clause are exactly those of the scored lists
  std::vector<MemoryPostingList> made;  ///< owns the lists that are not in a file
};

/// Plans the query for each segment of the snapshot. A term's weight is computed over all live documents of the index,
/// so that scores do not depend on the distribution over segments. The plans are views of the snapshot, which must
/// outlive them. Phrases with prefixes can be slow: once `goes_on` returns false, no more phrases are searched.
std::vector<SegmentPlan> plan_query(const Snapshot& snapshot, const text::Query& query, Workspace& workspace,
                                    model::FunctionRef<bool()> goes_on);

/// Returns the condition for the documents of a segment that match all or any of the clauses (`rule`), and the filter.
Matching matching_of(const SegmentPlan& plan, const LiveSegment& segment, model::MatchRule rule,
                     const ports::SearchFilter& filter);

}  // namespace kbase::native_index
