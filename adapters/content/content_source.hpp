// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "domain/base/result.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Opens the source with this name:
/// - "-": JSON Lines on standard input
/// - a folder of Markdown files (see FolderSource)
/// - a file of JSON Lines (.jsonl, .ndjson)
/// - one JSON document (.json) with an array of records, either at its top or as the only array in its top-level object
///   (see read_json_document)
///
/// Files may be compressed (.gz). A record without `type` is an item, except in a file named categories.jsonl, where it
/// is a category.
///
/// Errors: InvalidArgument, with the name in the message: the source cannot be read, or its format is not supported.
Result<std::unique_ptr<ports::ContentSource>> open_source(std::string name);

}  // namespace kbase::content
