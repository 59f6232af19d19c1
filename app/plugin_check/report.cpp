// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/report.hpp"

#include <algorithm>

namespace kbase::plugin_check {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns true if a word begins at `at`: a capital letter, or the first digit of a number.
bool begins_word(std::string_view name, std::size_t at) {
  return is_upper(name[at]) || (is_digit(name[at]) && !is_digit(name[at - 1]));
}

}  // namespace

std::size_t Certificate::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [&](const Result& result) { return result.outcome.verdict == verdict; }));
}

std::string words_of(std::string_view name) {
  std::string words;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (at > 0 && begins_word(name, at)) words += ' ';
    words += is_upper(name[at]) ? static_cast<char>(name[at] - 'A' + 'a') : name[at];
  }
  return words;
}

}  // namespace kbase::plugin_check
