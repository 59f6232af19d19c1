// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/term_block.hpp"

#include <limits>

#include "adapters/native_index/dictionary/bits.hpp"

namespace kbase::native_index {
TermBlock::TermBlock(std::string_view section, std::size_t bytes, std::size_t terms) : terms_(terms) {
  ByteReader block(section.substr(0, bytes));
  const std::string_view before_entries = block.bytes(block.varint());
  if (block.failed() || before_entries.size() < terms) {
    give_up();
    return;
  }
  headers_ = reinterpret_cast<const unsigned char*>(before_entries.data());
  own_bytes_ = ByteReader(before_entries.substr(terms));
  entries_ = section.substr(block.position());
}

bool TermBlock::next_long(std::uint64_t shared, std::uint64_t own) {
  if (shared == kLongLength) shared += own_bytes_.varint();
  if (own == kLongLength) own += own_bytes_.varint();
  return take(shared, own);
}

bool TermBlock::give_up() {
  damaged_ = true;
  terms_ = index_;
  return false;
}

std::optional<TermEntry> TermBlock::entry() const {
  ByteReader reader(entries_);
  const std::uint64_t least_postings = reader.varint();
  const std::size_t documents_bits = reader.u8();
  const std::size_t postings_bits = reader.u8();
  const std::string_view bits = entries_.substr(reader.position());
  const std::size_t at = index() * (documents_bits + postings_bits + 1);
  const auto documents = read_bits(bits, at, documents_bits);
  const auto postings = read_bits(bits, at + documents_bits, postings_bits);
  const auto is_word = read_bits(bits, at + documents_bits + postings_bits, 1);
  if (reader.failed() || !documents || !postings || !is_word || *documents > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return TermEntry{static_cast<std::uint32_t>(*documents), least_postings + *postings, *is_word == 1};
}

}  // namespace kbase::native_index
