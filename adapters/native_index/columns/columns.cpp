// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/columns.hpp"

#include <cassert>

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
  columns.category_starts_ = numbers_of<std::uint32_t>(file, kCategoryStartsSection);
  columns.category_names_ = as_text(file.section(kCategoryNamesSection));
  if (!columns.are_of_one_length()) return damaged("the columns: not all of one length");
  if (!columns.have_their_categories()) return damaged("the columns: categories that do not exist");
  auto ids = IdTable::open(file, columns.documents());
  if (!ids) return ids.error();
  columns.ids_ = *ids;
  return columns;
}

bool Columns::are_of_one_length() const noexcept {
  const std::size_t documents = updated_.size();
  return categories_.size() == documents && views_.size() == documents && lengths_.size() == documents &&
         languages_.size() == documents;
}

bool Columns::have_their_categories() const noexcept {
  return is_partition(category_starts_, category_names_.size()) && are_below(categories_, category_count());
}

void Columns::prefetch(std::uint32_t document) const noexcept {
  __builtin_prefetch(&categories_[document]);
  __builtin_prefetch(&languages_[document]);
  ids_.prefetch(document);
}

std::string_view Columns::category_name(std::uint32_t ordinal) const noexcept {
  assert(ordinal < category_count());
  const std::uint32_t start = category_starts_[ordinal];
  return category_names_.substr(start, category_starts_[ordinal + 1] - start);
}

std::optional<std::uint32_t> Columns::category_ordinal(std::string_view name) const noexcept {
  std::uint32_t begin = 0;
  for (std::uint32_t end = category_count(); begin < end;) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (category_name(middle) < name)
      begin = middle + 1;
    else
      end = middle;
  }
  if (begin == category_count() || category_name(begin) != name) return std::nullopt;
  return begin;
}

}  // namespace kbase::native_index
