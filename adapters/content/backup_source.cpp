// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/backup_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "adapters/content/backup_lines.hpp"
#include "adapters/content/json_lines.hpp"
#include "adapters/content/line_reader.hpp"
#include "adapters/content/sha256.hpp"

namespace kbase::content {
namespace {

/// The largest item that an import accepts, if each of its bytes is escaped to six bytes, and 1 MiB for the rest.
constexpr std::size_t kMostLineBytes = 6 * kMaxRecordBytes + (std::size_t{1} << 20);
constexpr std::size_t kContentRank = 4;  // index of the first alternative of BackupRecord that is content
constexpr std::string_view kCutOff = "the backup ends before its last line: it is cut off, take a whole copy of it";
constexpr std::string_view kOtherLines =
    "its lines are not those that were written, the checksum says: restore from another copy";

/// Reads one file once, from its first line to its last.
class Reading {
 public:
  Reading(ByteStream& stream, const std::string& name, const ports::Call& call,
          model::Visitor<ports::BackupRecord> visitor)
      : name_(name), call_(call), visitor_(visitor), lines_(stream, kMostLineBytes) {}

  model::Result<ports::BackupSummary> run() {
    if (auto head = read_head(); !head) return head.error();
    for (;;) {
      if (call_.cancelled()) return reading_cancelled(name_);
      if (auto next = next_line(); !next) return next.error();
      if (BackupLineParser::is_end(lines_.line())) return finish();
      add_line();
      const auto visited = visit();
      if (!visited) return visited.error();
      if (*visited == model::Visit::Stop) return reading_cancelled(name_);
    }
  }

 private:
  model::Error bad(std::string_view reason) const { return unreadable(name_, reason, lines_.number()); }

  model::Status read_head() {
    const auto more = lines_.next();
    if (!more) return more.error();
    if (!*more) return unreadable(name_, "is empty, and no backup");
    auto head = BackupLineParser::head(lines_.line());
    if (!head && head.error().code == model::ErrorCode::Unsupported) return bad(head.error().message);
    if (!head)
      return bad(head.error().message + " (a backup is what `kbase backup` writes; `kbase import` reads an export)");
    summary_.head = *std::move(head);
    add_line();
    return {};
  }

  /// Reads the next line. InvalidArgument: there is no next line.
  model::Status next_line() {
    const auto more = lines_.next();
    if (!more) return more.error();
    if (!*more) return unreadable(name_, kCutOff);
    if (lines_.too_long()) return bad("the line is longer than any record");
    return {};
  }

  void add_line() {
    hash_.add(lines_.line());
    hash_.add("\n");
  }

  model::Result<model::Visit> visit() {
    const auto record = parser_.record(lines_.line());
    if (!record) return bad(record.error().message);
    const std::size_t rank = std::min(record->index(), kContentRank);
    if (rank < rank_) return bad("stands after records that come last: the lines are not in their order");
    rank_ = rank;
    count(summary_.counts, *record);
    return visitor_(*record);
  }

  model::Result<ports::BackupSummary> finish() {
    const auto end = BackupLineParser::end(lines_.line());
    if (!end) return bad(end.error().message);
    summary_.revision = end->revision;
    summary_.sha256 = hash_.finish();
    if (end->sha256 != summary_.sha256 || end->counts != summary_.counts) return unreadable(name_, kOtherLines);
    const auto more = lines_.next();
    if (!more) return more.error();
    if (*more) return bad("the backup goes on after its last line: restore from another copy");
    return summary_;
  }

  const std::string& name_;
  const ports::Call& call_;
  model::Visitor<ports::BackupRecord> visitor_;
  LineReader lines_;
  BackupLineParser parser_;
  Sha256 hash_;
  ports::BackupSummary summary_;
  std::size_t rank_ = 0;  // rank of the last record
};

}  // namespace

model::Result<std::unique_ptr<ports::BackupSource>> JsonLinesBackupSource::open(std::string name) {
  if (name == "-")
    return unreadable("-", "a backup is read twice, first to find it good: write it to a file and name that");
  return {std::make_unique<JsonLinesBackupSource>(std::move(name))};
}

JsonLinesBackupSource::~JsonLinesBackupSource() {
  if (file_ >= 0) ::close(file_);
}

/// Returns a descriptor at the start of the file, which the caller must close.
model::Result<int> JsonLinesBackupSource::from_the_start() {
  if (file_ < 0) file_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_at_start = file_ >= 0 && ::lseek(file_, 0, SEEK_SET) == 0;
  const int copy = is_at_start ? ::fcntl(file_, F_DUPFD_CLOEXEC, 0) : -1;
  if (copy < 0) return unreadable(name_, std::generic_category().message(errno));
  return copy;
}

model::Result<ports::BackupSummary> JsonLinesBackupSource::read(ports::Call& call,
                                                                model::Visitor<ports::BackupRecord> visitor) {
  meter_ = std::make_unique<Meter>();
  const auto file = from_the_start();
  if (!file) return file.error();
  struct stat status {};
  if (::fstat(*file, &status) == 0) meter_->expect(static_cast<std::uint64_t>(status.st_size));
  const auto stream = ByteStream::take(*file, name_, *meter_);
  if (!stream) return stream.error();
  return Reading(**stream, name_, call, visitor).run();
}

}  // namespace kbase::content
