// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kbase::text {

/// Character class of the text analysis.
enum class CharacterKind : std::uint8_t {
  Other,    ///< separates words: white space, punctuation, symbols, invalid UTF-8
  Word,     ///< letters and digits of languages that put spaces between words
  Mark,     ///< extends the preceding character: combining marks, joiners, soft hyphens
  Unspaced  ///< letters of languages written without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese
};

struct Character {
  CharacterKind kind = CharacterKind::Other;
  std::size_t bytes = 1;  ///< length; 1 for a byte that starts no valid sequence
};

/// Returns the first character of `text`, which must not be empty.
Character character_at(std::string_view text);

/// Folds case, width and compatibility variants: NFKC_Casefold (Unicode 3.13, R5) in composed form, which is also the
/// form that stemmers expect. `word` must be valid UTF-8.
std::string fold_case(std::string_view word);

/// Removes the marks that readers omit when they type: Latin, Greek and Cyrillic accents, Arabic and Hebrew vowel
/// signs. Letters without a Unicode decomposition (ø, ł, æ) become their usual ASCII spelling. `word` must be valid
/// UTF-8 in NFC.
std::string fold_accents(std::string_view word);

/// Returns the longest beginning of at most `bytes` bytes that does not cut a UTF-8 sequence.
std::string_view first_bytes(std::string_view text, std::size_t bytes);

}  // namespace kbase::text
