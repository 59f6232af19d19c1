// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/rule.hpp"

#include <algorithm>
#include <initializer_list>

namespace kbase::plugin_check {
namespace {

constexpr std::string_view kBase = "kbase/base.h";

/// Returns the position of the first of the texts that occurs at or after `from`; npos: none does.
std::size_t find_any(std::string_view text, std::initializer_list<std::string> wanted, std::size_t from = 0) {
  for (const std::string& each : wanted)
    if (const std::size_t found = text.find(each, from); found != std::string_view::npos) return found;
  return std::string_view::npos;
}

/// "rule 4 of the headers", "create of every table", "every table": paragraphs of the comments in kbase/base.h.
std::size_t find_paragraph(std::string_view text, std::string_view name) {
  if (name == "every table") return text.find("what every port's table begins with");
  if (name.starts_with("rule "))
    return find_any(text, {" *  " + std::string(name.substr(5, name.find(' ', 5) - 5)) + "."});
  return find_any(text, {"\n * " + std::string(name.substr(0, name.find(' '))) + "  "});
}

/// A constant, a sink, a function, a struct or a member of one.
std::size_t find_declaration(std::string_view text, std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string outer(name.substr(0, dot));
  if (dot == std::string_view::npos)
    return find_any(text, {"#define " + outer + " ", "#define " + outer + "\n", "(*" + outer + ")",
                           "typedef struct " + outer + " {", "\n" + outer + "("});
  const std::size_t start = text.find("typedef struct " + outer + " {");
  if (start == std::string_view::npos) return start;
  const std::string member(name.substr(dot + 1));
  return find_any(text, {"(*" + member + ")(", " " + member + ";", " " + member + "[", "*" + member + ";"}, start);
}

std::size_t find_rule(const HeaderText& header, std::string_view name) {
  if (name == header.name) return 0;
  if (name.find(' ') == std::string_view::npos) return find_declaration(header.text, name);
  return header.name == kBase ? find_paragraph(header.text, name) : std::string_view::npos;
}

}  // namespace

HeaderLine line_of(const Rule& rule) {
  for (const HeaderText& header : header_texts()) {
    const std::size_t found = find_rule(header, rule.name);
    if (found == std::string_view::npos) continue;
    const std::size_t start = found + (header.text[found] == '\n' ? 1 : 0);
    const auto lines = std::count(header.text.begin(), header.text.begin() + static_cast<long>(start), '\n');
    return {header.name, 1 + static_cast<int>(lines)};
  }
  return {};
}

std::string place_of(const Rule& rule) {
  const HeaderLine found = line_of(rule);
  if (found.header.empty() || found.header == rule.name) return std::string(rule.name);
  return std::string(found.header) + ":" + std::to_string(found.line) + ", " + std::string(rule.name);
}

}  // namespace kbase::plugin_check
