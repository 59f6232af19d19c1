// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/columns_writer.hpp"

#include "adapters/native_index/columns/column_sections.hpp"
#include "adapters/native_index/columns/id_table.hpp"

namespace kbase::native_index {

void ColumnsWriter::add(const ColumnValues& values) {
  updated_.push_back(static_cast<std::int32_t>(values.updated.time_since_epoch().count()));
  auto category = category_numbers_.find(values.category);
  if (category == category_numbers_.end()) {
    const auto number = static_cast<std::uint32_t>(category_numbers_.size());
    category = category_numbers_.emplace(values.category, number).first;
  }
  categories_.push_back(category->second);
  views_.push_back(values.views);
  revisions_.push_back(values.revision);
  languages_.push_back(values.language);
  id_bytes_ += values.id;
  id_sizes_.push_back(static_cast<std::uint16_t>(values.id.size()));
}

model::Status ColumnsWriter::write(SectionFileWriter& file) {
  if (const auto done = write_section(file, kUpdatedSection, updated_); !done) return done;
  if (const auto done = write_section(file, kViewsSection, views_); !done) return done;
  if (const auto done = write_section(file, kRevisionSection, revisions_); !done) return done;
  if (const auto done = write_section(file, kLanguageSection, languages_); !done) return done;
  if (const auto done = write_categories(file); !done) return done;
  return write_ids(file, ids());
}

model::Status ColumnsWriter::write_categories(SectionFileWriter& file) {
  std::vector<std::uint32_t> ordinals(category_numbers_.size());
  std::vector<std::uint32_t> starts;
  std::string names;
  for (const auto& [name, number] : category_numbers_) {
    ordinals[number] = static_cast<std::uint32_t>(starts.size());
    starts.push_back(static_cast<std::uint32_t>(names.size()));
    names += name;
  }
  starts.push_back(static_cast<std::uint32_t>(names.size()));
  for (std::uint32_t& category : categories_) category = ordinals[category];
  if (const auto done = write_section(file, kCategorySection, categories_); !done) return done;
  if (const auto done = write_section(file, kCategoryStartsSection, starts); !done) return done;
  return write_section(file, kCategoryNamesSection, names);
}

std::vector<std::string_view> ColumnsWriter::ids() const {
  std::vector<std::string_view> ids;
  ids.reserve(id_sizes_.size());
  std::string_view left = id_bytes_;
  for (const std::uint16_t size : id_sizes_) {
    ids.push_back(left.substr(0, size));
    left.remove_prefix(size);
  }
  return ids;
}

}  // namespace kbase::native_index
