// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/markdown.hpp"

#include <algorithm>

#include "domain/model/utf8.hpp"

namespace kbase::content {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view stripped(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlank) + 1 - begin);
}

bool opens_fence(std::string_view line) {
  return line.starts_with("```") || line.starts_with("~~~");
}

/// Returns "Title" for "# Title ##": the closing '#' characters are markup.
std::string_view heading_text(std::string_view line) {
  line = stripped(line.substr(1));
  const std::size_t last = line.find_last_not_of('#');
  if (last == std::string_view::npos) return {};
  if (last + 1 < line.size() && kBlank.find(line[last]) != std::string_view::npos)
    line = stripped(line.substr(0, last));
  return line;
}

std::uint64_t line_of(std::string_view text, std::string_view part) {
  return 1 + static_cast<std::uint64_t>(std::count(text.data(), part.data(), '\n'));
}

}  // namespace

std::string_view first_heading(std::string_view markdown) {
  std::string_view fence;  // characters that end the current code block; empty: outside a code block
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size() - 1);
    const std::string_view line = stripped(markdown.substr(0, end + 1 - (markdown[end] == '\n' ? 1 : 0)));
    markdown.remove_prefix(end + 1);
    if (!fence.empty())
      fence = line.starts_with(fence) ? std::string_view() : fence;
    else if (opens_fence(line))
      fence = line.substr(0, 3);
    else if (line.starts_with("# ") || line.starts_with("#\t"))
      return heading_text(line);
  }
  return {};
}

bool MarkdownParser::is_utf8(std::string_view text) {
  if (model::utf8::is_valid(text)) return true;
  std::size_t valid = 0;
  while (const std::size_t length = model::utf8::sequence_length(text.substr(valid))) valid += length;
  reject("is not valid UTF-8", line_of(text, text.substr(valid)));
  return false;
}

Record MarkdownParser::item(std::string_view text, const MarkdownPlace& place) {
  unknown_ = {};
  if (!model::utf8::is_valid(place.id) || !model::utf8::is_valid(place.category))
    return reject("its path is not valid UTF-8", 0);
  if (!is_utf8(text)) return reject(reason_, defect_line_);
  const auto parts = split_front_matter(text);
  if (!parts) return reject(parts.error().message, 1);
  const std::string_view heading = first_heading(parts->body);
  const RecordDefaults defaults{place.id, heading.empty() ? place.id : heading, place.category};
  Record record = parse(items_, item_json(parts->front_matter, defaults), 2);
  unknown_.kept = unknown_names_;
  if (auto* item = std::get_if<ports::ItemRecord>(&record)) item->content = parts->body;
  return record;
}

Record MarkdownParser::category(std::string_view yaml, std::string_view default_id) {
  unknown_ = {};
  if (!is_utf8(yaml)) return reject(reason_, defect_line_);
  const Record record = parse(categories_, category_json(yaml, default_id), 1);
  unknown_.passed_over = unknown_names_;
  return record;
}

Record MarkdownParser::parse(RecordParser& parser, JsonOrDefect json, std::uint64_t first_line) {
  unknown_names_.clear();
  if (const auto* defect = std::get_if<YamlDefect>(&json)) return reject(defect->reason, defect->line + first_line - 1);
  json_ = std::get<RecordJson>(std::move(json));
  unknown_names_.assign(json_.unknown.begin(), json_.unknown.end());
  defect_line_ = 0;
  const Record record = parser.parse(json_.text);
  const auto* bad = std::get_if<ports::Reject>(&record);
  if (bad == nullptr) return record;
  const auto line = json_.line_of(parser.defect_member());
  return reject(bad->reason, line ? *line + first_line - 1 : 1);
}

Record MarkdownParser::reject(std::string_view reason, std::uint64_t line) {
  reason_ = std::string(reason);
  defect_line_ = line;
  return ports::Reject{reason_, {}};
}

}  // namespace kbase::content
