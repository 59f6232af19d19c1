// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/id_table.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "adapters/native_index/columns/column_sections.hpp"
#include "adapters/native_index/files/bytes.hpp"

namespace kbase::native_index {
namespace {

std::size_t blocks_of(std::size_t documents) {
  return (documents + kIdsPerBlock - 1) / kIdsPerBlock;
}

/// Replaces `id`, which points into `buffer`, by the next id of the block. Returns false if the bytes are invalid.
bool advance(ByteReader& block, IdBuffer& buffer, std::string_view& id) noexcept {
  const std::uint64_t shared = block.varint();
  const std::string_view own = block.bytes(block.varint());
  if (block.failed() || shared > id.size() || own.size() > buffer.size() - shared) return false;
  std::memcpy(buffer.data() + shared, own.data(), own.size());
  id = {buffer.data(), shared + own.size()};
  return true;
}

}  // namespace

model::Result<IdTable> IdTable::open(const SectionFile& file, std::size_t documents) {
  IdTable table;
  table.blocks_ = as_text(file.section(kIdsSection));
  table.starts_ = numbers_of<std::uint32_t>(file, kIdStartsSection);
  table.ranks_ = numbers_of<std::uint32_t>(file, kIdRanksSection);
  table.documents_ = numbers_of<std::uint32_t>(file, kIdDocumentsSection);
  const bool is_whole = table.ranks_.size() == documents && table.documents_.size() == documents &&
                        table.starts_.size() == blocks_of(documents) + 1;
  if (!is_whole || !is_partition(table.starts_, table.blocks_.size()) || !are_below(table.ranks_, documents) ||
      !are_below(table.documents_, documents))
    return damaged("the columns: ids of other documents");
  return table;
}

std::string_view IdTable::block(std::size_t number) const noexcept {
  return blocks_.substr(starts_[number], starts_[number + 1] - starts_[number]);
}

std::string_view IdTable::first_of_block(std::size_t number) const noexcept {
  ByteReader reader(block(number));
  reader.skip(1);  // shared length, always 0 for the first id of a block
  return reader.bytes(reader.varint());
}

void IdTable::prefetch(std::uint32_t document) const noexcept {
  __builtin_prefetch(block(ranks_[document] / kIdsPerBlock).data());
}

std::string_view IdTable::id(std::uint32_t document, IdBuffer& buffer) const noexcept {
  assert(document < ranks_.size());
  const std::uint32_t rank = ranks_[document];
  ByteReader reader(block(rank / kIdsPerBlock));
  std::string_view id;
  for (std::size_t left = rank % kIdsPerBlock + 1; left > 0; --left)
    if (!advance(reader, buffer, id)) return {};
  return id;
}

std::optional<std::uint32_t> IdTable::find(std::string_view wanted) const noexcept {
  std::size_t begin = 0;
  for (std::size_t end = starts_.empty() ? 0 : starts_.size() - 1; begin < end;) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (first_of_block(middle) <= wanted)
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
    if (!advance(reader, buffer, id)) return std::nullopt;
    if (id == wanted) return documents_[rank];
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
  damaged_ = !advance(block_, buffer_, id);
  id_bytes_ = id.size();
  ++next_rank_;
  return !damaged_;
}

}  // namespace kbase::native_index
