// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/content/record_parser.hpp"
#include "ports/driven/backup_file.hpp"

/// The lines of a backup file. Each line is a JSON object with a `type` member. The first line is the head and the last
/// line is the end. The lines between them are the records; items, categories and activity have the same form as in an
/// export (record_text.hpp). Instants are milliseconds since 1970-01-01T00:00:00Z, so that they are exact. Digests and
/// 128-bit ids are hexadecimal. Readers ignore members that they do not know, so a member that a reader must know
/// requires a new format number.
namespace kbase::content {

/// The format that this program writes, and the newest format that it reads.
inline constexpr std::uint64_t kBackupFormat = 1;

/// The last line, with the values against which the lines before it are checked.
struct BackupEnd {
  model::Revision revision = 0;
  ports::BackupCounts counts;
  std::array<std::uint8_t, 32> sha256{};  ///< digest of the lines before the end line, each with its line feed
};

/// `program` is the version of the program that writes the backup.
void append_head(std::string& lines, const ports::BackupHead& head, std::string_view program);
void append_record(std::string& lines, const ports::BackupRecord& record);
void append_end(std::string& lines, const BackupEnd& end);

/// Increments the counter for the kind of `record`.
void count_record(ports::BackupCounts& counts, const ports::BackupRecord& record);

/// Parses the lines of a backup. Reuses its memory for each line. Not thread-safe. Errors: InvalidArgument; the message
/// is only the reason, which the caller puts after the place in the file.
class BackupLineParser {
 public:
  /// Also Unsupported: the backup has a newer format.
  static Result<ports::BackupHead> parse_head(std::string_view line);
  static bool is_end(std::string_view line);
  static Result<BackupEnd> parse_end(std::string_view line);

  /// The record is a view of the parser and of `line`, valid until the next call.
  Result<ports::BackupRecord> parse_record(std::string_view line);

 private:
  Result<ports::BackupRecord> parse_content(std::string_view line);

  RecordParser parser_{RecordKind::Item};
  std::string text_;  // text that the current record refers to
};

}  // namespace kbase::content
