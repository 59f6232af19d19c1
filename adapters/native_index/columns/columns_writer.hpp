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

/// Column values of one document, except its id.
struct ColumnValues {
  std::string_view category;
  std::span<const std::string_view> tags;  ///< without duplicates
  model::Day updated;
  std::uint64_t views = 0;  ///< imported view count
  std::uint8_t language = 0;
  std::uint32_t length = 0;  ///< in words, each weighted by its field
};

/// Gathers the columns in memory until they are written, about 25 bytes per document and 4 per tag. Ids are written by
/// IdTableWriter. Not thread-safe.
class ColumnsWriter {
 public:
  /// Appends the next document, starting with document 0. Copies the values.
  void add(const ColumnValues& values);

  /// Writes the sections. Call once.
  model::Status write(SectionFileWriter& file);

 private:
  std::vector<std::int32_t> updated_;
  std::vector<std::uint32_t> categories_;  // numbers in order of arrival; replaced by ordinals in write()
  std::vector<std::uint64_t> views_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint8_t> languages_;
  NameTableWriter category_names_;
  std::vector<std::uint32_t> tags_;  // also replaced in write()
  std::vector<std::uint32_t> tag_starts_{0};
  NameTableWriter tag_names_;
};

}  // namespace kbase::native_index
