// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/spelling.hpp"

#include <algorithm>
#include <vector>

#include "domain/base/text.hpp"

namespace kbase::tests {
namespace {

std::vector<std::string_view> characters_of(std::string_view word) {
  std::vector<std::string_view> characters;
  while (!word.empty()) {
    characters.push_back(word.substr(0, utf8::sequence_length(word)));
    word.remove_prefix(characters.back().size());
  }
  return characters;
}

}  // namespace

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

unsigned tolerated_mistakes(std::string_view word) {
  if (has_digit(word)) return 0;
  const std::size_t length = utf8::code_points(word);
  return length >= 8 ? 2 : length >= 4 ? 1 : 0;
}

unsigned mistakes_between(std::string_view one, std::string_view other) {
  const auto a = characters_of(one);
  const auto b = characters_of(other);
  std::vector<std::vector<unsigned>> rows(a.size() + 1, std::vector<unsigned>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = static_cast<unsigned>(i + j);
        continue;
      }
      const unsigned replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  return rows[a.size()][b.size()];
}

}  // namespace kbase::tests
