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

/// A word that is wanted, in one segment.
struct PlannedWord {
  Union matching;            ///< its documents
  Union scored;              ///< of these, the ones that any form of it is scored in; with positions but for prefixes
  std::uint32_t weight = 0;  ///< as proximity_weight() has it; 0: a prefix
};

/// A query as posting lists of one segment, which they are views of.
struct SegmentPlan {
  std::vector<PlannedWord> words;       ///< each once, in the order of the query
  std::vector<ScoredList> scored;       ///< of all of these, in their order
  std::vector<Union> clauses;           ///< of each
  std::vector<Union> phrases;           ///< of each
  Union excluded;                       ///< of all exclusions
  bool matches_by_words = true;         ///< a document of any clause is one of a scored list, and the other way round
  std::vector<MemoryPostingList> made;  ///< what of the lists is in no file
};

/// The query in each segment of the snapshot. A term's weight is of all live documents of the index, so that a score
/// does not depend on how documents are spread over segments. Everything views the snapshot, which has to stay. Phrases
/// take long where their words are beginnings: from when `goes_on` is false, none is looked for.
std::vector<SegmentPlan> plan_query(const Snapshot& snapshot, const text::Query& query, Workspace& workspace,
                                    model::FunctionRef<bool()> goes_on);

/// What of a segment matches all or any of the clauses, and the filter lets through.
Matching matching_of(const SegmentPlan& plan, const LiveSegment& segment, model::MatchRule rule,
                     const ports::SearchFilter& filter);

}  // namespace kbase::native_index
