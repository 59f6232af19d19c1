// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace jsonl {
namespace {

using model::Error;
using model::ErrorCode;

constexpr std::chrono::seconds kTimeout{5};
constexpr std::chrono::milliseconds kBetweenTries{10};

/// A batch parsed from the start of a text.
struct Batch {
  std::vector<RecordPtr> records;
  Commit commit;
  std::uint64_t bytes = 0;
};

/// Parses the batch at the start of `text`. Corrupt: a line cannot be read, or the checksum is wrong. NotFound: the
/// text ends before the commit line.
model::Result<Batch> read_batch(std::string_view text) {
  Batch batch;
  for (;;) {
    const auto line_end = text.find('\n', batch.bytes);
    if (line_end == std::string_view::npos)
      return Error{ErrorCode::NotFound, "the file ends within a batch", {}, {}, {}};
    auto line = read_line(text.substr(batch.bytes, line_end - batch.bytes));
    if (!line) return line.error();
    if (const auto* commit = std::get_if<Commit>(&*line)) {
      if (commit->checksum != checksum(text.substr(0, batch.bytes)))
        return Error{ErrorCode::Corrupt, "the checksum of a batch is another", {}, {}, {}};
      batch.commit = *commit;
      batch.bytes = line_end + 1;
      return batch;
    }
    batch.records.push_back(std::get<RecordPtr>(*std::move(line)));
    batch.bytes = line_end + 1;
  }
}

/// Whether the batch at the start of `text`, complete or not, is the last one. Each batch is on the disk before the
/// next is written, so a crash can have damaged only the last one.
bool is_last_batch(std::string_view text) {
  const auto commit = text.starts_with(kCommitStart) ? 0 : text.find('\n' + std::string(kCommitStart));
  if (commit == std::string_view::npos) return true;
  const auto end = text.find('\n', commit + 1);
  return end == std::string_view::npos || end + 1 == text.size();
}

/// Applies a batch. Corrupt: revisions do not ascend, or the category of an item does not exist.
model::Status apply(const Batch& batch, Records& records) {
  for (const RecordPtr& record : batch.records) {
    if (revision_of(*record) <= records.revision())
      return Error{ErrorCode::Corrupt, "revisions do not ascend", {}, {}, {}};
    records.apply(record);
  }
  for (const RecordPtr& record : batch.records)
    if (const auto* item = std::get_if<model::Item>(record.get());
        item != nullptr && records.category(item->view().category) == nullptr)
      return Error{ErrorCode::Corrupt, "an item is of a category that does not exist", {}, {}, {}};
  if (batch.commit.revision < records.revision())
    return Error{ErrorCode::Corrupt, "revisions do not ascend", {}, {}, {}};
  records.commit(batch.commit.revision, batch.commit.at - kTombstoneRetention);
  return {};
}

std::string commit_line(std::string_view batch, model::Revision revision, model::Instant at) {
  return line_of(Commit{revision, at, checksum(batch)});
}

Error conflict() {
  return {ErrorCode::Conflict, "another import is running; try again when it has ended", {}, {}, {}};
}

model::Result<File> open_log(const std::filesystem::path& path) {
  return File::open(path, O_RDWR);
}

}  // namespace

model::Result<WriterLock> WriterLock::try_acquire(const std::filesystem::path& log) {
  auto file = File::open(log.string() + ".lock", O_RDWR | O_CREAT);
  if (!file) return file.error();
  if (!file->try_lock()) return conflict();
  return WriterLock(*std::move(file));
}

model::Result<WriterLock> WriterLock::acquire(const std::filesystem::path& log, const ports::Call& call,
                                              const ports::Clock& clock) {
  // Count the attempts instead of measuring time, because a test clock can stand still.
  for (auto left = kTimeout / kBetweenTries;; --left) {
    auto lock = try_acquire(log);
    if (lock || lock.error().code != ErrorCode::Conflict) return lock;
    if (call.cancelled()) return Error{ErrorCode::Cancelled, "the call was cancelled", {}, {}, {}};
    if (left == 0 || clock.steady() >= call.deadline) return lock;
    std::this_thread::sleep_for(kBetweenTries);
  }
}

model::Result<Log> Log::open(const std::filesystem::path& path, const model::StoreId& store_id_if_new,
                             const ports::Clock& clock, ports::EventLog& events, Records& records) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::absolute(path).parent_path(), failed);  // on failure, opening
                                                                                               // fails below
  auto stat = File::stat_path(path);
  if (!stat) return stat.error();
  // If there is no file, wait for another process that may be creating it.
  const auto lock = *stat ? WriterLock::try_acquire(path) : WriterLock::acquire(path, {}, clock);
  if (!lock && lock.error().code != ErrorCode::Conflict) return lock.error();
  stat = File::stat_path(path);
  if (!stat) return stat.error();
  if (lock && (!*stat || (*stat)->size == 0)) {
    if (const auto made = replace_file(path, line_of(Header{store_id_if_new, 0, 0})); !made) return made.error();
    const ports::LogField fields[] = {{"path", path.native()}};
    events.log(ports::LogLevel::Warning, "store.created", "there was none, so an empty one was created", fields);
  }
  auto file = open_log(path);
  if (!file) return file.error();
  Log log(path, *std::move(file), events);
  if (const auto read = log.read_from_start(records); !read) return read.error();
  if (lock)
    if (const auto repaired = log.repair(); !repaired) return repaired.error();
  return log;
}

model::Result<bool> Log::has_changed() const {
  const auto stat = File::stat_path(path_);
  if (!stat) return stat.error();
  if (!*stat) return Error{ErrorCode::Unavailable, path_.string() + " is gone", {}, {}, {}};
  return **stat != last_stat_;
}

model::Status Log::follow(Records& records) {
  const auto stat = File::stat_path(path_);
  if (!stat) return stat.error();
  if (*stat && (*stat)->is_same_file(last_stat_) && (*stat)->size >= end_) {
    auto read = read_new_lines((*stat)->size, records);
    if (read) last_stat_ = **stat;
    return read;
  }
  auto file = open_log(path_);
  if (!file) return file.error();
  file_ = *std::move(file);
  const model::StoreId before = store_id_;
  auto read = read_from_start(records);
  if (read && store_id_ != before)
    return Error{
        ErrorCode::Corrupt, path_.string() + " was replaced by another store's; restart the server", {}, {}, {}};
  return read;
}

model::Status Log::read_from_start(Records& records) {
  const auto stat = file_.read_stat();
  if (!stat) return stat.error();
  const auto start = file_.read(0, std::min<std::uint64_t>(stat->size, 4096));
  if (!start) return start.error();
  const auto header_end = start->find('\n');
  const auto header = read_header(std::string_view(*start).substr(0, header_end));
  if (header_end == std::string::npos || !header)
    return corrupt(header ? Error{ErrorCode::Corrupt, "its first line has no end", {}, {}, {}} : header.error());
  store_id_ = header->store_id;
  base_revision_ = header->revision;
  end_ = header_end + 1;
  lines_ = 0;
  records = Records(header->dropped_up_to);
  if (const auto read = read_new_lines(stat->size, records); !read) return read.error();
  last_stat_ = *stat;
  return {};
}

model::Status Log::read_new_lines(std::uint64_t size, Records& records) {
  const auto bytes = file_.read(end_, size);
  if (!bytes) return bytes.error();
  for (std::string_view rest = *bytes; !rest.empty();) {
    const auto batch = read_batch(rest);
    if (!batch && batch.error().code == ErrorCode::Corrupt && !is_last_batch(rest)) return corrupt(batch.error());
    if (!batch) break;
    if (const auto applied = apply(*batch, records); !applied) return corrupt(applied.error());
    rest.remove_prefix(batch->bytes);
    end_ += batch->bytes;
    lines_ += batch->records.size();
  }
  if (records.revision() < base_revision_) return corrupt({ErrorCode::Corrupt, "its end is missing", {}, {}, {}});
  return {};
}

model::Status Log::repair() {
  const auto stat = file_.read_stat();
  if (!stat) return stat.error();
  if (stat->size == end_) return {};
  const ports::LogField fields[] = {{"path", path_.native()}, {"bytes", stat->size - end_}};
  events_->log(ports::LogLevel::Warning, "store.repaired", "a batch that a crash left unfinished was cut off", fields);
  if (const auto cut = file_.truncate(end_); !cut) return cut;
  return file_.sync();
}

model::Status Log::append(std::string batch, std::uint64_t lines, model::Revision revision, model::Instant at) {
  batch += commit_line(batch, revision, at);
  auto written = file_.write(end_, batch);
  if (written) written = file_.sync();
  if (!written) {
    // If this fails as well, the next batch overwrites the rest or cuts it off.
    (void)file_.truncate(end_);
    return written;
  }
  end_ += batch.size();
  lines_ += lines;
  if (const auto stat = file_.read_stat()) last_stat_ = *stat;
  return {};
}

bool Log::needs_compaction(const Records& records) const {
  return lines_ > 2 * records.by_revision().size();
}

model::Status Log::rewrite(const Records& records, model::Instant at) {
  const std::string header = line_of(Header{store_id_, records.revision(), records.dropped_up_to()});
  std::string batch;
  for (const auto& [revision, record] : records.by_revision()) batch += line_of(*record);
  const std::string content = header + batch + commit_line(batch, records.revision(), at);
  if (const auto replaced = replace_file(path_, content); !replaced) return replaced;
  auto file = open_log(path_);
  if (!file) return file.error();
  file_ = *std::move(file);
  base_revision_ = records.revision();
  end_ = content.size();
  lines_ = records.by_revision().size();
  const auto stat = file_.read_stat();
  if (stat) last_stat_ = *stat;
  return stat ? model::Status() : stat.error();
}

Error Log::corrupt(const Error& cause) const {
  return {ErrorCode::Corrupt,
          path_.string() + " is damaged: " + cause.message + "; restore it from a backup",
          cause.detail,
          {},
          {}};
}

}  // namespace jsonl
