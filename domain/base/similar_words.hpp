// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbase {

/// Returns the number of insertions, deletions, substitutions and transpositions of adjacent bytes that turn `a` into
/// `b` (optimal string alignment, Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the word of `known` that was most probably meant by `typed`. Empty: none is similar.
template <class Words> std::string nearest(std::string_view typed, const Words& known) {
  std::size_t least = 1 + typed.size() / 4;  // maximum number of edits
  std::string best;
  for (const auto& word : known) {
    const std::size_t distance = edit_distance(typed, word);
    if (distance > least || (distance == least && !best.empty())) continue;
    least = distance;
    best = word;
  }
  return best;
}

}  // namespace kbase
