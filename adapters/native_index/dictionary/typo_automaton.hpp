// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace kbase::native_index {

/// Reads a term character by character and knows how far it is from a word: the nondeterministic automaton of Schulz &
/// Mihov 2002 (section 5: with transpositions), all of its states at once in the bits of a few numbers (Wu & Manber
/// 1992; transpositions as in Hyyrö 2003). Bit i of a set stands for the word's first i characters.
class TypoAutomaton {
 public:
  static constexpr unsigned kMaxErrors = 2;
  static constexpr std::size_t kMaxCharacters = 63;

  /// A character of UTF-8: its bytes from the highest down, so that characters compare as their bytes do.
  using Character = std::uint32_t;

  struct State {
    std::array<std::uint64_t, kMaxErrors + 1> reached{};  ///< with at most 0, 1, 2 errors
    std::array<std::uint64_t, kMaxErrors> swapping{};     ///< with 1, 2: the later of two swapped characters was read
  };

  /// None for an empty word and one of more than kMaxCharacters.
  static std::optional<TypoAutomaton> of(std::string_view word, unsigned max_errors);

  State start() const;
  State after(const State& state, Character character) const;
  /// Whether a term that begins like this can be near enough.
  bool alive(const State& state) const { return state.reached[max_errors_] != 0; }
  /// Of a state that does not outlive `character`, so that its errors are used up: the first character behind it that
  /// the state outlives. None: there is none.
  std::optional<Character> next_alive(const State& state, Character character) const;
  /// Of a term that ends here.
  std::optional<unsigned> distance(const State& state) const;

  /// The longest beginning of a term, in characters, that can be alive.
  std::size_t reach() const { return length_ + max_errors_; }

 private:
  static constexpr Character kBeyondAscii = 0x80000000;

  TypoAutomaton() = default;
  std::uint64_t places_of(Character character) const;

  unsigned max_errors_ = 0;
  std::size_t length_ = 0;
  std::uint64_t valid_ = 0;
  std::array<Character, kMaxCharacters> word_{};
  std::array<std::uint64_t, 128> ascii_{};  // where the word has the character: bit 0 its first place
  std::vector<std::pair<Character, std::uint64_t>> beyond_ascii_;
};

/// The character that `text`, not empty, begins with, as far as it goes, and the bytes that it should have.
struct ReadCharacter {
  TypoAutomaton::Character character;
  std::size_t bytes;
};

inline ReadCharacter read_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {std::uint32_t{byte(0)} << 24, 1};
  const std::size_t bytes = byte(0) < 0xC0 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  TypoAutomaton::Character character = 0;
  for (std::size_t i = 0; i < std::min(bytes, text.size()); ++i) character |= std::uint32_t{byte(i)} << (24 - 8 * i);
  return {character, bytes};
}

inline TypoAutomaton::State TypoAutomaton::after(const State& state, Character character) const {
  const std::uint64_t places = places_of(character);
  State next;
  next.reached[0] = (state.reached[0] & places) << 1;
  const auto with = [&](unsigned errors) {
    const std::uint64_t fewer = state.reached[errors - 1];
    next.reached[errors] = (((state.reached[errors] & places) << 1)          // the word's next character
                            | fewer                                          // one too many
                            | (fewer | next.reached[errors - 1]) << 1        // another one; one is missing before it
                            | (state.swapping[errors - 1] & places) << 2) &  // the earlier of two swapped ones
                           valid_;
    next.swapping[errors - 1] = fewer & (places >> 1);
  };
  with(1);
  with(2);
  return next;
}

inline std::uint64_t TypoAutomaton::places_of(Character character) const {
  if (character < kBeyondAscii) return ascii_[character >> 24];
  for (const auto& [other, places] : beyond_ascii_)
    if (other == character) return places;
  return 0;
}

}  // namespace kbase::native_index
