// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kbase::text {

/// What a character is to the analysis.
enum class CharacterKind : std::uint8_t {
  Other,    ///< stands between words: white space, punctuation, symbols, bytes that are no UTF-8
  Word,     ///< letters and digits of languages that put spaces between words
  Mark,     ///< belongs to the character before it: combining marks, joiners, soft hyphens
  Unspaced  ///< letters of languages that are written without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese
};

struct Character {
  CharacterKind kind = CharacterKind::Other;
  std::size_t bytes = 1;  ///< its length; 1 for a byte that starts no valid sequence
};

/// The character that `text`, not empty, starts with.
Character character_at(std::string_view text);

}  // namespace kbase::text
