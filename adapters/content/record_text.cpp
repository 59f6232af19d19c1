// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/record_text.hpp"

#include <string_view>

#include "adapters/content/json_text.hpp"

namespace kbase::content {
namespace {

void append_text(std::string& line, std::string_view key, std::string_view text) {
  line += key;
  append_json_string(line, text);
}

void append_list(std::string& line, std::string_view key, model::TextList texts) {
  line.append(key).append("[");
  for (std::size_t i = 0; i < texts.size(); ++i) append_text(line, i == 0 ? "" : ",", texts[i]);
  line += ']';
}

void append_metadata(std::string& line, const model::MetadataView& metadata) {
  append_text(line, R"(,"metadata":{"author":)", metadata.author);
  append_text(line, R"(,"created":)", model::format_day(metadata.created));
  append_text(line, R"(,"updated":)", model::format_day(metadata.updated));
  line.append(R"(,"views":)").append(std::to_string(metadata.views));
  if (!metadata.extra.empty()) line.append(",").append(metadata.extra);
  line += '}';
}

}  // namespace

void append_line(std::string& lines, const model::CategoryView& category) {
  append_text(lines, R"({"type":"category","id":)", category.id);
  append_text(lines, R"(,"name":)", category.name);
  append_text(lines, R"(,"description":)", category.description);
  append_text(lines, R"(,"icon":)", category.icon);
  append_list(lines, R"(,"subcategories":)", category.subcategories);
  lines += "}\n";
}

void append_line(std::string& lines, const model::ItemView& item) {
  append_text(lines, R"({"id":)", item.id);
  append_text(lines, R"(,"title":)", item.title);
  append_text(lines, R"(,"category":)", item.category);
  append_text(lines, R"(,"content":)", item.content);
  append_list(lines, R"(,"tags":)", item.tags);
  append_metadata(lines, item.metadata);
  append_list(lines, R"(,"related":)", item.related);
  lines += "}\n";
}

void append_line(std::string& lines, const ports::ActivityRecord& activity) {
  append_text(lines, R"({"type":"activity","item":)", activity.item);
  lines += R"(,"days":)";
  char before = '{';
  for (const ports::DayViews& day : activity.days) {
    lines += before;
    before = ',';
    append_text(lines, "", model::format_day(day.day));
    lines.append(":").append(std::to_string(day.views));
  }
  lines += before == '{' ? "{}" : "}";
  lines += "}\n";
}

}  // namespace kbase::content
