// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/json_lines_sink.hpp"

#include <utility>

#include "adapters/content/record_text.hpp"

namespace kbase::content {
namespace {

constexpr std::size_t kWriteBytes = 256 * 1024;

}  // namespace

model::Result<std::unique_ptr<ports::ContentSink>> JsonLinesSink::open(const std::string& name) {
  auto file = OutputFile::open(name.empty() ? "-" : name);
  if (!file) return file.error();
  return {std::make_unique<JsonLinesSink>(std::move(*file))};
}

model::Status JsonLinesSink::put(const model::CategoryView& category) {
  append_line(lines_, category);
  return write_many();
}

model::Status JsonLinesSink::put(const model::ItemView& item) {
  append_line(lines_, item);
  return write_many();
}

model::Status JsonLinesSink::put(const ports::ActivityRecord& activity) {
  append_line(lines_, activity);
  return write_many();
}

/// Writes the pending lines if there are at least kWriteBytes of them.
model::Status JsonLinesSink::write_many() {
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
