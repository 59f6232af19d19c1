// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/corrected_query.hpp"

#include <algorithm>

#include "domain/usecases/ascii.hpp"

namespace kbase::usecases {
namespace {

bool is_at(std::string_view text, std::size_t at, std::string_view word) {
  if (text.size() - at < word.size()) return false;
  if (!std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                  [](char a, char b) { return lower(a) == lower(b); }))
    return false;
  const std::size_t end = at + word.size();
  return (at == 0 || !may_be_in_word(text[at - 1])) && (end == text.size() || !may_be_in_word(text[end]));
}

/// Replaces all occurrences of the word. False: there is none.
bool replace(std::string& text, const ports::Correction& correction) {
  bool is_found = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (correction.word.empty() || !is_at(text, at, correction.word)) continue;
    text.replace(at, correction.word.size(), correction.replacement);
    at += correction.replacement.size();
    is_found = true;
  }
  return is_found;
}

}  // namespace

std::string corrected_query(std::string_view q, std::span<const ports::Correction> corrections) {
  if (corrections.empty()) return {};
  std::string text(q);
  const bool are_found = std::all_of(corrections.begin(), corrections.end(),
                                     [&](const ports::Correction& correction) { return replace(text, correction); });
  return are_found ? text : std::string();
}

}  // namespace kbase::usecases
