// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/dictionary/term_filter.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {

inline constexpr std::size_t kSortKeyBytes = 8;

/// Returns the first kSortKeyBytes bytes, padded with zeros, as a number with the same sort order.
inline std::uint64_t make_sort_key(std::string_view term) {
  std::uint64_t key = 0;
  if (!term.empty()) std::memcpy(&key, term.data(), std::min(term.size(), kSortKeyBytes));
  return __builtin_bswap64(key);
}

inline std::size_t common_prefix_length(std::string_view a, std::string_view b) {
  const std::size_t limit = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (length < limit && a[length] == b[length]) ++length;
  return length;
}

/// Dictionary entry of a term.
struct TermEntry {
  std::uint32_t documents = 0;  ///< number of documents with the term
  std::uint64_t postings = 0;   ///< offset of its list in section "postings"; below 2^56
  bool is_word = false;         ///< a text contains the term itself, not only other forms of its stem

  friend bool operator==(const TermEntry&, const TermEntry&) = default;
};

/// A candidate correction of a word. `term` is valid until the sink returns.
struct NearTerm {
  std::string_view term;  ///< without its mark
  TermEntry entry;
  unsigned distance = 0;
};

inline constexpr std::size_t kBlockTerms = 16;
inline constexpr unsigned kLongLength = 15;  ///< in half of a header byte: see TermBlock

/// Appends a dictionary (layout: TermBlocks) to `out`. The caller may empty `out` between calls, because the writer
/// counts its bytes itself. Holds one block, 12 bytes per earlier block and 4 bytes per term. Not thread-safe.
class DictionaryWriter {
 public:
  explicit DictionaryWriter(std::string& out) : out_(out) {}

  /// Adds a term. Terms must come in strictly ascending byte order.
  void add(std::string_view term, TermEntry entry);
  /// Bytes of the complete blocks. The caller adds no term once they exceed 32 bits.
  std::uint64_t written() const { return written_; }
  /// Writes the last block and the tables. No call may follow.
  void finish();

 private:
  void finish_block();
  void append_entries();

  std::string& out_;
  std::string last_term_;
  std::uint64_t terms_ = 0;

  std::string headers_;
  std::string suffixes_;
  std::vector<TermEntry> entries_;

  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> sort_keys_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> hashes_;
};

/// Iterates over the terms of one block in order. Terms are front-coded (Witten, Moffat, Bell: Managing Gigabytes,
/// 4.1): each is stored without the prefix that it shares with the previous term. Layout of a block:
///
///     varint   number of bytes before the entries, without this varint
///     bytes    one header per term: high half the bytes shared with the previous term, low half those of its suffix;
///              15 means 15 plus a varint, which precedes the suffix (the shared one first)
///     bytes    suffix of each term
///     varint   lowest postings offset of the block's terms
///     u8 u8    bits per document count; bits per postings offset relative to the lowest
///     bits     per term is_word and these two numbers, lowest bit first
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
  std::string_view suffix() const { return suffix_; }
  bool damaged() const { return damaged_; }
  /// Returns the entry of the current term; nullopt if it is damaged.
  std::optional<TermEntry> entry() const;

 private:
  bool read_widths() const;
  bool next_long(std::uint64_t shared, std::uint64_t suffix_bytes);
  bool set_term(std::uint64_t shared, std::uint64_t suffix_bytes);
  bool mark_damaged();

  const unsigned char* headers_ = nullptr;
  std::size_t terms_ = 0;
  std::size_t index_ = 0;  // index of the next term
  std::size_t length_ = 0;
  std::size_t shared_ = 0;
  std::string_view suffix_;
  ByteReader suffixes_;       // remaining suffixes
  std::string_view entries_;  // entries, and the rest of the section
  bool damaged_ = false;
  // The start of `entries_`, once an entry was read.
  mutable std::uint64_t min_postings_ = 0;
  mutable std::uint8_t documents_bits_ = 0;
  mutable std::uint8_t postings_bits_ = 0;
  mutable std::string_view bits_;
};

inline bool TermBlock::set_term(std::uint64_t shared, std::uint64_t suffix_bytes) {
  suffix_ = suffixes_.bytes(suffix_bytes);
  if (suffixes_.failed() || shared > length_) return mark_damaged();
  shared_ = shared;
  length_ = shared + suffix_bytes;
  ++index_;
  return true;
}

// Inline, because searches and corrections scan whole blocks.
inline bool TermBlock::next() {
  if (index_ == terms_) return false;
  const unsigned header = headers_[index_];
  const unsigned shared = header >> 4;
  const unsigned suffix_bytes = header & 0xF;
  return shared == kLongLength || suffix_bytes == kLongLength ? next_long(shared, suffix_bytes)
                                                              : set_term(shared, suffix_bytes);
}

/// Section of a dictionary. Layout:
///
///     blocks   of kBlockTerms terms each; only the last may have fewer
///     zeros    up to a multiple of 64
///     filter   see TermFilter; one block for each kTermsPerBlock terms
///     u64      per block the first 8 bytes of its first term, encoded by make_sort_key
///     u64      every eighth of these, so that a search reads one cache line of them
///     u32      per block its offset; limits the blocks to 4 GiB, about 500 million terms
///     u64 u64  footer: number of terms, bytes of all blocks
///
/// Numbers are little-endian. A view: the section must outlive it. Thread-safe.
class TermBlocks {
 public:
  TermBlocks() = default;
  static Result<TermBlocks> open(std::string_view section);

  std::size_t size() const { return size_; }
  std::uint64_t terms() const { return terms_; }
  std::uint64_t sort_key(std::size_t block) const { return load<std::uint64_t>(sort_keys_ + 8 * block); }
  TermBlock at(std::size_t block) const;

  /// Returns the last block whose first term is at most `term`, or block 0 if there is no such block. Requires
  /// size() > 0.
  std::size_t find_block(std::string_view term) const;

  const TermFilter& filter() const { return filter_; }

 private:
  std::size_t count_blocks_up_to(std::uint64_t key) const;
  std::string_view first_term(std::size_t block) const;

  std::string_view section_;
  std::size_t bytes_ = 0;  // total bytes of all blocks
  TermFilter filter_;
  const char* sort_keys_ = nullptr;
  const char* samples_ = nullptr;
  const char* offsets_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t terms_ = 0;
};

/// Iterates over terms in byte order. The dictionary's section must outlive it. Not thread-safe.
///
///     for (TermCursor term = dictionary.prefix("data"); term.next();) use(term.term(), term.entry());
class TermCursor {
 public:
  /// Moves to the next term; the first call moves to the first term. Returns false at the end, or if the rest is
  /// damaged.
  bool next();

  std::string_view term() const { return term_; }  ///< valid until next()
  const TermEntry& entry() const { return entry_; }
  bool damaged() const { return damaged_; }

 private:
  friend class Dictionary;
  TermCursor(const TermBlocks& blocks, std::string_view prefix);

  bool advance();
  bool mark_damaged();

  TermBlocks blocks_;
  std::string prefix_;
  std::size_t next_block_ = 0;
  TermBlock block_;
  std::string term_;
  TermEntry entry_;
  bool at_first_ = true;
  bool damaged_ = false;
};

/// All terms of a segment in byte order. A term is any string. A term that begins with a control character (a mark) is
/// made by the index and is not a word of a text: the mark, then a word or name.
///
/// A view: the section must outlive it. Thread-safe. If the section is damaged, terms may be missing; there is no other
/// effect.
class Dictionary {
 public:
  using NearSink = FunctionRef<void(const NearTerm&)>;

  Dictionary() = default;
  /// Reads only the footer. Errors: Corrupt if it is invalid.
  static Result<Dictionary> open(std::span<const std::byte> section);

  std::uint64_t terms() const { return blocks_.terms(); }
  std::optional<TermEntry> find(std::string_view term) const;
  TermCursor prefix(std::string_view prefix) const { return {blocks_, prefix}; }
  /// Visits the entries of the terms with the prefix in their order, until the visitor stops. Faster than a cursor,
  /// which assembles the terms.
  void visit_entries(std::string_view prefix, FunctionRef<Visit(const TermEntry&)> visitor) const;
  TermCursor all() const { return {blocks_, {}}; }

  /// Calls `sink`, in byte order, for all terms within `max_distance` (1 or 2) of `word`, including `word` itself. The
  /// distance is the number of insertions, deletions, substitutions and swaps of adjacent characters, where no part is
  /// edited twice (Damerau-Levenshtein, optimal string alignment). Searches the terms that begin with `mark`, or the
  /// words if it is empty. Finds nothing for a word of more than 63 characters.
  void find_near(std::string_view word, unsigned max_distance, std::string_view mark, NearSink sink) const;

 private:
  explicit Dictionary(const TermBlocks& blocks) : blocks_(blocks) {}

  TermBlocks blocks_;
};

}  // namespace kbase::native_index
