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

/// Dictionary::nearest at work: takes the terms through the automaton in their order, from where each leaves the one
/// before it, and passes those that begin like one that was given up.
class NearWalk {
 public:
  NearWalk(const TermBlocks& blocks, const TypoAutomaton& automaton, std::string_view mark, Dictionary::NearSink sink);

  void run();

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// False: no later term can be near.
  bool walk_block(TermBlock block);
  /// For a term that shares no more than the mark: false where it is behind the words sought.
  bool enter(std::size_t shared, std::string_view own);
  /// Follows the term that has `shared` bytes of the path and then its own. False: it is not near.
  bool read_on(std::size_t shared, std::string_view own);
  /// Of the one that is cut at byte `end` of the path.
  std::size_t begin_of_character(std::size_t end) const;
  void tell(const TermBlock& block);
  void give_up(std::size_t at, TypoAutomaton::Character character);
  bool given_up(std::size_t shared, std::string_view own) const;
  /// The first block after `block` that can have a term not given up.
  std::size_t next_block(std::size_t block) const;
  std::uint64_t last_start_given_up() const;
  std::string_view path() const { return {path_.data(), depth_}; }
  std::string_view mark() const { return std::string_view(first_).substr(0, first_.size() - 1); }

  const TermBlocks& blocks_;
  const TypoAutomaton& automaton_;
  std::string first_;  // what all words of the mark are behind: the mark and the lowest character of a word
  Dictionary::NearSink sink_;

  std::vector<char> path_;                    // the term, as far as it may matter
  std::vector<TypoAutomaton::State> states_;  // after so many bytes of it, at the ends of characters
  std::size_t depth_ = 0;                     // bytes of the path
  // What is given up: terms that begin with the first dead_ bytes of the path, and all before those that begin with
  // the first fork_ bytes of it and then with resume_, where that is set.
  std::size_t dead_ = kNone;
  std::size_t fork_ = kNone;
  TypoAutomaton::Character resume_ = 0;
};

}  // namespace kbase::native_index
