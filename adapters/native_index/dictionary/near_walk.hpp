// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/dictionary/dictionary.hpp"
#include "adapters/native_index/dictionary/typo_automaton.hpp"

namespace kbase::native_index {

/// Implementation of Dictionary::nearest: runs the automaton over the sorted terms, resuming at the prefix shared with
/// the previous term, and skips terms that begin with a rejected prefix.
class NearWalk {
 public:
  NearWalk(const TermBlocks& blocks, const TypoAutomaton& automaton, std::string_view mark, Dictionary::NearSink sink);

  void run();

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// Returns false if no later term can be near.
  bool walk_block(TermBlock block);
  /// Handles a term that shares at most the mark with the path. Returns false if it sorts after all terms with the
  /// mark.
  bool enter(std::size_t shared, std::string_view own);
  /// Runs the automaton over a term: `shared` bytes of the path, then `own`. Returns false if the term is not near.
  bool read_on(std::size_t shared, std::string_view own);
  /// Returns the start of the character that byte `end` of the path cuts.
  std::size_t begin_of_character(std::size_t end) const;
  void tell(const TermBlock& block);
  void give_up(std::size_t at, TypoAutomaton::Character character);
  bool given_up(std::size_t shared, std::string_view own) const;
  /// Returns the first block after `block` that may contain a term that is not rejected.
  std::size_t next_block(std::size_t block) const;
  std::uint64_t last_start_given_up() const;
  std::string_view path() const { return {path_.data(), depth_}; }
  std::string_view mark() const { return std::string_view(first_).substr(0, first_.size() - 1); }

  const TermBlocks& blocks_;
  const TypoAutomaton& automaton_;
  // Lower bound of the searched terms: the mark and the lowest character of a word.
  std::string first_;
  Dictionary::NearSink sink_;

  std::vector<char> path_;                    // current term, up to the point where it was rejected
  std::vector<TypoAutomaton::State> states_;  // state after n bytes of the path, at character ends
  std::size_t depth_ = 0;                     // length of the path, bytes
  // Rejected terms: those that begin with the first dead_ bytes of the path, and, if fork_ is set, those that begin
  // with its first fork_ bytes and sort before these bytes followed by resume_.
  std::size_t dead_ = kNone;
  std::size_t fork_ = kNone;
  TypoAutomaton::Character resume_ = 0;
};

}  // namespace kbase::native_index
