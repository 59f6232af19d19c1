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

/// Levenshtein automaton: reads a term character by character and tracks its distance from a word. It is the
/// nondeterministic automaton of Schulz & Mihov 2002 (section 5, with transpositions), simulated bit-parallel (Wu &
/// Manber 1992; transpositions as in Hyyrö 2003). Bit i of a state set represents the word's first i characters.
class TypoAutomaton {
 public:
  static constexpr unsigned kMaxErrors = 2;
  static constexpr std::size_t kMaxCharacters = 63;

  /// A UTF-8 character: its bytes from the highest down, so that characters compare in byte order.
  using Character = std::uint32_t;

  struct State {
    std::array<std::uint64_t, kMaxErrors + 1> reached{};  ///< with at most 0, 1, 2 errors
    std::array<std::uint64_t, kMaxErrors> swapping{};     ///< with 1, 2 errors, between two swapped characters
  };

  /// Returns nullopt for an empty word or one of more than kMaxCharacters characters.
  static std::optional<TypoAutomaton> of(std::string_view word, unsigned max_errors);

  State start() const;
  State after(const State& state, Character character) const;
  /// Whether a term with this prefix can be within the maximum distance.
  bool alive(const State& state) const { return state.reached[max_errors_] != 0; }
  /// For a state that `character` rejects because its errors are used up: returns the first later character that it
  /// accepts, or nullopt.
  std::optional<Character> next_alive(const State& state, Character character) const;
  /// Returns the distance of a term that ends here; nullopt if it exceeds the maximum.
  std::optional<unsigned> distance(const State& state) const;

  /// Maximum length, in characters, of a prefix that is alive.
  std::size_t reach() const { return length_ + max_errors_; }

 private:
  static constexpr Character kBeyondAscii = 0x80000000;

  TypoAutomaton() = default;
  std::uint64_t places_of(Character character) const;

  unsigned max_errors_ = 0;
  std::size_t length_ = 0;
  std::uint64_t valid_ = 0;
  std::array<Character, kMaxCharacters> word_{};
  std::array<std::uint64_t, 128> ascii_{};  // positions of each character in the word; bit 0: first
  std::vector<std::pair<Character, std::uint64_t>> beyond_ascii_;
};

/// First character of `text`, which must not be empty. `bytes` is the length from its first byte; `character` holds the
/// bytes available.
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
    next.reached[errors] = (((state.reached[errors] & places) << 1)          // match
                            | fewer                                          // insertion
                            | (fewer | next.reached[errors - 1]) << 1        // substitution; deletion
                            | (state.swapping[errors - 1] & places) << 2) &  // the earlier of two swapped characters
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
