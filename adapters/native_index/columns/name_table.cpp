// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/name_table.hpp"

#include <cassert>

#include "adapters/native_index/columns/column_sections.hpp"

namespace kbase::native_index {

model::Result<NameTable> NameTable::open(const SectionFile& file, const NameSections& sections) {
  NameTable table;
  table.starts_ = numbers_of<std::uint32_t>(file, sections.starts);
  table.names_ = as_text(file.section(sections.names));
  if (!is_partition(table.starts_, table.names_.size())) return damaged("the columns: names that are none");
  return table;
}

std::string_view NameTable::name(std::uint32_t ordinal) const noexcept {
  assert(ordinal < size());
  const std::uint32_t start = starts_[ordinal];
  return names_.substr(start, starts_[ordinal + 1] - start);
}

std::uint32_t NameTableWriter::number_of(std::string_view name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  return numbers_.emplace(name, number).first->second;
}

model::Status NameTableWriter::write(SectionFileWriter& file, const NameSections& sections,
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
  if (const auto done = write_section(file, sections.starts, starts); !done) return done;
  return write_section(file, sections.names, names);
}

}  // namespace kbase::native_index
