// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/query.hpp"
#include "domain/model/synonyms.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/validator.hpp"

namespace kbase::ports {

/// Limits of GET /search (docs/guide/search.md and sorting-and-paging.md).
inline constexpr std::uint64_t kDefaultSearchLimit = 20;
inline constexpr std::uint64_t kMaxSearchLimit = 100;
inline constexpr std::uint64_t kMaxSearchDepth = 100'000;  ///< maximum of offset plus limit
inline constexpr std::uint64_t kMaxOffset = (1ULL << 53) - 1;

struct SearchQuery : SearchOptions {
  SearchQuery() { limit = kDefaultSearchLimit; }

  std::string_view q;
  model::LastWord last_word = model::LastWord::Whole;
  bool includes_subcategories = false;  ///< the filter's categories stand also for those below them
  bool collapses_titles = false;        ///< of matches with one title, only the best is a hit
};

/// If titles are collapsed: maximum of offset plus limit, and of the matches that are read for a page. All of them are
/// copied, with their excerpts.
inline constexpr std::uint64_t kMaxCollapsedDepth = 2'000;

/// Maximum number of further items that a hit names if titles are collapsed.
inline constexpr std::size_t kMaxNamesakes = 5;

/// What of a query does not apply, because nothing matches it as it is, or because it is too long.
struct Relaxation {
  bool length = false;     ///< only the rarest of its words count
  bool phrase = false;     ///< words in quotes count as words
  bool exclusion = false;  ///< exclusions are dropped

  bool any() const { return length || phrase || exclusion; }
};

/// Number of different words, phrases and alternatives of a query that count; of more, the rarest.
inline constexpr std::size_t kMaxQueryOperands = 64;

struct SearchPage {
  std::uint64_t total = 0;
  std::optional<std::uint64_t> next_offset;  ///< nullopt: this is the last page, or the next one exceeds
                                             ///< kMaxSearchDepth
  model::MatchRule rule = model::MatchRule::AllWords;
  Relaxation relaxed;
  std::vector<Correction> corrections;
  std::vector<model::AddedSynonym> synonyms;  ///< what the search also looked for
  std::string did_you_mean;                   ///< `q` with the corrections applied; empty: no suggestion
  FacetSelection counted_facets;              ///< those of the requested facets that the index supports
  Facets facets;                              ///< values of counted_facets
  Validator validator;
};

/// Limits of GET /suggest.
inline constexpr std::uint64_t kDefaultSuggestions = 8;
inline constexpr std::uint64_t kMaxSuggestions = 20;

/// A suggestion for a partially typed query. For the lifetime of its views see Visitor.
struct Suggestion {
  std::string_view text;  ///< text of a query, or title of an item
  std::string_view item;  ///< id of the item; empty: the suggestion is a query
};

/// Full-text search. Any thread.
class Search {
 public:
  virtual ~Search() = default;

  /// The state that a response computed now would be based on.
  virtual Result<Validator> validator(Call& call, model::Sort sort) = 0;

  /// If titles are collapsed, `limit` and `offset` count hits, and the total counts items; the hits end with the last
  /// match that is read. InvalidArgument with `parameter` q, limit or offset. Unsupported: the index does not support
  /// the filter. Unavailable: the index has no complete state.
  virtual Result<SearchPage> search(Call& call, const SearchQuery& query, Visitor<SearchHit> visitor) = 0;

  /// Visits queries that complete the last word of `q`, then items whose titles contain what was typed, the most likely
  /// first. Each kind fills half of `limit`, or more if the other kind has fewer. A `q` that is not a valid query has
  /// no suggestions. InvalidArgument with `parameter` limit; Unavailable: see search().
  virtual Status suggest(Call& call, std::string_view q, std::uint64_t limit, Visitor<Suggestion> visitor) = 0;
};

}  // namespace kbase::ports
