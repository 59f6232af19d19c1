// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/content/output_file.hpp"
#include "adapters/content/sha256.hpp"
#include "ports/driven/backup_file.hpp"

namespace kbase::content {

/// Writes a backup as gzip-compressed JSON Lines (backup_lines.hpp), whatever the name of the file. Only the owner can
/// read the file, because it contains the digests of API keys.
class JsonLinesBackupSink final : public ports::BackupSink {
 public:
  /// Opens the file like OutputFile::open. `program` is the version that the backup names as its writer.
  static model::Result<std::unique_ptr<ports::BackupSink>> open(const std::string& name, std::string program);

  JsonLinesBackupSink(std::unique_ptr<OutputFile> file, std::string program)
      : file_(std::move(file)), program_(std::move(program)) {}

  model::Status begin(const ports::BackupHead& head) override;
  model::Status put(const ports::BackupRecord& record) override;
  model::Result<ports::BackupSummary> finish(model::Revision revision) override;

 private:
  model::Status write();

  std::unique_ptr<OutputFile> file_;
  std::string program_;
  std::string lines_;  // lines that are not written yet
  Sha256 hash_;
  ports::BackupSummary summary_;
};

}  // namespace kbase::content
