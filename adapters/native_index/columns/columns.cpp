// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/columns.hpp"

#include "adapters/native_index/columns/column_sections.hpp"

namespace kbase::native_index {

model::Result<Columns> Columns::open(const SectionFile& file) {
  for (const SectionKind kind : kColumnSections)
    if (const auto verified = file.verify(kind); !verified) return verified.error();
  Columns columns;
  columns.updated_ = numbers_of<std::int32_t>(file, kUpdatedSection);
  columns.categories_ = numbers_of<std::uint32_t>(file, kCategorySection);
  columns.views_ = numbers_of<std::uint64_t>(file, kViewsSection);
  columns.lengths_ = numbers_of<std::uint32_t>(file, kLengthSection);
  columns.languages_ = numbers_of<std::uint8_t>(file, kLanguageSection);
  columns.tags_ = numbers_of<std::uint32_t>(file, kTagSection);
  columns.tag_starts_ = numbers_of<std::uint32_t>(file, kTagStartsSection);
  const auto categories = NameTable::open(file, kCategoryNames);
  if (!categories) return categories.error();
  columns.category_names_ = *categories;
  const auto tags = NameTable::open(file, kTagNames);
  if (!tags) return tags.error();
  columns.tag_names_ = *tags;
  if (!columns.are_of_one_length()) return damaged("the columns: not all of one length");
  if (!columns.have_their_names()) return damaged("the columns: categories or tags that do not exist");
  auto ids = IdTable::open(file, columns.documents());
  if (!ids) return ids.error();
  columns.ids_ = *ids;
  return columns;
}

bool Columns::are_of_one_length() const noexcept {
  const std::size_t documents = updated_.size();
  return categories_.size() == documents && views_.size() == documents && lengths_.size() == documents &&
         languages_.size() == documents && tag_starts_.size() == documents + 1;
}

bool Columns::have_their_names() const noexcept {
  return are_below(categories_, category_names_.size()) && is_partition(tag_starts_, tags_.size()) &&
         are_below(tags_, tag_names_.size());
}

void Columns::prefetch(std::uint32_t document) const noexcept {
  __builtin_prefetch(&categories_[document]);
  __builtin_prefetch(&languages_[document]);
  ids_.prefetch(document);
}

}  // namespace kbase::native_index
