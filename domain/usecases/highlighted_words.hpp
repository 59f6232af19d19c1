// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "domain/model/query.hpp"

namespace kbase::usecases {

/// Whether the marks of a text are of all that the query asks for, rather than of some of it again and again. Marks do
/// not say whose they are, but forms of one word begin alike. Where none does (other accents, capitals beyond ASCII),
/// a mark is taken for a word that is missing.
bool highlights_whole_query(const model::QueryNode& query, std::string_view text,
                            std::span<const model::Highlight> highlights);

}  // namespace kbase::usecases
