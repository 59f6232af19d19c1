// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/content/output_file.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Writes JSON Lines that read_json_lines() reads back to the same records, see record_text.hpp.
class JsonLinesSink final : public ports::ContentSink {
 public:
  /// Opens a file, packed where its name ends in ".gz"; "-" or no name: standard output. The file is replaced as a
  /// whole in finish(). Unavailable, with the name in the message.
  static model::Result<std::unique_ptr<ports::ContentSink>> open(const std::string& name);

  explicit JsonLinesSink(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

  model::Status put(const model::CategoryView& category) override;
  model::Status put(const model::ItemView& item) override;
  model::Status put(const ports::ActivityRecord& activity) override;
  model::Status finish() override;

 private:
  model::Status write_many();

  std::unique_ptr<OutputFile> file_;
  std::string lines_;  // not yet written
};

}  // namespace kbase::content
