// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/content/record_parser.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// An error in a YAML text, and its line (counted from 1).
struct YamlDefect {
  std::uint64_t line = 1;
  std::string reason;
};

/// A record read from YAML, as JSON text in the form of a JSON Lines record.
struct RecordJson {
  struct MemberLine {
    std::string name;
    std::uint64_t line;  ///< line in the YAML text
  };
  std::string text;
  std::vector<MemberLine> members;   ///< in the order of the YAML text
  std::vector<std::string> unknown;  ///< names that kbase does not know, at most kMaxUnknownMembers

  /// Returns the line of the last member with this name; nullopt: there is no such member.
  std::optional<std::uint64_t> line_of(std::string_view name) const;
};
using JsonOrDefect = std::variant<RecordJson, YamlDefect>;

/// Returns the names that have a meaning in the front matter of an item.
std::vector<std::string_view> front_matter_names();

/// Default values, derived from the path of a file in its folder.
struct FileDefaults {
  std::string_view id;        ///< id if the front matter has none; also the title if there is no heading either
  std::string_view category;  ///< category if the front matter has none
};

/// Reads items and categories from the text of whole files: Markdown with optional YAML front matter and
/// _category.yaml. In front matter, item members keep their names; the members of the metadata and all other
/// members become metadata. A plain scalar that is a number, true, false or null in JSON becomes that; every other
/// scalar becomes a string. An empty value counts as absent. Reuses its memory for each record. Not thread-safe.
class MarkdownParser {
 public:
  /// Returns the item, or a Reject without a text. The content is the unchanged text after the front matter. The title
  /// is that of the front matter, else the first heading "# ...", else the id. The result is a view of the parser and
  /// of `text`, valid until the next call.
  Record item(std::string_view text, const FileDefaults& defaults);

  /// Returns the category of a _category.yaml, or a Reject without a text. The result is a view of the parser, valid
  /// until the next call.
  Record category(std::string_view yaml, std::string_view default_id);

  /// The line in the last text, counted from 1, that its Reject is about; 0: the file as a whole.
  std::uint64_t defect_line() const { return defect_line_; }
  /// The names in the last text that kbase does not know. A view of the parser, valid until the next call.
  const ports::UnknownMembers& unknown() const { return unknown_; }

 private:
  Record reject(std::string_view reason, std::uint64_t line);
  /// `first_line` is the line of the file on which the YAML starts.
  Record parse(RecordParser& parser, JsonOrDefect json, std::uint64_t first_line);
  bool is_utf8(std::string_view text);

  RecordParser items_{RecordKind::Item};
  RecordParser categories_{RecordKind::Category};
  std::string reason_;
  std::uint64_t defect_line_ = 0;
  RecordJson json_;
  std::vector<std::string_view> unknown_names_;
  ports::UnknownMembers unknown_;
};

/// Returns the text of the first ATX heading of level 1 outside fenced code (CommonMark 0.31, sections 4.2 and 4.5);
/// empty if there is no such heading.
std::string_view first_heading(std::string_view markdown);

}  // namespace kbase::content
