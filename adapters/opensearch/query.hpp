// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/response.hpp"
#include "adapters/text/query.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::opensearch {

/// A query in OpenSearch's Query DSL, for both match rules. The user's text enters it only as analysed words. Matching
/// uses the field `text`; scoring uses `words` and `exact` and counts each word of the query once, like the native
/// index, however the query is nested.
struct Expression {
  Json all_words;
  Json any_word;
  std::size_t clauses = 0;  ///< with fewer than two the rules are equivalent
};

/// Translates a query that can match.
Expression translate_query(const text::Query& query);

/// Returns a query that matches every item with the same score.
Json match_all_items();

/// Parameters of one search, with a query of an Expression.
struct PageRequest {
  const ports::SearchRequest& search;
  const Json& query;
  std::uint64_t limit = 0;    ///< 0: no matches, only counts
  bool with_contents = true;  ///< false: too large for one response, read them in parts
};
Json make_page_request(const PageRequest& request);

/// Returns the request for the contents of some items of a page.
Json make_contents_request(std::span<const std::string_view> ids);

/// A match. The strings are views into the response.
struct PageHit {
  std::string_view id, title, category, content, language;
  std::uint64_t bytes = 0;  ///< size of title and content
  double score = 0;
};

/// Parsed response to a make_page_request.
struct Page {
  std::uint64_t matches = 0;  ///< number of matches before the filter
  std::uint64_t total = 0;    ///< number of matches after the filter
  double best_score = 0;      ///< of the whole result; 0 if it is empty or not requested
  std::vector<PageHit> hits;
  ports::Facets facets;              ///< requested facets of the filtered matches
  std::optional<StoredState> state;  ///< state that the response is of
};

/// Returns views into `response`. Unavailable: the response is not valid.
Result<Page> parse_page(const Json& response);

}  // namespace kbase::opensearch
