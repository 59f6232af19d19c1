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
    const Record record = lines.too_long() ? ports::Reject{kRecordTooLong, {}} : parser.parse(lines.line());
    if (visitor({{file, lines.number()}, record}) == model::Visit::Stop) return model::Visit::Stop;
  }
}

model::Error reading_cancelled(std::string_view file) {
  return {model::ErrorCode::Cancelled, "the reading was cancelled", "reading " + std::string(file), {}, {}};
}

}  // namespace kbase::content
