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

/// What is asked of one search, with a query of expression.hpp.
struct PageRequest {
  const ports::SearchRequest& search;
  const Json& query;
  std::uint64_t limit = 0;    ///< 0: without its matches
  bool with_contents = true;  ///< false: they would be too much for one answer, and are asked for in parts
};
Json page_request(const PageRequest& request);

/// What is asked for the contents of some items of a page.
Json contents_request(std::span<const std::string_view> ids);

/// A match; its texts are the answer's.
struct PageHit {
  std::string_view id, title, category, content, language;
  std::uint64_t bytes = 0;  ///< of title and content
  double score = 0;
};

/// The answer to a page_request.
struct Page {
  std::uint64_t matches = 0;  ///< before the filter
  std::uint64_t total = 0;    ///< after it
  double best_score = 0;      ///< of the whole result; 0 where it was not asked for, or is empty
  std::vector<PageHit> hits;
  ports::Facets facets;             ///< those that were asked for, of the total
  std::optional<FoundState> state;  ///< that it is of
};

/// Views into `answer`. Unavailable: it is no such answer.
model::Result<Page> read_page(const Json& answer);

}  // namespace kbase::opensearch
