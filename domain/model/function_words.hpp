// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domain/model/query.hpp"

namespace kbase::model {

/// Marks the function words among the Words below the root as optional: articles, pronouns, prepositions and auxiliary
/// verbs, with which people ask ("how do I roll back"). None is marked if no other operand is left that must match.
///
/// The languages are those of the query, as far as its function words show: a word that is also a content word
/// elsewhere, such as French `car`, needs a second one in the query. A word in capitals, such as `IT` or `WHO`, is an
/// abbreviation, unless the whole query is in capitals.
void mark_function_words(QueryNode& root);

}  // namespace kbase::model
