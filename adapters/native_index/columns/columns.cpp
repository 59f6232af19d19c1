// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/columns.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/result.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {
namespace {

std::size_t count_blocks(std::size_t documents) { return (documents + kIdsPerBlock - 1) / kIdsPerBlock; }

/// Replaces `id`, which points into `buffer`, by the next id of the block. Returns false if the bytes are invalid.
bool read_next_id(ByteReader& block, IdBuffer& buffer, std::string_view& id) noexcept {
  const std::uint64_t prefix_bytes = block.varint();
  const std::string_view suffix = block.bytes(block.varint());
  if (block.failed() || prefix_bytes > id.size() || suffix.size() > buffer.size() - prefix_bytes) return false;
  std::memcpy(buffer.data() + prefix_bytes, suffix.data(), suffix.size());
  id = {buffer.data(), prefix_bytes + suffix.size()};
  return true;
}

std::size_t common_prefix_bytes(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

bool is_partition(const NumberColumn& starts, std::size_t bytes) {
  const std::size_t size = starts.size();
  if (size == 0 || starts[0] != 0 || starts[size - 1] != bytes) return false;
  std::uint64_t last = 0;
  for (std::size_t i = 1; i < size; ++i) {
    const std::uint64_t start = starts[i];
    if (start < last) return false;
    last = start;
  }
  return true;
}

bool are_all_below(const NumberColumn& numbers, std::size_t limit) {
  const std::size_t size = numbers.size();
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, numbers[i]);
  return size == 0 || largest < limit;
}

Result<NameTable> NameTable::open(const SectionFile& file, const NameSections& sections) {
  NameTable table;
  table.starts_ = read_numbers(file, sections.starts);
  table.names_ = as_text(file.section(sections.names));
  if (!is_partition(table.starts_, table.names_.size())) return corrupt_error("columns: the name table is invalid");
  return table;
}

std::string_view NameTable::name(std::uint32_t ordinal) const noexcept {
  assert(ordinal < size());
  const std::uint64_t start = starts_[ordinal];
  return names_.substr(start, starts_[ordinal + 1] - start);
}

Status NameTableWriter::write(SectionFileWriter& file, const NameSections& sections,
                              std::vector<std::uint32_t>& numbers) const {
  std::vector<std::uint32_t> ordinals(names_.size());
  std::vector<std::uint32_t> starts;
  std::string names;
  for (const std::uint32_t number : names_.sorted()) {
    ordinals[number] = static_cast<std::uint32_t>(starts.size());
    starts.push_back(static_cast<std::uint32_t>(names.size()));
    names += names_.text(number);
  }
  starts.push_back(static_cast<std::uint32_t>(names.size()));
  for (std::uint32_t& number : numbers) number = ordinals[number];
  KBASE_TRY(write_numbers(file, sections.starts, starts));
  return write_section(file, sections.names, names);
}

Result<Columns> Columns::open(const SectionFile& file) {
  for (const SectionKind kind : kColumnSections) KBASE_TRY(file.verify(kind));
  Columns columns;
  columns.updated_ = read_numbers(file, kUpdatedSection);
  columns.categories_ = read_numbers(file, kCategorySection);
  columns.views_ = read_numbers(file, kViewsSection);
  const std::string_view languages = as_text(file.section(kLanguageSection));
  columns.languages_ = {reinterpret_cast<const std::uint8_t*>(languages.data()), languages.size()};
  columns.tags_ = read_numbers(file, kTagSection);
  columns.tag_starts_ = read_numbers(file, kTagStartsSection);
  const auto categories = KBASE_TRY(NameTable::open(file, kCategoryNames));
  columns.category_names_ = categories;
  const auto tags = KBASE_TRY(NameTable::open(file, kTagNames));
  columns.tag_names_ = tags;
  if (!columns.have_equal_lengths()) return corrupt_error("columns: their lengths differ");
  if (!columns.have_valid_ordinals())
    return corrupt_error("columns: a document refers to a category or tag that does not exist");
  auto ids = KBASE_TRY(IdTable::open(file, columns.documents()));
  columns.ids_ = ids;
  auto titles = KBASE_TRY(TitleTable::open(file, columns.documents()));
  columns.titles_ = std::move(titles);
  return columns;
}

bool Columns::have_equal_lengths() const noexcept {
  const std::size_t documents = languages_.size();
  return updated_.size() == documents && categories_.size() == documents && views_.size() == documents &&
         tag_starts_.size() == documents + 1;
}

bool Columns::have_valid_ordinals() const noexcept {
  return are_all_below(categories_, category_names_.size()) && is_partition(tag_starts_, tags_.size()) &&
         are_all_below(tags_, tag_names_.size());
}

void Columns::prefetch(std::uint32_t document) const noexcept {
  __builtin_prefetch(&languages_[document]);
  ids_.prefetch(document);
}

void ColumnsWriter::add(const ColumnValues& values) {
  updated_.push_back(static_cast<std::uint32_t>(values.updated.time_since_epoch().count() - kFirstDay));
  categories_.push_back(category_names_.add(values.category));
  for (const std::string_view tag : values.tags) tags_.push_back(tag_names_.add(tag));
  tag_starts_.push_back(static_cast<std::uint32_t>(tags_.size()));
  views_.push_back(values.views);
  languages_.push_back(values.language);
}

Status ColumnsWriter::write(SectionFileWriter& file) {
  KBASE_TRY(write_numbers(file, kUpdatedSection, updated_));
  KBASE_TRY(write_numbers(file, kViewsSection, views_));
  KBASE_TRY(write_section(file, kLanguageSection, as_text(std::as_bytes(std::span(languages_)))));
  KBASE_TRY(category_names_.write(file, kCategoryNames, categories_));
  KBASE_TRY(write_numbers(file, kCategorySection, categories_));
  KBASE_TRY(tag_names_.write(file, kTagNames, tags_));
  KBASE_TRY(write_numbers(file, kTagStartsSection, tag_starts_));
  return write_numbers(file, kTagSection, tags_);
}

Result<IdTable> IdTable::open(const SectionFile& file, std::size_t documents) {
  IdTable table;
  table.blocks_ = as_text(file.section(kIdsSection));
  table.starts_ = read_numbers(file, kIdStartsSection);
  table.ranks_ = read_numbers(file, kIdRanksSection);
  table.documents_ = read_numbers(file, kIdDocumentsSection);
  const bool has_all_documents = table.ranks_.size() == documents && table.documents_.size() == documents &&
                                 table.starts_.size() == count_blocks(documents) + 1;
  if (!has_all_documents || !is_partition(table.starts_, table.blocks_.size()) ||
      !are_all_below(table.ranks_, documents) || !are_all_below(table.documents_, documents))
    return corrupt_error("columns: the id table does not match the documents");
  return table;
}

std::string_view IdTable::block(std::size_t number) const noexcept {
  return blocks_.substr(starts_[number], starts_[number + 1] - starts_[number]);
}

std::string_view IdTable::first_id_in_block(std::size_t number) const noexcept {
  ByteReader reader(block(number));
  reader.skip(1);  // shared length, always 0 for the first id of a block
  return reader.bytes(reader.varint());
}

void IdTable::prefetch(std::uint32_t document) const noexcept {
  __builtin_prefetch(block(ranks_[document] / kIdsPerBlock).data());
}

std::string_view IdTable::id(std::uint32_t document, IdBuffer& buffer) const noexcept {
  assert(document < ranks_.size());
  const std::uint32_t rank = this->rank(document);
  ByteReader reader(block(rank / kIdsPerBlock));
  std::string_view id;
  for (std::size_t left = rank % kIdsPerBlock + 1; left > 0; --left)
    if (!read_next_id(reader, buffer, id)) return {};
  return id;
}

std::optional<std::uint32_t> IdTable::find(std::string_view id_to_find) const noexcept {
  std::size_t begin = 0;
  for (std::size_t end = starts_.size() == 0 ? 0 : starts_.size() - 1; begin < end;) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (first_id_in_block(middle) <= id_to_find)
      begin = middle + 1;
    else
      end = middle;
  }
  if (begin == 0) return std::nullopt;
  ByteReader reader(block(begin - 1));
  IdBuffer buffer;
  std::string_view id;
  const std::size_t first = (begin - 1) * kIdsPerBlock;
  for (std::size_t rank = first; rank < std::min(first + kIdsPerBlock, documents_.size()); ++rank) {
    if (!read_next_id(reader, buffer, id)) return std::nullopt;
    if (id == id_to_find) return static_cast<std::uint32_t>(documents_[rank]);
  }
  return std::nullopt;
}

bool IdCursor::next() noexcept {
  if (next_rank_ == table_.documents_.size() || damaged_) return false;
  if (next_rank_ % kIdsPerBlock == 0) {
    block_ = ByteReader(table_.block(next_rank_ / kIdsPerBlock));
    id_bytes_ = 0;
  }
  std::string_view id(buffer_.data(), id_bytes_);
  damaged_ = !read_next_id(block_, buffer_, id);
  id_bytes_ = id.size();
  ++next_rank_;
  return !damaged_;
}

void IdTableWriter::add(std::string_view id) {
  assert(!id.empty() && id.size() <= model::kMaxIdBytes && last_id_ < id);
  const bool is_first = ids_ % kIdsPerBlock == 0;
  if (is_first) starts_.push_back(blocks_.size());
  const std::size_t prefix_bytes = is_first ? 0 : common_prefix_bytes(last_id_, id);
  ByteWriter writer(blocks_);
  writer.varint(prefix_bytes);
  writer.varint(id.size() - prefix_bytes);
  writer.bytes(id.substr(prefix_bytes));
  last_id_ = id;
  ++ids_;
}

Status IdTableWriter::write(SectionFileWriter& file, std::span<const std::uint32_t> documents) {
  assert(documents.size() == ids_);
  starts_.push_back(blocks_.size());
  std::vector<std::uint32_t> ranks(documents.size());
  for (std::uint32_t rank = 0; rank < documents.size(); ++rank) ranks[documents[rank]] = rank;
  KBASE_TRY(write_section(file, kIdsSection, blocks_));
  KBASE_TRY(write_numbers(file, kIdStartsSection, starts_));
  KBASE_TRY(write_numbers(file, kIdRanksSection, ranks));
  return write_numbers(file, kIdDocumentsSection, documents);
}

}  // namespace kbase::native_index
