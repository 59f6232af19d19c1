// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/callouts.hpp"

#include <algorithm>
#include <array>

#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

struct Name {
  std::string_view name, kind;
};

constexpr std::array<Name, 24> kNames = {{
    {"abstract", "note"}, {"attention", "warning"}, {"bug", "danger"},          {"caution", "warning"},
    {"check", "tip"},     {"critical", "danger"},   {"danger", "danger"},       {"deprecated", "warning"},
    {"done", "tip"},      {"error", "danger"},      {"example", "note"},        {"failure", "danger"},
    {"help", "note"},     {"hint", "tip"},          {"important", "important"}, {"info", "note"},
    {"note", "note"},     {"question", "note"},     {"seealso", "note"},        {"success", "tip"},
    {"summary", "note"},  {"tip", "tip"},           {"todo", "note"},           {"warning", "warning"},
}};

constexpr std::string_view kClass = "kind kind-";

}  // namespace

std::string_view callout_kind(std::string_view name) {
  const std::string lower = ascii::to_lower(name);
  const auto found = std::lower_bound(kNames.begin(), kNames.end(), lower,
                                      [](const Name& each, const std::string& text) { return each.name < text; });
  return found == kNames.end() || found->name != lower ? std::string_view() : found->kind;
}

std::string callout_mark(std::string_view kind, std::string_view title) {
  std::string mark("<b class=\"");
  mark.append(kClass).append(kind).append("\">");
  if (title.empty()) {
    mark += static_cast<char>(kind.front() - 'a' + 'A');
    mark.append(kind.substr(1));
  } else {
    mark.append(title);
  }
  return mark.append("</b>");
}

bool is_callout_class(std::string_view value) {
  return value.starts_with(kClass) && std::any_of(kNames.begin(), kNames.end(), [&](const Name& each) {
           return each.kind == value.substr(kClass.size());
         });
}

}  // namespace kbase::markup
