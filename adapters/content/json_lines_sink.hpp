// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "domain/model/item.hpp"
#include "ports/driven/content_source.hpp"

/// Writes records as the lines from which RecordParser reads the same records. Members have a fixed order and empty
/// values are written too, so that equal content gives equal bytes. `metadata.extra` must be text that a source gave.
namespace kbase::content {

void append_line(std::string& lines, const model::CategoryView& category);
void append_line(std::string& lines, const model::ItemView& item);
void append_line(std::string& lines, const ports::ActivityRecord& activity);

/// Opens a sink that writes JSON Lines from which read_json_lines() reads the same records: a file, compressed if its
/// name ends in ".gz", or standard output for "-" or an empty name. finish() replaces the file atomically. Errors:
/// Unavailable, with the name in the message.
Result<std::unique_ptr<ports::ContentSink>> open_sink(const std::string& name);

}  // namespace kbase::content
