// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adapters/text/analyzer.hpp"
#include "adapters/text/query.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::text {

/// Returns whether an item has the one word, or whether two words that were typed as one word are meant.
using WordLookup = FunctionRef<bool(std::span<const QueryWord>)>;

/// Adapts the substitutes of the query's words to an index. Removes those with a word that the index does not have.
/// For a word that it does not have, adds two words that it has next to each other: `wifi` also matches `wi fi`. Marks
/// clauses of one word that it has. `languages`: as in analyze_query().
void adapt_substitutes(Query& query, Analyzer& analyzer, std::span<const Language> languages, WordLookup is_known);

}  // namespace kbase::text
