// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/columns.hpp"

#include <cassert>

#include "adapters/native_index/columns/column_sections.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {

Result<NameTable> NameTable::open(const SectionFile& file, const NameSections& sections) {
  NameTable table;
  table.starts_ = read_numbers<std::uint32_t>(file, sections.starts);
  table.names_ = as_text(file.section(sections.names));
  if (!is_partition(table.starts_, table.names_.size())) return corrupt_error("columns: the name table is invalid");
  return table;
}

std::string_view NameTable::name(std::uint32_t ordinal) const noexcept {
  assert(ordinal < size());
  const std::uint32_t start = starts_[ordinal];
  return names_.substr(start, starts_[ordinal + 1] - start);
}

std::uint32_t NameTableWriter::add(std::string_view name) {
  const auto existing = numbers_.find(name);
  if (existing != numbers_.end()) return existing->second;
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  return numbers_.emplace(name, number).first->second;
}

Status NameTableWriter::write(SectionFileWriter& file, const NameSections& sections,
                              std::vector<std::uint32_t>& numbers) const {
  std::vector<std::uint32_t> ordinals(numbers_.size());
  std::vector<std::uint32_t> starts;
  std::string names;
  for (const auto& [name, number] : numbers_) {
    ordinals[number] = static_cast<std::uint32_t>(starts.size());
    starts.push_back(static_cast<std::uint32_t>(names.size()));
    names += name;
  }
  starts.push_back(static_cast<std::uint32_t>(names.size()));
  for (std::uint32_t& number : numbers) number = ordinals[number];
  if (const auto written = write_section(file, sections.starts, starts); !written) return written;
  return write_section(file, sections.names, names);
}

Result<Columns> Columns::open(const SectionFile& file) {
  for (const SectionKind kind : kColumnSections) KBASE_TRY(file.verify(kind));
  Columns columns;
  columns.updated_ = read_numbers<std::int32_t>(file, kUpdatedSection);
  columns.categories_ = read_numbers<std::uint32_t>(file, kCategorySection);
  columns.views_ = read_numbers<std::uint64_t>(file, kViewsSection);
  columns.lengths_ = read_numbers<std::uint32_t>(file, kLengthSection);
  columns.languages_ = read_numbers<std::uint8_t>(file, kLanguageSection);
  columns.tags_ = read_numbers<std::uint32_t>(file, kTagSection);
  columns.tag_starts_ = read_numbers<std::uint32_t>(file, kTagStartsSection);
  const auto categories = KBASE_TRY(NameTable::open(file, kCategoryNames));
  columns.category_names_ = categories;
  const auto tags = KBASE_TRY(NameTable::open(file, kTagNames));
  columns.tag_names_ = tags;
  if (!columns.have_equal_lengths()) return corrupt_error("columns: their lengths differ");
  if (!columns.have_valid_ordinals())
    return corrupt_error("columns: a document refers to a category or tag that does not exist");
  auto ids = KBASE_TRY(IdTable::open(file, columns.documents()));
  columns.ids_ = ids;
  return columns;
}

bool Columns::have_equal_lengths() const noexcept {
  const std::size_t documents = updated_.size();
  return categories_.size() == documents && views_.size() == documents && lengths_.size() == documents &&
         languages_.size() == documents && tag_starts_.size() == documents + 1;
}

bool Columns::have_valid_ordinals() const noexcept {
  return are_all_below(categories_, category_names_.size()) && is_partition(tag_starts_, tags_.size()) &&
         are_all_below(tags_, tag_names_.size());
}

void Columns::prefetch(std::uint32_t document) const noexcept {
  __builtin_prefetch(&categories_[document]);
  __builtin_prefetch(&languages_[document]);
  ids_.prefetch(document);
}

void ColumnsWriter::add(const ColumnValues& values) {
  updated_.push_back(static_cast<std::int32_t>(values.updated.time_since_epoch().count()));
  categories_.push_back(category_names_.add(values.category));
  for (const std::string_view tag : values.tags) tags_.push_back(tag_names_.add(tag));
  tag_starts_.push_back(static_cast<std::uint32_t>(tags_.size()));
  views_.push_back(values.views);
  lengths_.push_back(values.length);
  languages_.push_back(values.language);
}

Status ColumnsWriter::write(SectionFileWriter& file) {
  if (const auto written = write_section(file, kUpdatedSection, updated_); !written) return written;
  if (const auto written = write_section(file, kViewsSection, views_); !written) return written;
  if (const auto written = write_section(file, kLengthSection, lengths_); !written) return written;
  if (const auto written = write_section(file, kLanguageSection, languages_); !written) return written;
  if (const auto written = category_names_.write(file, kCategoryNames, categories_); !written) return written;
  if (const auto written = write_section(file, kCategorySection, categories_); !written) return written;
  if (const auto written = tag_names_.write(file, kTagNames, tags_); !written) return written;
  if (const auto written = write_section(file, kTagStartsSection, tag_starts_); !written) return written;
  return write_section(file, kTagSection, tags_);
}

}  // namespace kbase::native_index
