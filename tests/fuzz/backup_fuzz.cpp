// SPDX-License-Identifier: Apache-2.0
// Any line of a backup parses to a record or is rejected with a reason. A valid record is unchanged after it is written
// and read again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/content/backup_lines.hpp"

namespace kbase::content {
namespace {

std::string line_of(const ports::BackupRecord& record) {
  std::string line;
  append_record(line, record);
  return line;
}

void expect_round_trip(const ports::BackupRecord& record) {
  const std::string line = line_of(record);
  BackupLineParser parser;
  const auto again = parser.parse_record(std::string_view(line).substr(0, line.size() - 1));
  if (!again || again->index() != record.index() || line_of(*again) != line) std::abort();
}

}  // namespace
}  // namespace kbase::content

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase::content;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (const auto head = BackupLineParser::parse_head(line)) {
    std::string text;
    append_head(text, *head, "1.0.0");
    if (!BackupLineParser::parse_head(text)) std::abort();
  }
  if (BackupLineParser::is_end(line)) {
    if (const auto end = BackupLineParser::parse_end(line)) {
      std::string text;
      append_end(text, *end);
      if (!BackupLineParser::parse_end(text)) std::abort();
    }
    return 0;
  }
  BackupLineParser parser;
  if (const auto record = parser.parse_record(line)) expect_round_trip(*record);
  return 0;
}
