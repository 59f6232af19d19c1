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

/// The right to write to the log, over all processes: the lock of a file beside it, which no rename replaces.
class WriterLock {
 public:
  /// Conflict: another had it for five seconds, or until the call's deadline.
  static model::Result<WriterLock> take(const std::filesystem::path& log, const ports::Call& call,
                                        const ports::Clock& clock);

  /// Conflict: another has it now.
  static model::Result<WriterLock> try_take(const std::filesystem::path& log);

 private:
  explicit WriterLock(File file) : file_(std::move(file)) {}
  File file_;
};

/// The file: append-only, but for what is cut off after a crash and for its whole replacement when more of its lines
/// are dead than alive. One thread at a time. Functions that write are called under the WriterLock, after follow().
class Log {
 public:
  /// Makes the file where there is none; cuts off a batch that a crash left unfinished, if nobody is writing.
  /// Corrupt: it is not a file of this store, or damaged in another place than its end.
  static model::Result<Log> open(const std::filesystem::path& path, const model::StoreId& store_id_if_new,
                                 const ports::Clock& clock, ports::EventLog& events, Records& records);

  const model::StoreId& store_id() const { return store_id_; }

  /// Whether the file is another than it was when it was last read.
  model::Result<bool> has_changed() const;

  /// Applies what was committed since then, by whichever process, to the records as they were then. On a failure they
  /// are of no use.
  model::Status follow(Records& records);

  /// Cuts off what follows the last commit.
  model::Status repair();

  /// Durably adds a batch: its lines without the commit. On a failure nothing of it is left.
  model::Status append(std::string batch, std::uint64_t lines, model::Revision revision, model::Instant at);

  /// Whether more than half of the file's lines are of records that have a newer state.
  bool is_mostly_dead(const Records& records) const;

  /// Writes the file anew, with the newest state of each record alone.
  model::Status rewrite(const Records& records, model::Instant at);

 private:
  Log(std::filesystem::path path, File file, ports::EventLog& events)
      : path_(std::move(path)), file_(std::move(file)), events_(&events) {}

  model::Status read_from_start(Records& records);
  model::Status read_on(std::uint64_t size, Records& records);
  model::Error corrupt(const model::Error& cause) const;

  std::filesystem::path path_;
  File file_;
  ports::EventLog* events_;
  model::StoreId store_id_{};
  model::Revision written_whole_ = 0;  // the header's revision: what is not up to there was never cut off by a crash
  File::Look seen_;                    // of the file, when it was last read to its end
  std::uint64_t end_ = 0;              // of the last whole batch
  std::uint64_t lines_ = 0;            // of records, up to there
};

}  // namespace jsonl
