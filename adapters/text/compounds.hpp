// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "adapters/text/query.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::text {

/// Whether the language writes words together as one: German, Dutch and the Nordic languages.
bool has_compounds(Language language);

/// The words of the items, in their exact form.
struct Vocabulary {
  using Sink = FunctionRef<void(std::string_view word)>;

  FunctionRef<void(std::string_view part, Sink sink)> visit_containing;  ///< visits each word that contains `part`
  FunctionRef<bool(std::string_view word)> has;                          ///< whether the word is one, or a stem of one
};

/// Adds to each word of the query, as another spelling, the compounds in which it is a part: `Versicherung` also
/// matches `Krankenversicherungsbeitr\u00E4ge`. A part has at least four letters. What remains of the compound before
/// and after it must consist of words of the vocabulary with joining letters and an ending, unless the part is so long
/// that it is hardly there by chance. `languages`: as in analyze_query(); nothing is added if none of them has
/// compounds.
void add_compounds(Query& query, Analyzer& analyzer, std::span<const Language> languages, const Vocabulary& vocabulary);

}  // namespace kbase::text
