// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "domain/model/category.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/content_source.hpp"

/// Writes records as the lines from which RecordParser reads the same records. Members have a fixed order and empty
/// values are written too, so that equal content gives equal bytes. `metadata.extra` must be text that a source gave.
namespace kbase::content {

void append_line(std::string& lines, const model::CategoryView& category);
void append_line(std::string& lines, const model::ItemView& item);
void append_line(std::string& lines, const ports::ActivityRecord& activity);

}  // namespace kbase::content
