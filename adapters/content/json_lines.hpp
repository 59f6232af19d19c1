// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/record_draft.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Visits the records of a JSON Lines file: one JSON object on each line that is not blank. Holds at most one line in
/// memory. Places and errors name `file`. `untyped` is the kind of a record that has no `type`. Returns the last result
/// of the visitor. Errors: InvalidArgument (unreadable()), Cancelled.
model::Result<model::Visit> read_json_lines(ByteStream& stream, std::string_view file, RecordKind untyped,
                                            const ports::Call& call, model::Visitor<ports::ContentRecord> visitor);

/// Returns the error for a read that was cancelled.
model::Error reading_cancelled(std::string_view file);

}  // namespace kbase::content
