// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "domain/model/query.hpp"

namespace kbase::usecases {

/// Whether the highlights cover all words of the query, not only some of them repeatedly. Highlights do not identify
/// their query word, but forms of one word usually start alike. A highlight that matches no query word this way (other
/// accents, capitals outside ASCII) counts for one missing word.
bool highlights_whole_query(const model::QueryNode& query, std::string_view text,
                            std::span<const model::Highlight> highlights);

}  // namespace kbase::usecases
