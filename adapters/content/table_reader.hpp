// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/member_map.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Visits the rows of a table as items: CSV (RFC 4180), with commas, semicolons or tabs between the fields, whichever
/// the header line has most. The header line names the members, in any case; `map` gives them other names. An empty
/// field is an absent member; lists are separated by commas. Holds at most one row in memory. Returns the last result
/// of the visitor. Errors: InvalidArgument (unreadable()): the file has no header line, or no column for a required
/// member; Cancelled.
Result<Visit> read_table(ByteStream& stream, std::string_view file, const MemberMap& map, const ports::Call& call,
                         Visitor<ports::ContentRecord> visitor);

}  // namespace kbase::content
