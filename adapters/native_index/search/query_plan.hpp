// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"
#include "adapters/native_index/query/matching.hpp"
#include "adapters/native_index/query/ranking.hpp"
#include "adapters/spelling/dictionaries.hpp"
#include "adapters/text/query.hpp"
#include "domain/base/function_ref.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

struct Workspace;

/// Returns the dictionary name of a query term. A stem and a word that is its own stem have the same name.
inline std::string_view name_of(std::string_view term) {
  return term.front() == text::kStemMark ? term.substr(1) : term;
}

/// A query word in one segment.
struct PlannedWord {
  Disjunction matching;       ///< documents that match the word
  Disjunction scored;         ///< subset of `matching` in which any form scores; with positions unless a prefix
  std::uint32_t weight = 0;   ///< from proximity_weight(); 0: a prefix
  bool is_essential = false;  ///< see text::RankedWord
};

/// Posting lists of a query in one segment; views of that segment and of `owned_lists`.
struct SegmentPlan {
  std::vector<PlannedWord> words;              ///< distinct, in query order
  std::vector<ScoredList> scored;              ///< scoring lists of all words, in their order
  std::vector<Disjunction> clauses;            ///< one per clause
  std::vector<bool> is_optional;               ///< of each clause
  std::vector<Disjunction> phrases;            ///< one per required phrase
  Disjunction excluded;                        ///< disjunction of all exclusions
  bool matches_by_words = true;                ///< documents of any clause are those of the scored lists
  std::optional<std::uint64_t> total;          ///< documents that match: planning counted them, see plan_query()
  std::vector<MemoryPostingList> owned_lists;  ///< owns the lists that are not in a file
};

/// Plans the query for each segment of the snapshot. A term's weight is computed over all live documents of the index,
/// so that scores do not depend on the distribution over segments. The plans are views of the snapshot, which must
/// outlive them. Phrases with prefixes can be slow: once `should_continue` returns false, no more phrases are searched.
///
/// `best`: number of best documents of each segment that the caller needs. It then needs only these and the total, and
/// has no filter: for a query of one prefix, the plan has the total of live documents, and its lists have only the best
/// ones. 0: the caller may need all documents.
std::vector<SegmentPlan> plan_query(const Snapshot& snapshot, const text::Query& query, std::size_t best,
                                    Workspace& workspace, FunctionRef<bool()> should_continue);

/// Returns the condition for the documents of a segment that match all or any of the clauses (`rule`), and the filter.
Matching build_matching(const SegmentPlan& plan, const LiveSegment& segment, model::MatchRule rule,
                        const ports::SearchFilter& filter);

/// Returns the number of items with the words, one after the other within one field. Fewer once `should_continue`
/// returns false.
std::uint64_t count_phrase(std::span<const text::QueryWord> words, const Snapshot& snapshot, Workspace& workspace,
                           FunctionRef<bool()> should_continue);

/// Adapts the substitutes of the query's words to the words of the index; see text::adapt_substitutes(). With
/// `corrects_typos`, a word is not split if it is more likely a mistyped word that correct_typos() replaces by one
/// edit. Once `should_continue` returns false, no more phrases are searched.
void adapt_substitutes(text::Query& query, const Snapshot& snapshot, Workspace& workspace, bool corrects_typos,
                       spelling::Dictionaries* dictionaries, FunctionRef<bool()> should_continue);

/// Replaces each query word that the index does not contain by the nearest indexed word. Allows one edit
/// (Damerau-Levenshtein) from 4 characters on and two from 8 on; prefers fewer edits, then more items. Words with a
/// digit, prefixes, quoted words, exclusions and words that `dictionaries` (may be null) have in a language of the
/// query are not changed, nor is the first character. Returns the replacements, without duplicates. Ends early if the
/// search must be quick. Errors: as find_surface_form().
Result<std::vector<ports::Correction>> correct_typos(text::Query& query, const Snapshot& snapshot, Workspace& workspace,
                                                     spelling::Dictionaries* dictionaries);

}  // namespace kbase::native_index
