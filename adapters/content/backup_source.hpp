// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/content/byte_stream.hpp"
#include "ports/driven/backup_file.hpp"

namespace kbase::content {

/// Reads the backups that JsonLinesBackupSink writes, packed or not, with no more of one in memory than a line. The
/// file stays open from the first reading to the last, so that all are of one file, whatever takes its name meanwhile.
class JsonLinesBackupSource final : public ports::BackupSource {
 public:
  /// InvalidArgument: standard input ("-"), which cannot be read twice.
  static model::Result<std::unique_ptr<ports::BackupSource>> open(std::string name);

  explicit JsonLinesBackupSource(std::string name) : name_(std::move(name)) {}
  JsonLinesBackupSource(const JsonLinesBackupSource&) = delete;
  JsonLinesBackupSource& operator=(const JsonLinesBackupSource&) = delete;
  ~JsonLinesBackupSource() override;

  std::string_view name() const override { return name_; }
  std::optional<double> progress() const override { return meter_ ? meter_->fraction() : std::nullopt; }
  model::Result<ports::BackupSummary> read(ports::Call& call, model::Visitor<ports::BackupRecord> visitor) override;

 private:
  model::Result<int> from_the_start();

  std::string name_;
  int file_ = -1;                 // opened by the first reading
  std::unique_ptr<Meter> meter_;  // of the reading under way
};

}  // namespace kbase::content
