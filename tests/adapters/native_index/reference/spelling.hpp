// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kbase::tests {

bool has_digit(std::string_view word);

/// Typo tolerance of a query word (docs/guide/matching.md): 1 mistake from 4 characters on, 2 from 8 on, 0 with a
/// digit.
unsigned tolerated_mistakes(std::string_view word);

/// Damerau-Levenshtein distance over code points, as optimal string alignment.
unsigned mistakes_between(std::string_view one, std::string_view other);

}  // namespace kbase::tests
