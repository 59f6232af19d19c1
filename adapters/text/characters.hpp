// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace kbase::text
