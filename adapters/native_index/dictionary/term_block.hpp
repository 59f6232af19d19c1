// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/native_index/files/bytes.hpp"

namespace kbase::native_index {

/// What the dictionary knows of a term.
struct TermEntry {
  std::uint32_t documents = 0;  ///< that have the term
  std::uint64_t postings = 0;   ///< where its list begins in the section of postings; below 2^56
  bool is_word = false;         ///< a text has it as it stands, rather than other forms of it alone

  friend bool operator==(const TermEntry&, const TermEntry&) = default;
};

inline constexpr std::size_t kBlockTerms = 16;
inline constexpr unsigned kLongLength = 15;  ///< in half a header: see TermBlock

/// Walks the terms of one block in their order. Front-coded (Witten, Moffat, Bell: Managing Gigabytes, 4.1): of each
/// term only what it does not share with the one before it. A block is
///
///     varint   bytes of all that stands before the entries
///     bytes    a header for each term: high half the bytes shared with the term before it, low half its own;
///              15 means 15 plus a varint, which stands before the own bytes (the shared one first)
///     bytes    the own bytes of each term
///     varint   the least postings of its terms
///     u8 u8    the bits that each term's documents take, and its postings less the least
///     bits     these two of each term and whether it is a word, the lowest bit first
///
/// Headers lie together, so that a walk which needs few of the terms passes the rest at a glance. Views point into the
/// section. A damaged block ends early and says so; it never leads outside of the section.
class TermBlock {
 public:
  /// Of no terms.
  TermBlock() = default;
  /// A block of so many bytes and terms at the beginning of `section`, the rest of the section.
  TermBlock(std::string_view section, std::size_t bytes, std::size_t terms);

  /// Moves on to the next term, at first to the first one. False: there is none.
  bool next();

  std::size_t index() const { return index_ - 1; }
  std::size_t shared() const { return shared_; }  ///< bytes; 0 for the first term
  std::string_view own() const { return own_; }
  bool damaged() const { return damaged_; }
  /// Of the term at hand. None: damaged.
  std::optional<TermEntry> entry() const;

 private:
  bool next_long(std::uint64_t shared, std::uint64_t own);
  bool take(std::uint64_t shared, std::uint64_t own);
  bool give_up();

  const unsigned char* headers_ = nullptr;
  std::size_t terms_ = 0;
  std::size_t index_ = 0;  // of the term that comes next
  std::size_t length_ = 0;
  std::size_t shared_ = 0;
  std::string_view own_;
  ByteReader own_bytes_;      // of the terms to come
  std::string_view entries_;  // and all behind them
  bool damaged_ = false;
};

// Here, as searching and correcting go through whole blocks.
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
