// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adapters/text/query.hpp"

namespace kbase::fts5 {

/// A query in FTS5's language (https://www.sqlite.org/fts5.html#full_text_query_syntax), under both rules of matching.
/// Nothing of the user's text gets there but analysed terms, quoted.
struct Expression {
  std::string all_words;
  std::string any_word;                ///< the same phrases in the same order
  std::vector<double> phrase_weights;  ///< what each of them counts in the score
  std::size_t clauses = 0;             ///< with fewer than two both rules are one
};

/// Of a query that can match.
Expression expression_of(const text::Query& query);

}  // namespace kbase::fts5
