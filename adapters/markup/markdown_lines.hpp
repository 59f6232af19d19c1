// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

/// The lines of Markdown: their indentation, the containers that they begin with, and the marks of code blocks.
namespace kbase::markup {

inline constexpr auto npos = std::string_view::npos;
inline constexpr std::string_view kBlank = " \t\r";
inline constexpr std::string_view kSpace = " \t\r\n";

/// Returns the text without the white space around it.
std::string_view trim(std::string_view text);

/// Removes the first line from `text` and returns it without its line end.
std::string_view next_line(std::string_view& text);

/// Longest notation within a line, in bytes, so that the time to read a text stays linear.
inline constexpr std::size_t kMaxNotation = 4096;

/// Returns the first line of `text`, as far as a notation can reach.
std::string_view line_of(std::string_view text);

/// Returns the column of the first character that is not white space; a tab reaches to the next multiple of four.
std::size_t indent_of(std::string_view line);

/// Returns the line without its first `columns` columns of white space.
std::string_view dedent(std::string_view line, std::size_t columns);

/// Returns the length of a list marker with the white space after it; 0: the line starts with no marker.
std::size_t list_marker(std::string_view line);

/// Returns what follows the quote marks and list markers at the start of a line.
std::string_view without_containers(std::string_view line);

/// The mark that opens a fenced code block (CommonMark 4.5).
struct Fence {
  char mark = '`';
  std::size_t length = 0;

  static std::optional<Fence> opened_by(std::string_view line);
  bool is_closed_by(std::string_view line) const {
    return line.size() >= length && line.find_first_not_of(mark) == npos;
  }
};

/// Whether a block with this info string is a directive of MyST whose content is not code.
bool is_prose_directive(std::string_view info);

/// Whether a line begins an import or export of MDX.
bool is_import(std::string_view line);

/// Whether the document is MDX: outside of code it has an import, an export, or a comment of JSX.
bool is_mdx(std::string_view text);

/// The mark of an included file (MkDocs).
inline constexpr std::string_view kSnippet = "--8<--";

/// Whether a line of code includes a file that the import has not found.
bool is_unresolved_include(std::string_view line);

/// Whether a line is a property of Logseq: "title:: Contents".
bool is_property(std::string_view line);

/// Returns the title of a directive that begins with its name: "note Title", "note[Title]", "note title="Title"".
std::string_view directive_title(std::string_view directive);

}  // namespace kbase::markup
