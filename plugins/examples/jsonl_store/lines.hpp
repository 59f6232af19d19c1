// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "records.hpp"

/// The file: a JSON object on each line. The first line names the format, the store and its revision; then comes a line
/// for each record in the order of their revisions.
namespace jsonl {

std::string write_lines(const model::StoreId& store_id, const Records& records);

struct FileContent {
  model::StoreId store_id{};
  Records records;
};

/// Corrupt: a line is not valid; the message has its number.
Result<FileContent> read_lines(std::string_view text);

}  // namespace jsonl
