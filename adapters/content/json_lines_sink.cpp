// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/content_source.hpp"

#include <string_view>
#include <utility>

#include "adapters/base/json.hpp"
#include "adapters/content/byte_stream.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/result.hpp"

namespace kbase::content {
namespace {

void append_text(std::string& line, std::string_view key, std::string_view text) {
  line += key;
  json::append_string(line, text);
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
  append_text(lines, R"(,"url":)", item.url);
  append_text(lines, R"(,"summary":)", item.summary);
  append_list(lines, R"(,"aliases":)", item.aliases);
  append_text(lines, R"(,"language":)", item.language);
  append_text(lines, R"(,"version":)", item.version);
  append_text(lines, R"(,"format":)", item.format);
  append_text(lines, R"(,"source":)", item.source);
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

void append_line(std::string& lines, const model::SynonymsView& synonyms) {
  lines += R"({"type":"synonyms")";
  if (!synonyms.from.empty()) append_text(lines, R"(,"from":)", synonyms.from);
  append_list(lines, synonyms.from.empty() ? R"(,"words":)" : R"(,"to":)", synonyms.words);
  append_text(lines, R"(,"source":)", synonyms.source);
  lines += "}\n";
}

namespace {

constexpr std::size_t kWriteBytes = 256 * 1024;

class JsonLinesSink final : public ports::ContentSink {
 public:
  explicit JsonLinesSink(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

  Status put(const model::CategoryView& category) override {
    append_line(lines_, category);
    return flush_if_large();
  }

  Status put(const model::ItemView& item) override {
    append_line(lines_, item);
    return flush_if_large();
  }

  Status put(const ports::ActivityRecord& activity) override {
    append_line(lines_, activity);
    return flush_if_large();
  }

  Status put(const model::SynonymsView& synonyms) override {
    append_line(lines_, synonyms);
    return flush_if_large();
  }

  Status finish() override {
    KBASE_TRY(file_->write(lines_));
    lines_.clear();
    return file_->finish();
  }

 private:
  /// Writes the pending lines if there are at least kWriteBytes of them.
  Status flush_if_large() {
    if (lines_.size() < kWriteBytes) return {};
    auto written = file_->write(lines_);
    lines_.clear();
    return written;
  }

  std::unique_ptr<OutputFile> file_;
  std::string lines_;  // lines that are not written yet
};

}  // namespace

Result<std::unique_ptr<ports::ContentSink>> open_sink(const std::string& name) {
  auto file = KBASE_TRY(open_output(name.empty() ? "-" : name));
  return {std::make_unique<JsonLinesSink>(std::move(file))};
}

}  // namespace kbase::content
