// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/native_index/dictionary/term_block.hpp"
#include "adapters/native_index/dictionary/term_blocks.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"

namespace kbase::native_index {

/// Goes through terms in the order of their bytes. The dictionary's section has to outlive it. One thread.
///
///     for (TermCursor term = dictionary.prefix("data"); term.next();) use(term.term(), term.entry());
class TermCursor {
 public:
  /// Moves on to the next term, at first to the first one. False: there is none, or the rest is damaged.
  bool next();

  std::string_view term() const { return term_; }  ///< until next()
  const TermEntry& entry() const { return entry_; }
  bool damaged() const { return damaged_; }

 private:
  friend class Dictionary;
  TermCursor(const TermBlocks& blocks, std::string_view prefix);

  bool next_of_all();
  bool give_up();

  TermBlocks blocks_;
  std::string prefix_;
  std::size_t next_block_ = 0;
  TermBlock block_;
  std::string term_;
  TermEntry entry_;
  bool at_first_ = true;
  bool damaged_ = false;
};

/// A term that a word may have been meant to be. `term` is a loan until the sink returns.
struct NearTerm {
  std::string_view term;  ///< without its mark
  TermEntry entry;
  unsigned distance = 0;
};

/// All terms of a segment, sorted by their bytes. A term is any string; those that begin with a control character are
/// names that the index makes, apart from the words: a mark (one control character) and a word.
///
/// A view: the section has to outlive it. Any number of threads. A damaged section makes terms disappear, no more.
class Dictionary {
 public:
  using NearSink = model::FunctionRef<void(const NearTerm&)>;

  Dictionary() = default;
  /// Reads only the footer. Corrupt: it is none.
  static model::Result<Dictionary> open(std::span<const std::byte> section);

  std::uint64_t terms() const { return blocks_.terms(); }
  std::optional<TermEntry> find(std::string_view term) const;
  TermCursor prefix(std::string_view prefix) const { return {blocks_, prefix}; }
  TermCursor all() const { return {blocks_, {}}; }

  /// Gives `sink` all terms within `max_distance` (1 or 2) of `word` in their order, the word itself too:
  /// how many characters have to be put in, left out, replaced or swapped with their neighbour, each at most once
  /// (Damerau-Levenshtein, as optimal string alignment). Among the words, or among those behind a `mark`. A word of
  /// more than 63 characters is near to none.
  void nearest(std::string_view word, unsigned max_distance, std::string_view mark, NearSink sink) const;

 private:
  explicit Dictionary(const TermBlocks& blocks) : blocks_(blocks) {}

  TermBlocks blocks_;
};

}  // namespace kbase::native_index
