// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/json_lines_sink.hpp"

#include <string_view>
#include <utility>

#include "adapters/content/json_text.hpp"

namespace kbase::content {
namespace {

constexpr std::size_t kWriteBytes = 256 * 1024;

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
  if (!metadata.further.empty()) line.append(",").append(metadata.further);
  line += '}';
}

}  // namespace

model::Result<std::unique_ptr<ports::ContentSink>> JsonLinesSink::open(const std::string& name) {
  auto file = OutputFile::open(name.empty() ? "-" : name);
  if (!file) return file.error();
  return {std::make_unique<JsonLinesSink>(std::move(*file))};
}

model::Status JsonLinesSink::put(const model::CategoryView& category) {
  append_text(lines_, R"({"type":"category","id":)", category.id);
  append_text(lines_, R"(,"name":)", category.name);
  append_text(lines_, R"(,"description":)", category.description);
  append_text(lines_, R"(,"icon":)", category.icon);
  append_list(lines_, R"(,"subcategories":)", category.subcategories);
  return end_line();
}

model::Status JsonLinesSink::put(const model::ItemView& item) {
  append_text(lines_, R"({"id":)", item.id);
  append_text(lines_, R"(,"title":)", item.title);
  append_text(lines_, R"(,"category":)", item.category);
  append_text(lines_, R"(,"content":)", item.content);
  append_list(lines_, R"(,"tags":)", item.tags);
  append_metadata(lines_, item.metadata);
  append_list(lines_, R"(,"related":)", item.related);
  return end_line();
}

model::Status JsonLinesSink::put(const ports::ActivityRecord& activity) {
  append_text(lines_, R"({"type":"activity","item":)", activity.item);
  lines_ += R"(,"days":)";
  char before = '{';
  for (const ports::DayViews& day : activity.days) {
    lines_ += before;
    before = ',';
    append_text(lines_, "", model::format_day(day.day));
    lines_.append(":").append(std::to_string(day.views));
  }
  lines_ += before == '{' ? "{}" : "}";
  return end_line();
}

model::Status JsonLinesSink::end_line() {
  lines_ += "}\n";
  if (lines_.size() < kWriteBytes) return {};
  auto written = file_->write(lines_);
  lines_.clear();
  return written;
}

model::Status JsonLinesSink::finish() {
  if (auto written = file_->write(lines_); !written) return written;
  lines_.clear();
  return file_->finish();
}

}  // namespace kbase::content
