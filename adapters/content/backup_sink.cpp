// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/backup_sink.hpp"

#include <utility>

#include "adapters/content/backup_lines.hpp"

namespace kbase::content {
namespace {

constexpr std::size_t kWriteBytes = 256 * 1024;

}  // namespace

model::Result<std::unique_ptr<ports::BackupSink>> JsonLinesBackupSink::open(const std::string& name,
                                                                            std::string program) {
  auto file = OutputFile::open(name, OutputFile::Readers::OwnerOnly, OutputFile::Packing::Always);
  if (!file) return file.error();
  return {std::make_unique<JsonLinesBackupSink>(*std::move(file), std::move(program))};
}

model::Status JsonLinesBackupSink::begin(const ports::BackupHead& head) {
  summary_.head = head;
  append_head(lines_, head, program_);
  return {};
}

model::Status JsonLinesBackupSink::put(const ports::BackupRecord& record) {
  append_record(lines_, record);
  count(summary_.counts, record);
  return lines_.size() < kWriteBytes ? model::Status() : write();
}

model::Result<ports::BackupSummary> JsonLinesBackupSink::finish(model::Revision revision) {
  if (auto written = write(); !written) return written.error();
  summary_.revision = revision;
  summary_.sha256 = hash_.finish();
  append_end(lines_, {revision, summary_.counts, summary_.sha256});
  if (auto written = file_->write(lines_); !written) return written.error();
  if (auto finished = file_->finish(); !finished) return finished.error();
  return summary_;
}

model::Status JsonLinesBackupSink::write() {
  hash_.add(lines_);
  auto written = file_->write(lines_);
  lines_.clear();
  return written;
}

}  // namespace kbase::content
