// SPDX-License-Identifier: Apache-2.0
// The notations of InlineNotations that begin with a square bracket.
#include <algorithm>
#include <string>

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
  if (const std::size_t link = undefined_link(rest); link != 0) return link;
  return spaced_link(line);
}

/// "[text][name]" and "[text][]" whose name only the site's generator knows (mkdocs-autorefs, mkdocstrings).
std::size_t InlineNotations::undefined_link(std::string_view rest) {
  constexpr std::size_t kLongest = 200;  // bytes of the text, and of the name
  const std::size_t middle = rest.substr(0, kLongest).find(']');
  if (middle == npos || middle < 2 || ascii::is_alphanumeric(previous()) || previous() == '!') return 0;
  const std::string_view text = rest.substr(1, middle - 1);
  const std::size_t open = rest.find_first_not_of(" \n", middle + 1);
  if (open == npos || open > middle + 2 || rest[open] != '[') return 0;
  const std::size_t end = rest.substr(0, open + kLongest).find(']', open);
  if (end == npos) return 0;
  const std::string_view name = rest.substr(open + 1, end - open - 1);
  if (text.find('[') != npos || text.find("\n\n") != npos || name.find_first_of("[\\`^\n") != npos) return 0;
  const bool is_apart = open != middle + 1;  // only a name like that of an option is then one of a link
  if (is_apart && (name.find('.') == npos || name.find(' ') != npos)) return 0;
  if (is_defined(name.empty() ? text : name)) return 0;
  out_->append(text);
  return end + 1;
}

/// Whether the document has a definition of the link: "[name]: target", indented by at most three columns.
bool InlineNotations::is_defined(std::string_view link) {
  if (!defined_) {
    defined_.emplace();
    for (std::string_view rest = document_; !rest.empty();) {
      const std::string_view line = next_line(rest);
      const std::size_t begin = line.find_first_not_of(' ');
      if (begin == npos || begin > 3 || line[begin] != '[') continue;
      if (const std::size_t end = line.find("]:", begin); end != npos)
        defined_->insert(ascii::to_lower(line.substr(begin + 1, end - begin - 1)));
    }
  }
  return defined_->contains(ascii::to_lower(link));
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
    const std::string_view kind = callout_kind(line.substr(2, end_of_name - 2));
    if (dialect_.callouts == Callouts::AsBlocks && !kind.empty()) out_->append(callout_mark(kind, {})).append(" ");
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
