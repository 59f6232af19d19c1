// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/word_parts.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>

#include "adapters/text/unicode.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

/// Particles and endings in the order in which they are tried: longer ones first.
constexpr std::string_view kKoreanEndings[] = {
    "하였습니다", "되었습니다", "에서부터", "으로부터", "했습니다", "하십시오", "에게서는", "에서는", "에서도",
    "으로는",     "으로도",     "이라고",   "이라는",   "합니다",   "합니까",   "됩니다",   "하세요", "해주세요",
    "하려면",     "하는데",     "에게는",   "한테서",   "입니다",   "이나마",   "부터는",   "까지는", "까지도",
    "처럼",       "마다",       "보다",     "까지",     "부터",     "에서",     "에게",     "께서",   "으로",
    "이나",       "이라",       "이며",     "이랑",     "하고",     "한테",     "조차",     "밖에",   "에는",
    "에도",       "로는",       "로도",     "와는",     "과는",     "하다",     "하는",     "하기",   "하면",
    "하여",       "해서",       "해야",     "했다",     "하지",     "하게",     "되다",     "되는",   "되면",
    "되어",       "되지",       "된다",     "이고",     "이다",     "들은",     "들이",     "들을",   "들의",
    "은",         "는",         "이",       "가",       "을",       "를",       "의",       "에",     "로",
    "와",         "과",         "도",       "만",       "께",       "랑",       "나",       "며",     "할",
    "한",         "함",         "해",       "된",       "될",       "됨",       "들"};

constexpr std::size_t kSyllable = 3;  // bytes of a Hangul syllable in UTF-8

/// Returns the number of runs of digits: a word with several is no name but encoded data.
std::size_t count_numbers(std::string_view word) {
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (ascii::is_digit(word[i]) && (i == 0 || !ascii::is_digit(word[i - 1]))) ++numbers;
  return numbers;
}

char32_t code_of_two_bytes(std::string_view text) {
  if (text.size() < 2) return 0;
  return static_cast<char32_t>((static_cast<unsigned char>(text[0]) & 0x1FU) << 6 |
                               (static_cast<unsigned char>(text[1]) & 0x3FU));
}

}  // namespace

PartOffsets split_at_case(std::string_view word) {
  PartOffsets offsets;
  const auto begin_part = [&](std::size_t at) {
    if (offsets.parts < offsets.at.size()) offsets.at[offsets.parts] = at;
    ++offsets.parts;
  };
  begin_part(0);
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (!ascii::is_upper(word[i])) continue;
    const bool after_lower = !ascii::is_upper(word[i - 1]);
    const bool before_lower = i + 1 < word.size() && ascii::is_lower(word[i + 1]);
    if (after_lower || before_lower) begin_part(i);
  }
  const std::size_t least = ascii::is_lower(word.front()) ? 2 : 3;
  if (offsets.parts < least || offsets.parts > kMaxParts || count_numbers(word) > 1) return {};
  offsets.at[offsets.parts] = word.size();
  return offsets;
}

PartOffsets split_letters_and_digits(std::string_view word) {
  const bool digits_first = ascii::is_digit(word.front());
  const auto border =
      std::find_if(word.begin(), word.end(), [&](char c) { return ascii::is_digit(c) != digits_first; });
  const bool has_third = std::any_of(border, word.end(), [&](char c) { return ascii::is_digit(c) == digits_first; });
  const auto at = static_cast<std::size_t>(border - word.begin());
  const std::size_t letters = digits_first ? word.size() - at : at;
  if (has_third || at == word.size() || letters < 2) return {};
  return {{0, at, word.size()}, 2};
}

std::size_t leading_letters(std::string_view word, std::size_t& digits) {
  const auto first_digit = std::find_if_not(word.begin(), word.end(), ascii::is_letter);
  std::size_t letters = static_cast<std::size_t>(first_digit - word.begin());
  const bool are_digits = first_digit != word.end() && std::all_of(first_digit, word.end(), ascii::is_digit);
  digits = are_digits ? letters : std::string_view::npos;
  if (letters > 0 && ascii::to_lower(word[letters - 1]) == 'v') --letters;
  return letters;
}

bool is_hangul(std::string_view word) {
  return word.size() >= kSyllable && word >= "\uAC00" && word.substr(0, kSyllable) <= "\uD7A3";
}

std::string_view without_particle(std::string_view word) {
  for (const std::string_view ending : kKoreanEndings) {
    // A noun has two syllables or more; before a particle of one syllable, so that nouns such as `고양이` mostly stay.
    if (word.size() >= ending.size() + 2 * kSyllable && word.ends_with(ending))
      return word.substr(0, word.size() - ending.size());
  }
  return word;
}

bool is_hebrew(std::string_view word) {
  const char32_t code = code_of_two_bytes(word);
  return code >= 0x5D0 && code <= 0x5EA;
}

std::vector<std::string_view> without_prefixes(std::string_view word) {
  constexpr std::size_t kLetter = 2, kShortest = 3 * kLetter, kMostPrefixes = 3;
  constexpr std::string_view kPrefixes = "והבכלמש";
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < kMostPrefixes && word.size() >= kShortest + kLetter; ++i) {
    if (kPrefixes.find(word.substr(0, kLetter)) % kLetter != 0) break;
    word.remove_prefix(kLetter);
    words.push_back(word);
  }
  return words;
}

std::string long_word(std::string_view word) {
  constexpr std::size_t kBeginning = 48;  // bytes; the hash has 16
  std::array<std::uint8_t, 8> hash{};
  XXH64_canonicalFromHash(reinterpret_cast<XXH64_canonical_t*>(hash.data()), XXH3_64bits(word.data(), word.size()));
  return std::string(first_bytes(word, kBeginning)) + to_hex(hash);
}

}  // namespace kbase::text
