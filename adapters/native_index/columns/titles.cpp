// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/titles.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

namespace kbase::native_index {

Result<TitleTable> TitleTable::open(const SectionFile& file, std::size_t documents) {
  TitleTable table;
  table.bytes_ = as_text(file.section(kTitleSection));
  if (table.bytes_.size() % kTitleEntryBytes != 0) return corrupt_error("columns: a title is incomplete");
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.entry(i).document >= documents) return corrupt_error("columns: a title has no document");
    if (i > 0 && table.entry(i) <= table.entry(i - 1)) return corrupt_error("columns: the titles are not sorted");
  }
  table.group();
  return table;
}

TitleEntry TitleTable::entry(std::size_t number) const noexcept {
  const char* const at = bytes_.data() + number * kTitleEntryBytes;
  return {TitleHash{load<std::uint32_t>(at)} << 16 | load<std::uint16_t>(at + 4), load<std::uint32_t>(at + 6)};
}

void TitleTable::group() {
  constexpr std::size_t kGroupEntries = 8;
  const auto bits = static_cast<unsigned>(std::bit_width(size() / kGroupEntries));
  shift_ = kTitleHashBits - std::min(bits, 32U);
  group_starts_.assign((std::size_t{1} << (kTitleHashBits - shift_)) + 1, 0);
  for (std::size_t i = 0; i < size(); ++i) ++group_starts_[group_of(entry(i).hash) + 1];
  std::partial_sum(group_starts_.begin(), group_starts_.end(), group_starts_.begin());
}

std::vector<std::uint32_t> TitleTable::find(TitleHash hash) const {
  std::vector<std::uint32_t> documents;
  const std::size_t group = group_of(hash);
  for (std::size_t i = group_starts_[group]; i < group_starts_[group + 1]; ++i)
    if (const TitleEntry each = entry(i); each.hash == hash) documents.push_back(each.document);
  return documents;
}

void TitleTable::prefetch(TitleHash hash) const noexcept {
  const char* const first = bytes_.data() + group_starts_[group_of(hash)] * kTitleEntryBytes;
  __builtin_prefetch(first);
  __builtin_prefetch(first + 64);
}

Status TitleTableWriter::write(SectionFileWriter& file) {
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  std::string bytes;
  bytes.reserve(entries_.size() * kTitleEntryBytes);
  ByteWriter writer(bytes);
  for (const TitleEntry& entry : entries_) {
    writer.u32(static_cast<std::uint32_t>(entry.hash >> 16));
    writer.u16(static_cast<std::uint16_t>(entry.hash));
    writer.u32(entry.document);
  }
  KBASE_TRY(file.begin(kTitleSection));
  return file.append(bytes);
}

}  // namespace kbase::native_index
