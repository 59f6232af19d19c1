// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "adapters/opensearch/json.hpp"
#include "adapters/text/query.hpp"

namespace kbase::opensearch {

/// A query in OpenSearch's language (Query DSL), under both rules of matching. Nothing of the user's text gets there
/// but analysed words. What matches is asked of the field `text`, and what it is worth of `words` and `exact`: each
/// word of the query once, as the native index ranks, however it is nested.
struct Expression {
  Json all_words;
  Json any_word;
  std::size_t clauses = 0;  ///< with fewer than two both rules are one
};

/// Of a query that can match.
Expression expression_of(const text::Query& query);

/// Every item, with one score.
Json every_item();

}  // namespace kbase::opensearch
