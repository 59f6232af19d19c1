// SPDX-License-Identifier: Apache-2.0
// The notations of InlineNotations that begin with a square bracket.
#include <algorithm>

#include "adapters/markup/markdown_lines.hpp"
#include "adapters/markup/notations.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {

std::size_t InlineNotations::bracket(std::string_view rest) {
  if (rest.starts_with("[[")) return wiki_link(rest);
  if (rest.starts_with("[^")) return footnote(rest);
  if (rest.starts_with("[!")) return alert(rest);
  const std::string_view line = line_of(rest);
  for (const std::string_view contents : {"[TOC]", "[toc]"})
    if (line.starts_with(contents) && trim(line.substr(contents.size())).empty() && is_at_line_start())
      return contents.size();
  return spaced_link(line);
}

/// "[text](Name of a page)" of Logseq; the target of a link of CommonMark has no spaces.
std::size_t InlineNotations::spaced_link(std::string_view line) {
  const std::size_t middle = line.find("](");
  const std::size_t end = middle == npos ? npos : line.find(')', middle);
  if (end == npos || line.substr(1, middle - 1).find_first_of("[]`") != npos) return 0;
  const std::string_view target = trim(line.substr(middle + 2, end - middle - 2));
  if (target.find(' ') == npos || target.find_first_of("<\"'({`") != npos) return 0;
  if (previous() == '!')
    out_->pop_back();
  else
    out_->append(line.substr(1, middle - 1));
  return end + 1;
}

/// "[[Page]]", "[[Page|text]]", "[[Page#Heading]]", "[[_TOC_]]".
std::size_t InlineNotations::wiki_link(std::string_view rest) {
  const std::string_view line = line_of(rest);
  const std::size_t end = line.find(']', 2);
  if (end == npos || line.substr(end, 2) != "]]" || line.substr(end, 3) == "]](") return 0;
  std::string_view inside = line.substr(2, end - 2);
  if (inside.empty() || inside.find('[') != npos) return 0;
  if (ascii::to_lower(inside) == "toc" || inside == "_TOC_") return end + 2;
  if (const std::size_t bar = inside.rfind('|'); bar != npos) {
    inside.remove_prefix(bar + 1);
    if (line[bar + 1] == '\\') return 0;
  } else if (inside.front() == '#') {
    inside.remove_prefix(std::min(inside.find_first_not_of("#^"), inside.size()));
  } else {
    inside = inside.substr(0, inside.find('#'));
  }
  if (!out_->empty() && previous() == '#') out_->pop_back();  // a tag of Logseq: #[[name]]
  out_->append(inside.substr(0, inside.find_last_not_of('\\') + 1));
  return end + 2;
}

std::size_t InlineNotations::footnote(std::string_view rest) {
  const std::size_t end = line_of(rest).find(']');
  if (end == npos || end == 2 || rest.substr(2, end - 2).find_first_of(" \t") != npos) return 0;
  const bool is_definition = rest.substr(end + 1).starts_with(':') && is_at_line_start();
  return end + (is_definition ? 2 : 1);
}

/// "[!NOTE]" of GitHub and Obsidian, "[!INCLUDE [title](file)]" and "[!VIDEO address]" of Microsoft.
std::size_t InlineNotations::alert(std::string_view rest) {
  const std::string_view line = line_of(rest);
  const std::size_t end_of_name = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_|", 2);
  if (end_of_name == npos || end_of_name < 4) return 0;
  if (line[end_of_name] == ']') {
    const bool is_foldable =
        end_of_name + 1 < line.size() && (line[end_of_name + 1] == '-' || line[end_of_name + 1] == '+');
    return end_of_name + (is_foldable ? 2 : 1);
  }
  if (!ascii::is_upper(line[3]) || line[end_of_name] != ' ') return 0;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '[') ++depth;
    if (line[at] == ']' && --depth == 0) return at + 1;
  }
  return 0;
}

}  // namespace kbase::markup
