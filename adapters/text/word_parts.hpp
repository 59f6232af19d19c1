// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/text.hpp"

namespace kbase::text {

/// Kinds of the ASCII characters of a word, as bits.
enum : unsigned { kOther = 0, kLower = 1, kUpper = 2, kDigit = 4 };

/// Returns the kind of an ASCII character.
inline unsigned kind_of(char c) {
  static constexpr auto kKinds = [] {
    std::array<unsigned char, 128> kinds{};
    for (unsigned each = 0; each < kinds.size(); ++each) {
      const auto character = static_cast<char>(each);
      if (ascii::is_lower(character)) kinds[each] = kLower;
      if (ascii::is_upper(character)) kinds[each] = kUpper;
      if (ascii::is_digit(character)) kinds[each] = kDigit;
    }
    return kinds;
  }();
  return kKinds[static_cast<unsigned char>(c) & 0x7F];
}

/// Whether a word of ASCII characters may have parts: it changes between cases, or between letters and digits. `first`
/// is the kind of its first character, `rest` the kinds of the others.
inline bool may_have_parts(unsigned first, unsigned rest) {
  const unsigned all = rest | first;
  return ((rest & kUpper) != 0 && (all & kLower) != 0) || ((all & kDigit) != 0 && all != kDigit);
}

/// Maximum number of parts of a word.
inline constexpr std::size_t kMaxParts = 6;

/// The offsets at which the parts of a word begin, and its end.
struct PartOffsets {
  std::array<std::size_t, kMaxParts + 1> at{};
  std::size_t parts = 0;  ///< 0: the word has no parts

  std::string_view range(std::string_view word, std::size_t first, std::size_t last) const {
    return word.substr(at[first], at[last] - at[first]);
  }
};

/// Splits an ASCII word at its changes of case, see Analyzer.
PartOffsets split_at_case(std::string_view word);

/// Splits an ASCII word that is letters followed by digits, or digits followed by letters. At least two letters.
PartOffsets split_letters_and_digits(std::string_view word);

/// Returns the number of ASCII letters at the start of `word`, without a `v` before digits: 3 for `TLSv1`, 0 for `v1`.
/// `digits` is set to the offset of the first digit; npos: something else follows the letters.
std::size_t leading_letters(std::string_view word, std::size_t& digits);

/// Returns a Hangul word without the particle or verbal ending at its end; `word` itself if it has none. The rules are
/// those of Korean grammar for nouns (josa) and for verbs made of nouns with -hada and -doeda.
std::string_view without_particle(std::string_view word);

bool is_hangul(std::string_view word);

/// Returns the words that remain of a Hebrew word without the one-letter prefixes at its start: and, the, in, as, to,
/// from, that. Each has at least three letters.
std::vector<std::string_view> without_prefixes(std::string_view word);

bool is_hebrew(std::string_view word);

/// Returns a term of at most 64 bytes for a longer word in its exact form: its beginning, and a hash.
std::string long_word(std::string_view word);

}  // namespace kbase::text
