// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ports/driven/search_index.hpp"

namespace kbase::usecases {

/// The query with each corrected word as it counted. Empty: none was corrected, or one cannot be found in the text,
/// since an index names words as it compares them: letters of ASCII in either case are found, accents are not.
std::string corrected_query(std::string_view q, std::span<const ports::Correction> corrections);

}  // namespace kbase::usecases
