// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ports/driven/search_index.hpp"

namespace kbase::usecases {

/// Returns the query with the corrections applied. Empty: there are no corrections, or a corrected word does not occur
/// in the text. The index returns words in compared form; ASCII case differences are tolerated, missing accents are
/// not.
std::string corrected_query(std::string_view q, std::span<const ports::Correction> corrections);

}  // namespace kbase::usecases
