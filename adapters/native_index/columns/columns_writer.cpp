// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/columns_writer.hpp"

#include "adapters/native_index/columns/column_sections.hpp"

namespace kbase::native_index {

void ColumnsWriter::add(const ColumnValues& values) {
  updated_.push_back(static_cast<std::int32_t>(values.updated.time_since_epoch().count()));
  categories_.push_back(category_names_.number_of(values.category));
  for (const std::string_view tag : values.tags) tags_.push_back(tag_names_.number_of(tag));
  tag_starts_.push_back(static_cast<std::uint32_t>(tags_.size()));
  views_.push_back(values.views);
  lengths_.push_back(values.length);
  languages_.push_back(values.language);
}

model::Status ColumnsWriter::write(SectionFileWriter& file) {
  if (const auto done = write_section(file, kUpdatedSection, updated_); !done) return done;
  if (const auto done = write_section(file, kViewsSection, views_); !done) return done;
  if (const auto done = write_section(file, kLengthSection, lengths_); !done) return done;
  if (const auto done = write_section(file, kLanguageSection, languages_); !done) return done;
  if (const auto done = category_names_.write(file, kCategoryNames, categories_); !done) return done;
  if (const auto done = write_section(file, kCategorySection, categories_); !done) return done;
  if (const auto done = tag_names_.write(file, kTagNames, tags_); !done) return done;
  if (const auto done = write_section(file, kTagStartsSection, tag_starts_); !done) return done;
  return write_section(file, kTagSection, tags_);
}

}  // namespace kbase::native_index
