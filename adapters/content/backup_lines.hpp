// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/content/record_parser.hpp"
#include "ports/driven/backup_file.hpp"

/// The lines of a backup: JSON objects, each told from the others by its `type`. The first is the head, the last the
/// end; between them stand the records, of which items, categories and activity look as in an export (record_text.hpp).
/// Instants are milliseconds since 1970-01-01T00:00:00Z, so that none is rounded; digests and ids of 128 bits are
/// hexadecimal. Members that a reader does not know it passes over; what it must know makes a new format.
namespace kbase::content {

/// What this program writes, and the newest that it reads.
inline constexpr std::uint64_t kBackupFormat = 1;

/// The last line: what has to have come before it.
struct BackupEnd {
  model::Revision revision = 0;
  ports::BackupCounts counts;
  std::array<std::uint8_t, 32> sha256{};  ///< of the lines before, each with its line feed
};

/// `program` is the version that writes.
void append_head(std::string& lines, const ports::BackupHead& head, std::string_view program);
void append_record(std::string& lines, const ports::BackupRecord& record);
void append_end(std::string& lines, const BackupEnd& end);

/// Counts a record among those of its kind.
void count(ports::BackupCounts& counts, const ports::BackupRecord& record);

/// Reads them back. Errors: InvalidArgument, the message a reason that goes on from a place. Keeps its memory from line
/// to line. One thread.
class BackupLineParser {
 public:
  /// Unsupported: of a newer format.
  static model::Result<ports::BackupHead> head(std::string_view line);
  static bool is_end(std::string_view line);
  static model::Result<BackupEnd> end(std::string_view line);

  /// A loan of the parser and of `line` until the next call.
  model::Result<ports::BackupRecord> record(std::string_view line);

 private:
  model::Result<ports::BackupRecord> content(std::string_view line);

  RecordParser parser_{RecordKind::Item};
  std::string text_;  // of the record at hand
};

}  // namespace kbase::content
