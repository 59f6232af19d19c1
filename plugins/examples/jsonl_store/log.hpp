// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"
#include "file.hpp"
#include "lines.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "records.hpp"

namespace jsonl {

/// Exclusive right to write to the log, across processes: a lock on a separate file, which is never replaced by a
/// rename.
class WriterLock {
 public:
  /// Conflict: another writer held it for five seconds, or until the deadline of the call.
  static model::Result<WriterLock> acquire(const std::filesystem::path& log, const ports::Call& call,
                                           const ports::Clock& clock);

  /// Conflict: another writer holds it now.
  static model::Result<WriterLock> try_acquire(const std::filesystem::path& log);

 private:
  explicit WriterLock(File file) : file_(std::move(file)) {}
  File file_;
};

/// The log file. Append-only, except that an incomplete batch is cut off after a crash, and that the whole file is
/// rewritten when more than half of its lines are obsolete. Not thread-safe. Call the functions that write only with
/// the WriterLock, after follow().
class Log {
 public:
  /// Creates the file if it is missing. Cuts off an incomplete batch if no one is writing.
  /// Corrupt: not a file of this store, or damaged elsewhere than at its end.
  static model::Result<Log> open(const std::filesystem::path& path, const model::StoreId& store_id_if_new,
                                 const ports::Clock& clock, ports::EventLog& events, Records& records);

  const model::StoreId& store_id() const { return store_id_; }

  /// Whether the file has changed since it was last read.
  model::Result<bool> has_changed() const;

  /// Applies the commits of all processes since the last read to `records`, which must be in the state of that read. On
  /// an error the records are unusable.
  model::Status follow(Records& records);

  /// Cuts off everything after the last commit.
  model::Status repair();

  /// Durably appends a batch. `batch`: its lines without the commit line. On an error, tries to remove what was
  /// written.
  model::Status append(std::string batch, std::uint64_t lines, model::Revision revision, model::Instant at);

  /// Whether more than half of the lines are obsolete states of records.
  bool needs_compaction(const Records& records) const;

  /// Rewrites the file with only the newest state of each record.
  model::Status rewrite(const Records& records, model::Instant at);

 private:
  Log(std::filesystem::path path, File file, ports::EventLog& events)
      : path_(std::move(path)), file_(std::move(file)), events_(&events) {}

  model::Status read_from_start(Records& records);
  model::Status read_new_lines(std::uint64_t size, Records& records);
  model::Error corrupt(const model::Error& cause) const;

  std::filesystem::path path_;
  File file_;
  ports::EventLog* events_;
  model::StoreId store_id_{};
  model::Revision base_revision_ = 0;  // revision of the header; up to it no data can be cut off by a crash
  File::FileStat last_stat_;           // metadata at the last complete read
  std::uint64_t end_ = 0;              // end of the last complete batch, in bytes
  std::uint64_t lines_ = 0;            // number of record lines up to there
};

}  // namespace jsonl
