// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/typo_automaton.hpp"

#include <algorithm>
#include <bit>

namespace kbase::native_index {

std::optional<TypoAutomaton> TypoAutomaton::of(std::string_view word, unsigned max_errors) {
  TypoAutomaton made;
  made.max_errors_ = std::clamp(max_errors, 1u, kMaxErrors);
  for (; !word.empty(); ++made.length_) {
    if (made.length_ == kMaxCharacters) return std::nullopt;
    const auto [character, bytes] = read_character(word);
    word.remove_prefix(std::min(bytes, word.size()));
    made.word_[made.length_] = character;
    const std::uint64_t place = std::uint64_t{1} << made.length_;
    if (character < kBeyondAscii) {
      made.ascii_[character >> 24] |= place;
      continue;
    }
    auto& others = made.beyond_ascii_;
    auto known = std::find_if(others.begin(), others.end(), [c = character](auto& other) { return other.first == c; });
    if (known == others.end()) known = others.emplace(others.end(), character, 0);
    known->second |= place;
  }
  if (made.length_ == 0) return std::nullopt;
  made.valid_ = ~std::uint64_t{0} >> (kMaxCharacters - made.length_);
  return made;
}

TypoAutomaton::State TypoAutomaton::start() const {
  State state;
  for (unsigned errors = 0; errors <= kMaxErrors; ++errors)
    state.reached[errors] = ((std::uint64_t{2} << errors) - 1) & valid_;
  return state;
}

std::optional<TypoAutomaton::Character> TypoAutomaton::next_alive(const State& state, Character character) const {
  std::optional<Character> next;
  for (std::uint64_t places = state.reached[max_errors_] & (valid_ >> 1); places != 0; places &= places - 1) {
    const Character other = word_[static_cast<std::size_t>(std::countr_zero(places))];
    if (other > character && (!next || other < *next)) next = other;
  }
  return next;
}

std::optional<unsigned> TypoAutomaton::distance(const State& state) const {
  for (unsigned errors = 0; errors <= max_errors_; ++errors)
    if ((state.reached[errors] >> length_ & 1) != 0) return errors;
  return std::nullopt;
}

}  // namespace kbase::native_index
