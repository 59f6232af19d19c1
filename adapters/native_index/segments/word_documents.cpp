// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/word_documents.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kEndBytes = 6;

}  // namespace

Result<WordDocuments> WordDocuments::open(std::string_view section) {
  if (section.size() < kEndBytes) return corrupt_error("words: the end is missing");
  ByteReader end(section.substr(section.size() - kEndBytes));
  const std::uint64_t lists = end.u32();
  const std::uint64_t offset_bytes = lists * end.u8();
  const std::uint64_t start_bytes = lists * end.u8();
  const std::uint64_t table_bytes = offset_bytes + start_bytes + kEndBytes;
  if (table_bytes > section.size()) return corrupt_error("words: the lists do not fit into the section");
  WordDocuments opened;
  opened.bits_ = section.substr(0, section.size() - table_bytes);
  const std::string_view table = section.substr(opened.bits_.size());
  opened.offsets_ = NumberColumn(table.substr(0, offset_bytes), lists);
  opened.starts_ = NumberColumn(table.substr(offset_bytes, start_bytes), lists);
  if (opened.offsets_.size() != lists || opened.starts_.size() != lists)
    return corrupt_error("words: a column has no valid width");
  return opened;
}

WordPostings WordDocuments::find(const TermEntry& entry) const {
  if (!entry.is_word) return WordPostings(false);
  std::size_t begin = 0;  // the first list at or after that of the entry
  for (std::size_t size = lists(); size > 0;) {
    const std::size_t half = size / 2;
    const bool is_before = offsets_[begin + half] < entry.postings;
    begin = is_before ? begin + half + 1 : begin;
    size = is_before ? size - half - 1 : half;
  }
  if (begin == lists() || offsets_[begin] != entry.postings) return WordPostings(true);
  const std::uint64_t start = starts_[begin];
  const std::size_t bytes = (std::size_t{entry.documents} + 7) / 8;
  return WordPostings(start < bits_.size() ? bits_.substr(start, bytes) : std::string_view());
}

WordDocumentsWriter::WordDocumentsWriter(SectionFileWriter& file) : section_(file, kWordSection) {}

void WordDocumentsWriter::add(bool is_word) {
  if (postings_ % 8 == 0) list_ += '\0';
  if (is_word) list_.back() = static_cast<char>(list_.back() | 1 << (postings_ % 8));
  ++postings_;
  words_ += is_word ? 1 : 0;
}

Result<bool> WordDocumentsWriter::end_list(std::uint64_t postings) {
  const bool is_word = words_ > 0;
  if (is_word && words_ < postings_) {
    offsets_.push_back(postings);
    starts_.push_back(written_);
    written_ += list_.size();
    KBASE_TRY(section_.append(list_));
  }
  list_.clear();
  postings_ = 0;
  words_ = 0;
  return is_word;
}

Status WordDocumentsWriter::finish(FunctionRef<bool()> stop) {
  const std::string offsets = NumberColumn::encode(offsets_);
  const std::string starts = NumberColumn::encode(starts_);
  std::string end;
  ByteWriter writer(end);
  writer.u32(static_cast<std::uint32_t>(offsets_.size()));
  writer.u8(NumberColumn::width_of(offsets, offsets_.size()));
  writer.u8(NumberColumn::width_of(starts, starts_.size()));
  for (const std::string& part : {offsets, starts, end}) KBASE_TRY(section_.append(part));
  return section_.write(stop);
}

}  // namespace kbase::native_index
