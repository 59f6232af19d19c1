// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "domain/model/result.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Opens the source of this name: "-" for JSON Lines on standard input, a folder of Markdown files (see FolderSource),
/// a file of JSON Lines (.jsonl, .ndjson), or one JSON document (.json) with an array of records, at its top or as the
/// one array of the object at its top (see ElementReader). Files may be packed (.gz). In a file named categories.jsonl
/// a record without `type` is a category, elsewhere an item.
///
/// Errors: InvalidArgument, with the name in the message: it cannot be read, or is none of these.
model::Result<std::unique_ptr<ports::ContentSource>> open_source(std::string name);

}  // namespace kbase::content
