// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/markdown_lines.hpp"

#include <algorithm>
#include <array>

#include "adapters/markup/tags.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {

namespace {

// Compared here one by one, since most lines have no white space at their ends.
constexpr bool is_blank_or_end(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Whether the text may be MDX: a line begins like an import or export, or it has a comment of JSX.
bool may_be_mdx(std::string_view text) {
  if (text.find("{/*") != npos) return true;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.starts_with("import ") || line.starts_with("export ")) return true;
  }
  return false;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank_or_end(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank_or_end(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view line_of(std::string_view text) {
  text = text.substr(0, kMaxNotation);
  return text.substr(0, text.find('\n'));
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::size_t indent_of(std::string_view line) {
  std::size_t column = 0;
  for (const char c : line) {
    if (c == ' ')
      ++column;
    else if (c == '\t')
      column = column / 4 * 4 + 4;
    else
      break;
  }
  return column;
}

std::string_view dedent(std::string_view line, std::size_t columns) {
  std::size_t column = 0;
  while (column < columns && !line.empty() && (line.front() == ' ' || line.front() == '\t')) {
    column = line.front() == ' ' ? column + 1 : column / 4 * 4 + 4;
    line.remove_prefix(1);
  }
  return line;
}

std::size_t list_marker(std::string_view line) {
  std::size_t end = 0;
  if (!line.empty() && (line[0] == '-' || line[0] == '*' || line[0] == '+')) {
    end = 1;
  } else {
    while (end < line.size() && end < 9 && ascii::is_digit(line[end])) ++end;
    if (end == 0 || end == line.size() || (line[end] != '.' && line[end] != ')')) return 0;
    ++end;
  }
  if (end < line.size() && line[end] != ' ' && line[end] != '\t') return 0;
  while (end < line.size() && (line[end] == ' ' || line[end] == '\t')) ++end;
  return end;
}

std::string_view without_containers(std::string_view line) {
  for (line = trim(line); !line.empty();) {
    const std::size_t marker = line.front() == '>' ? 1 : list_marker(line);
    if (marker == 0) break;
    line = trim(line.substr(marker));
  }
  return line;
}

std::optional<Fence> Fence::opened_by(std::string_view line) {
  if (line.size() < 3 || (line[0] != '`' && line[0] != '~')) return std::nullopt;
  const std::size_t length = std::min(line.find_first_not_of(line[0]), line.size());
  if (length < 3 || (line[0] == '`' && line.find('`', length) != npos)) return std::nullopt;
  return Fence{line[0], length};
}

bool is_prose_directive(std::string_view info) {
  if (!info.starts_with('{')) return false;
  const std::string_view name = info.substr(1, info.find('}') - 1);
  constexpr std::array<std::string_view, 18> kNames = {
      "admonition", "attention", "caution", "danger",       "deprecated",     "dropdown",
      "error",      "grid",      "hint",    "important",    "margin",         "note",
      "seealso",    "sidebar",   "tip",     "versionadded", "versionchanged", "warning"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_import(std::string_view line) {
  if (line.starts_with("import ")) {
    const std::string_view rest = trim(line.substr(7));
    return rest.starts_with('"') || rest.starts_with('\'') || rest.starts_with('{') || rest.starts_with("* as ") ||
           rest.find(" from ") != npos || (!rest.empty() && rest.ends_with(','));
  }
  if (!line.starts_with("export ")) return false;
  const std::string_view rest = trim(line.substr(7));
  for (const std::string_view word : {"const ", "let ", "var ", "function ", "async ", "default ", "class ", "{", "*"})
    if (rest.starts_with(word)) return true;
  return false;
}

bool is_mdx(std::string_view text) {
  if (!may_be_mdx(text)) return false;
  Fence fence;
  for (bool is_code = false; !text.empty();) {
    const std::string_view line = next_line(text);
    const std::string_view inner = without_containers(line);
    if (is_code) {
      is_code = !fence.is_closed_by(inner);
    } else if (const auto opened = Fence::opened_by(inner)) {
      fence = *opened;
      is_code = true;
    } else if (is_import(line)) {
      return true;
    } else if (inner.starts_with("{/*")) {
      return true;
    }
  }
  return false;
}

bool is_unresolved_include(std::string_view line) {
  return line.starts_with("{{#") || line.find(kSnippet) != npos || line.starts_with("<<<") ||
         (line.starts_with("{%") && line.find("include") != npos);
}

bool is_property(std::string_view line) {
  const std::size_t end = line.find("::");
  if (end == npos || end == 0 || (end + 2 < line.size() && line[end + 2] != ' ')) return false;
  return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char c) { return ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '/'; });
}

std::string_view directive_title(std::string_view directive) {
  if (const std::size_t bracket = directive.find('['); bracket != npos) {
    const std::size_t end = directive.rfind(']');
    if (end != npos && end > bracket) return directive.substr(bracket + 1, end - bracket - 1);
  }
  if (const auto title = parameter_of(directive, "title"); !title.empty()) return title;
  const std::string_view rest = trim(directive.substr(std::min(directive.find_first_of(" {"), directive.size())));
  return rest.starts_with('{') || rest.find("=\"") != npos ? std::string_view() : rest;
}

}  // namespace kbase::markup
