// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/json_lines.hpp"

#include <algorithm>

#include "adapters/content/json_text.hpp"
#include "adapters/content/line_reader.hpp"
#include "adapters/content/record_parser.hpp"

namespace kbase::content {

model::Result<model::Visit> read_json_lines(ByteStream& stream, std::string_view file, RecordKind untyped,
                                            const ports::Call& call, model::Visitor<ports::ContentRecord> visitor) {
  LineReader lines(stream);
  RecordParser parser(untyped);
  for (;;) {
    if (call.cancelled()) return reading_cancelled(file);
    const auto more = lines.next();
    if (!more) return more.error();
    if (!*more) return model::Visit::Continue;
    if (!lines.too_long() && std::all_of(lines.line().begin(), lines.line().end(), is_json_space)) continue;
    ports::ContentRecord record{{file, lines.number()}, ports::Reject{kRecordTooLong, {}}};
    if (!lines.too_long()) {
      record.record = parser.parse(lines.line());
      record.unknown.passed_over = parser.passed_over();
    }
    if (visitor(record) == model::Visit::Stop) return model::Visit::Stop;
  }
}

model::Error reading_cancelled(std::string_view file) {
  return {model::ErrorCode::Cancelled, "the reading was cancelled", "reading " + std::string(file), {}, {}};
}

}  // namespace kbase::content
