// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/content/byte_stream.hpp"
#include "ports/driven/backup_file.hpp"

namespace kbase::content {

/// Reads the backups that JsonLinesBackupSink writes, compressed or not. Holds at most one line in memory. The file
/// stays open from the first read() until destruction, so that each read() reads the same file even if another file
/// replaces it.
class JsonLinesBackupSource final : public ports::BackupSource {
 public:
  /// InvalidArgument: `name` is standard input ("-"), which cannot be read twice.
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
  int file_ = -1;                 // opened by the first read()
  std::unique_ptr<Meter> meter_;  // progress of the current read()
};

}  // namespace kbase::content
