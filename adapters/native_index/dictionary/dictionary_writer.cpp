// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/dictionary_writer.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "adapters/native_index/dictionary/bits.hpp"
#include "adapters/native_index/dictionary/term_blocks.hpp"
#include "adapters/native_index/dictionary/term_order.hpp"

namespace kbase::native_index {

void DictionaryWriter::add(std::string_view term, TermEntry entry) {
  assert(terms_ == 0 || last_term_ < term);
  assert(entry.postings >> kMaxBits == 0);
  if (headers_.size() == kBlockTerms) finish_block();
  const bool first = headers_.empty();
  if (first) starts_.push_back(start_of(term));

  const std::size_t shared = first ? 0 : common_prefix(last_term_, term);
  const std::size_t own = term.size() - shared;
  const std::size_t high = std::min<std::size_t>(shared, kLongLength);
  const std::size_t low = std::min<std::size_t>(own, kLongLength);
  headers_ += static_cast<char>(high << 4 | low);
  if (high == kLongLength) ByteWriter(own_).varint(shared - kLongLength);
  if (low == kLongLength) ByteWriter(own_).varint(own - kLongLength);
  own_ += term.substr(shared);
  entries_.push_back(entry);

  last_term_ = term;
  ++terms_;
}

void DictionaryWriter::finish_block() {
  assert(written_ <= std::numeric_limits<std::uint32_t>::max());
  offsets_.push_back(static_cast<std::uint32_t>(written_));
  const std::size_t before = out_.size();
  ByteWriter(out_).varint(headers_.size() + own_.size());
  out_.append(headers_).append(own_);
  append_entries();
  written_ += out_.size() - before;
  headers_.clear();
  own_.clear();
  entries_.clear();
}

void DictionaryWriter::append_entries() {
  std::uint64_t least = entries_.front().postings;
  std::uint64_t most = least;
  std::uint32_t documents = 0;
  for (const TermEntry& entry : entries_) {
    least = std::min(least, entry.postings);
    most = std::max(most, entry.postings);
    documents = std::max(documents, entry.documents);
  }
  const auto documents_bits = static_cast<std::uint8_t>(std::bit_width(documents));
  const auto postings_bits = static_cast<std::uint8_t>(std::bit_width(most - least));
  ByteWriter out(out_);
  out.varint(least);
  out.u8(documents_bits);
  out.u8(postings_bits);
  BitWriter bits(out_);
  for (const TermEntry& entry : entries_) {
    bits.append(entry.documents, documents_bits);
    bits.append(entry.postings - least, postings_bits);
    bits.append(entry.is_word ? 1 : 0, 1);
  }
  bits.finish();
}

void DictionaryWriter::finish() {
  if (!headers_.empty()) finish_block();
  out_.append(padded(written_) - written_, '\0');
  ByteWriter out(out_);
  for (const std::uint64_t start : starts_) out.u64(start);
  for (const std::uint32_t offset : offsets_) out.u32(offset);
  out.u64(terms_);
  out.u64(written_);
}

}  // namespace kbase::native_index
