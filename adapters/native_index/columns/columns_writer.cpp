// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/columns_writer.hpp"

#include "adapters/native_index/columns/column_sections.hpp"

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
  lengths_.push_back(values.length);
  languages_.push_back(values.language);
}

model::Status ColumnsWriter::write(SectionFileWriter& file) {
  if (const auto done = write_section(file, kUpdatedSection, updated_); !done) return done;
  if (const auto done = write_section(file, kViewsSection, views_); !done) return done;
  if (const auto done = write_section(file, kLengthSection, lengths_); !done) return done;
  if (const auto done = write_section(file, kLanguageSection, languages_); !done) return done;
  return write_categories(file);
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

}  // namespace kbase::native_index
