// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/content/byte_stream.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Visits the questions of a Posts.xml of a Stack Exchange dump (https://archive.org/details/stackexchange) as items in
/// HTML: the question, then its answers, the accepted one first and the others by their score. Ids are those of the
/// dump after `prefix`, and all items have the category `category`. Reads the file to its end before the first visit,
/// and needs about as much memory as the file has bytes. Returns the last result of the visitor. Errors:
/// InvalidArgument (unreadable()): it is not XML, or has no element <posts>; Cancelled.
Result<Visit> read_posts(ByteStream& stream, std::string_view file, const std::string& prefix,
                         const std::string& category, const ports::Call& call, Visitor<ports::ContentRecord> visitor);

}  // namespace kbase::content
