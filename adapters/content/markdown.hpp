// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/content/front_matter.hpp"
#include "adapters/content/record_parser.hpp"

namespace kbase::content {

/// What a file's place in the folder says.
struct MarkdownPlace {
  std::string_view id;        ///< where the front matter has none; the title too, where there is no heading either
  std::string_view category;  ///< where the front matter has none
};

/// Reads items and categories out of the text of whole files: Markdown whose front matter, if any, is YAML (see
/// item_json), and _category.yaml. Keeps its memory from record to record. One thread.
class MarkdownParser {
 public:
  /// The item, or a Reject without a text. The content is the file's text after the front matter, as it stands; the
  /// title that of the front matter, else the first heading "# ...", else the id. A loan of the parser and of `text`
  /// until the next call.
  Record item(std::string_view text, const MarkdownPlace& place);

  /// The category of a _category.yaml, or a Reject without a text; a loan as above.
  Record category(std::string_view yaml, std::string_view default_id);

  /// The line of the last text, counted from 1, that its Reject is about; 0: the file as a whole.
  std::uint64_t defect_line() const { return defect_line_; }
  /// The names of the last text's members that kbase knows nothing of; a loan as above.
  const ports::UnknownMembers& unknown() const { return unknown_; }

 private:
  Record reject(std::string_view reason, std::uint64_t line);
  /// `first_line` is the file's line on which the YAML starts.
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

/// The text of the first ATX heading of level 1 outside fenced code (CommonMark 0.31, sections 4.2 and 4.5); empty:
/// there is none.
std::string_view first_heading(std::string_view markdown);

}  // namespace kbase::content
