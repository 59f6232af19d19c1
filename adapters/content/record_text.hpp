// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "domain/model/category.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/content_source.hpp"

/// Records as the lines that RecordParser reads back to the same ones: every member is present, in a fixed order, and
/// equal content gives equal bytes. `metadata.extra` must be what a source gave.
namespace kbase::content {

void append_line(std::string& lines, const model::CategoryView& category);
void append_line(std::string& lines, const model::ItemView& item);
void append_line(std::string& lines, const ports::ActivityRecord& activity);

}  // namespace kbase::content
