// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/record_draft.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Visits the records of a file of JSON Lines, one JSON object on each line that is not blank, with no more of it in
/// memory than a line. `file` is named in places and errors; `untyped` is the kind of a record that has no `type`.
/// Returns what the visitor said last. Errors: InvalidArgument (unreadable), Cancelled.
model::Result<model::Visit> read_json_lines(ByteStream& stream, std::string_view file, RecordKind untyped,
                                            const ports::Call& call, model::Visitor<ports::ContentRecord> visitor);

/// The error of a reading whose call was cancelled.
model::Error reading_cancelled(std::string_view file);

}  // namespace kbase::content
