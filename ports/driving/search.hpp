// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/query.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/validator.hpp"

namespace kbase::ports {

/// The bounds of GET /search (docs/guide/search.md and sorting-and-paging.md).
inline constexpr std::uint64_t kDefaultSearchLimit = 20;
inline constexpr std::uint64_t kMaxSearchLimit = 100;
inline constexpr std::uint64_t kMaxSearchDepth = 100'000;  ///< no page reaches past this many results
inline constexpr std::uint64_t kMaxOffset = (1ULL << 53) - 1;

struct SearchQuestion {
  std::string_view q;
  SearchFilter filter;
  std::uint64_t limit = kDefaultSearchLimit;
  std::uint64_t offset = 0;
  model::Sort sort = model::Sort::Relevance;
  model::FallbackBelow fallback_below = model::kDefaultFallbackBelow;
  WantedFacets facets;
  bool highlights =
      false;  ///< whether hits come with the places of what matched; none where the index does not know them
};

struct SearchPage {
  std::uint64_t total = 0;
  std::optional<std::uint64_t> next_offset;  ///< none on the last page
  model::MatchRule rule = model::MatchRule::AllWords;
  std::vector<Correction> corrections;
  std::string did_you_mean;      ///< `q` with the corrected words as they counted; empty: as it is
  std::optional<Facets> facets;  ///< those that were wanted; none where the index does not count them
  Validator validator;
};

/// The bounds of GET /suggest.
inline constexpr std::uint64_t kDefaultSuggestions = 8;
inline constexpr std::uint64_t kMaxSuggestions = 20;

/// What somebody who has typed so far may be after. Views are loans, see Visitor.
struct Suggestion {
  std::string_view text;  ///< of a query, or the title of an item
  std::string_view item;  ///< its id; empty: a query
};

/// Full-text search. Any thread.
class Search {
 public:
  virtual ~Search() = default;

  /// What an answer given now would be computed on.
  virtual model::Result<Validator> validator(Call& call, model::Sort sort) = 0;

  /// InvalidArgument with `parameter` q, limit or offset; Unsupported: the index does not know the filter;
  /// Unavailable while the index has no complete state.
  virtual model::Result<SearchPage> search(Call& call, const SearchQuestion& question,
                                           model::Visitor<SearchHit> visitor) = 0;

  /// Queries that go on with the last word of `q`, then items that have what was typed in their titles, the likeliest
  /// first: half of `limit` of each, or more of one where the other has fewer. None of less than a query needs.
  /// InvalidArgument and Unavailable as search().
  virtual model::Status suggest(Call& call, std::string_view q, std::uint64_t limit,
                                model::Visitor<Suggestion> visitor) = 0;
};

}  // namespace kbase::ports
