// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/liquid.hpp"

#include <algorithm>

#include "adapters/markup/markdown_lines.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

/// Returns the length of the tag or expression at the start of `rest`, which begins with '{'; 0: it begins neither.
std::size_t liquid_length(std::string_view rest) {
  const std::string_view close = rest.starts_with("{%") ? "%}" : rest.starts_with("{{") ? "}}" : "";
  if (close.empty()) return 0;
  const std::size_t end = rest.substr(0, kMaxNotation).find(close, 2);
  return end == npos ? 0 : end + close.size();
}

/// Returns the length of the element at the start of `rest`, which begins with '<', if it shows code; 0: it does not.
std::size_t code_length(std::string_view rest) {
  for (const std::string_view name : {"pre", "code"}) {
    if (ascii::to_lower(rest.substr(1, name.size())) != name || rest.size() <= name.size() + 1) continue;
    const char after = rest[name.size() + 1];
    const std::size_t end = after == '>' || after == ' ' ? rest.find("</" + std::string(name)) : npos;
    if (end != npos) return end;
  }
  return 0;
}

}  // namespace

std::string without_liquid(std::string_view html) {
  if (html.find("{%") == npos) return std::string(html);
  std::string kept;
  kept.reserve(html.size());
  while (!html.empty()) {
    const auto* const mark = std::find_if(html.begin(), html.end(), [](char c) { return c == '<' || c == '{'; });
    const auto plain = static_cast<std::size_t>(mark - html.begin());
    kept += html.substr(0, plain);
    html.remove_prefix(plain);
    if (html.empty()) break;
    if (const std::size_t liquid = html.front() == '{' ? liquid_length(html) : 0) {
      html.remove_prefix(liquid);
      continue;
    }
    const std::size_t length = std::max<std::size_t>(1, html.front() == '<' ? code_length(html) : 0);
    kept += html.substr(0, length);
    html.remove_prefix(length);
  }
  return kept;
}

}  // namespace kbase::markup
