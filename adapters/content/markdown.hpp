// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/content/front_matter.hpp"
#include "adapters/content/record_parser.hpp"

namespace kbase::content {

/// Values that the place of a file in its folder gives.
struct MarkdownPlace {
  std::string_view id;        ///< id if the front matter has none; also the title if there is no heading either
  std::string_view category;  ///< category if the front matter has none
};

/// Reads items and categories from the text of whole files: Markdown with optional YAML front matter (see item_json),
/// and _category.yaml. Reuses its memory for each record. Not thread-safe.
class MarkdownParser {
 public:
  /// Returns the item, or a Reject without a text. The content is the unchanged text after the front matter. The title
  /// is that of the front matter, else the first heading "# ...", else the id. The result is a view of the parser and
  /// of `text`, valid until the next call.
  Record item(std::string_view text, const MarkdownPlace& place);

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
/// empty: there is none.
std::string_view first_heading(std::string_view markdown);

}  // namespace kbase::content
