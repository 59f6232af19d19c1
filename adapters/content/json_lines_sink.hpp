// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/content/output_file.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Writes JSON Lines from which read_json_lines() reads the same records (record_text.hpp).
class JsonLinesSink final : public ports::ContentSink {
 public:
  /// Opens a file, compressed if its name ends in ".gz", or standard output for "-" or an empty name. finish() replaces
  /// the file atomically. Errors: Unavailable, with the name in the message.
  static model::Result<std::unique_ptr<ports::ContentSink>> open(const std::string& name);

  explicit JsonLinesSink(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

  model::Status put(const model::CategoryView& category) override;
  model::Status put(const model::ItemView& item) override;
  model::Status put(const ports::ActivityRecord& activity) override;
  model::Status finish() override;

 private:
  model::Status write_many();

  std::unique_ptr<OutputFile> file_;
  std::string lines_;  // lines that are not written yet
};

}  // namespace kbase::content
