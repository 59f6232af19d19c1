// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/native_index/dictionary/term_blocks.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {

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

/// A candidate correction of a word. `term` is valid until the sink returns.
struct NearTerm {
  std::string_view term;  ///< without its mark
  TermEntry entry;
  unsigned distance = 0;
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
