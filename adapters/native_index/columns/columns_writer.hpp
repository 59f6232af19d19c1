// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/section_file_writer.hpp"
#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {

/// What the columns hold of a document.
struct ColumnValues {
  std::string_view id;  ///< of 1 to 256 bytes, as no other document of the segment
  std::string_view category;
  model::Day updated;
  std::uint64_t views = 0;  ///< the imported count
  std::uint8_t language = 0;
  model::Revision revision = 0;  ///< of the item's last change
};

/// Gathers the columns in memory, about 30 bytes a document and its id, until they are written. One thread.
class ColumnsWriter {
 public:
  /// The next document, from document 0 on. Copies.
  void add(const ColumnValues& values);

  /// Writes the sections, once. Unsupported: see write_ids.
  model::Status write(SectionFileWriter& file);

 private:
  model::Status write_categories(SectionFileWriter& file);
  std::vector<std::string_view> ids() const;

  std::vector<std::int32_t> updated_;
  std::vector<std::uint32_t> categories_;  // numbers in the order of arrival until they are written
  std::vector<std::uint64_t> views_;
  std::vector<std::uint64_t> revisions_;
  std::vector<std::uint8_t> languages_;
  std::map<std::string, std::uint32_t, std::less<>> category_numbers_;
  std::string id_bytes_;
  std::vector<std::uint16_t> id_sizes_;
};

}  // namespace kbase::native_index
