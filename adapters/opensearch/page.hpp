// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/opensearch/contents.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::opensearch {

/// Parameters of one search, with a query of expression.hpp.
struct PageRequest {
  const ports::SearchRequest& search;
  const Json& query;
  std::uint64_t limit = 0;    ///< 0: no matches, only counts
  bool with_contents = true;  ///< false: too large for one response, read them in parts
};
Json page_request(const PageRequest& request);

/// Returns the request for the contents of some items of a page.
Json contents_request(std::span<const std::string_view> ids);

/// A match. The strings are views into the response.
struct PageHit {
  std::string_view id, title, category, content, language;
  std::uint64_t bytes = 0;  ///< size of title and content
  double score = 0;
};

/// Parsed response to a page_request.
struct Page {
  std::uint64_t matches = 0;  ///< number of matches before the filter
  std::uint64_t total = 0;    ///< number of matches after the filter
  double best_score = 0;      ///< of the whole result; 0 if it is empty or not requested
  std::vector<PageHit> hits;
  ports::Facets facets;             ///< requested facets of the filtered matches
  std::optional<FoundState> state;  ///< state that the response is of
};

/// Returns views into `answer`. Unavailable: the response is not valid.
model::Result<Page> read_page(const Json& answer);

}  // namespace kbase::opensearch
