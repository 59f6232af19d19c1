// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/native_index/columns/name_table.hpp"
#include "adapters/native_index/files/section_file_writer.hpp"
#include "domain/model/day.hpp"

namespace kbase::native_index {

/// What the columns hold of a document, beside its id.
struct ColumnValues {
  std::string_view category;
  std::span<const std::string_view> tags;  ///< each once
  model::Day updated;
  std::uint64_t views = 0;  ///< the imported count
  std::uint8_t language = 0;
  std::uint32_t length = 0;  ///< in words times their field's weight
};

/// Gathers the columns in memory, about 25 bytes a document and 4 a tag, until they are written; ids are
/// IdTableWriter's. One thread.
class ColumnsWriter {
 public:
  /// The next document, from document 0 on. Copies.
  void add(const ColumnValues& values);

  /// Writes the sections, once.
  model::Status write(SectionFileWriter& file);

 private:
  std::vector<std::int32_t> updated_;
  std::vector<std::uint32_t> categories_;  // numbers in the order of arrival until they are written
  std::vector<std::uint64_t> views_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint8_t> languages_;
  NameTableWriter category_names_;
  std::vector<std::uint32_t> tags_;  // likewise
  std::vector<std::uint32_t> tag_starts_{0};
  NameTableWriter tag_names_;
};

}  // namespace kbase::native_index
