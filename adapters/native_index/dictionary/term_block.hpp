// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/native_index/files/bytes.hpp"

namespace kbase::native_index {

/// Dictionary entry of a term.
struct TermEntry {
  std::uint32_t documents = 0;  ///< number of documents with the term
  std::uint64_t postings = 0;   ///< offset of its list in section "postings"; below 2^56
  bool is_word = false;         ///< a text contains the term itself, not only other forms of its stem

  friend bool operator==(const TermEntry&, const TermEntry&) = default;
};

inline constexpr std::size_t kBlockTerms = 16;
inline constexpr unsigned kLongLength = 15;  ///< in half of a header byte: see TermBlock

/// Iterates over the terms of one block in order. Terms are front-coded (Witten, Moffat, Bell: Managing Gigabytes,
/// 4.1): each is stored without the prefix that it shares with the previous term. Layout of a block:
///
///     varint   number of bytes before the entries, without this varint
///     bytes    one header per term: high half the bytes shared with the previous term, low half its own bytes;
///              15 means 15 plus a varint, which precedes the own bytes (the shared one first)
///     bytes    own bytes of each term
///     varint   lowest postings offset of the block's terms
///     u8 u8    bits per document count; bits per postings offset relative to the lowest
///     bits     per term these two numbers and is_word, lowest bit first
///
/// The headers are stored together, so that a scan that needs few of the terms skips the others quickly. Views point
/// into the section. A damaged block ends early and sets damaged(); reads never leave the section.
class TermBlock {
 public:
  /// A block without terms.
  TermBlock() = default;
  /// A block of `terms` terms that occupies the first `bytes` bytes of `section`.
  TermBlock(std::string_view section, std::size_t bytes, std::size_t terms);

  /// Moves to the next term; the first call moves to the first term. Returns false at the end.
  bool next();

  std::size_t index() const { return index_ - 1; }
  std::size_t shared() const { return shared_; }  ///< bytes shared with the previous term; 0 for the first
  std::string_view own() const { return own_; }
  bool damaged() const { return damaged_; }
  /// Returns the entry of the current term; nullopt if it is damaged.
  std::optional<TermEntry> entry() const;

 private:
  bool next_long(std::uint64_t shared, std::uint64_t own);
  bool take(std::uint64_t shared, std::uint64_t own);
  bool give_up();

  const unsigned char* headers_ = nullptr;
  std::size_t terms_ = 0;
  std::size_t index_ = 0;  // index of the next term
  std::size_t length_ = 0;
  std::size_t shared_ = 0;
  std::string_view own_;
  ByteReader own_bytes_;      // remaining own bytes
  std::string_view entries_;  // entries, and the rest of the section
  bool damaged_ = false;
};

// Inline, because searches and corrections scan whole blocks.
inline bool TermBlock::next() {
  if (index_ == terms_) return false;
  const unsigned header = headers_[index_];
  const unsigned shared = header >> 4;
  const unsigned own = header & 0xF;
  return shared == kLongLength || own == kLongLength ? next_long(shared, own) : take(shared, own);
}

inline bool TermBlock::take(std::uint64_t shared, std::uint64_t own) {
  own_ = own_bytes_.bytes(own);
  if (own_bytes_.failed() || shared > length_) return give_up();
  shared_ = shared;
  length_ = shared + own;
  ++index_;
  return true;
}

}  // namespace kbase::native_index
