// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "adapters/opensearch/json.hpp"
#include "adapters/text/query.hpp"

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
Expression expression_of(const text::Query& query);

/// Returns a query that matches every item with the same score.
Json every_item();

}  // namespace kbase::opensearch
