// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/rule.hpp"

#include <algorithm>

namespace kbase::plugin_check {

int line_of(const Rule& rule) {
  const auto headers = header_texts();
  const auto header = std::find_if(headers.begin(), headers.end(),
                                   [&](const HeaderText& candidate) { return candidate.name == rule.header; });
  if (header == headers.end()) return 0;
  const std::size_t found = header->text.find(rule.anchor);
  if (found == std::string_view::npos) return 0;
  if (header->text.find(rule.anchor, found + 1) != std::string_view::npos) return 0;
  return 1 + static_cast<int>(std::count(header->text.begin(), header->text.begin() + static_cast<long>(found), '\n'));
}

std::string place_of(const Rule& rule) {
  const int line = line_of(rule);
  return std::string(rule.header) + (line > 0 ? ":" + std::to_string(line) : "") + ", " + std::string(rule.about);
}

}  // namespace kbase::plugin_check
