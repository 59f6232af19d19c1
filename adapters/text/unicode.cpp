// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

struct Range {
  std::int32_t first;
  std::int32_t last;
};

// Blocks of scripts whose words UAX #29 leaves to a dictionary (section 4, and Line_Break classes SA and ID), letters
// only.
constexpr std::array<Range, 18> kUnspaced = {{{0x0E00, 0x0EFF},      // Thai, Lao
                                              {0x1000, 0x109F},      // Myanmar
                                              {0x1780, 0x17FF},      // Khmer
                                              {0x2E80, 0x2FDF},      // CJK radicals
                                              {0x3005, 0x3007},      // ideographic iteration marks, zero
                                              {0x3021, 0x3029},      // Hangzhou numerals
                                              {0x3031, 0x3035},      // Kana repeat marks
                                              {0x3038, 0x303C},      // Hangzhou numerals, masu mark
                                              {0x3041, 0x30FF},      // Hiragana, Katakana
                                              {0x3105, 0x312F},      // Bopomofo
                                              {0x31A0, 0x31BF},      // Bopomofo extended
                                              {0x31F0, 0x31FF},      // Katakana extensions
                                              {0x3400, 0x4DBF},      // CJK extension A
                                              {0x4E00, 0x9FFF},      // CJK
                                              {0xF900, 0xFAFF},      // CJK compatibility
                                              {0xFF66, 0xFF9F},      // halfwidth Katakana
                                              {0x1B000, 0x1B16F},    // Kana supplements
                                              {0x20000, 0x3FFFD}}};  // CJK extensions B and up

bool is_unspaced(std::int32_t code_point) {
  const auto range = std::partition_point(kUnspaced.begin(), kUnspaced.end(),
                                          [code_point](const Range& r) { return r.last < code_point; });
  return range != kUnspaced.end() && range->first <= code_point;
}

CharacterKind kind_of(std::int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL: return is_unspaced(code_point) ? CharacterKind::Unspaced : CharacterKind::Word;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NO: return CharacterKind::Word;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return CharacterKind::Mark;
    case UTF8PROC_CATEGORY_CF:
      // Joiners and soft hyphens do not end a word (UAX #29 WB4). A zero-width space does.
      return code_point == 0x200B ? CharacterKind::Other : CharacterKind::Mark;
    default: return CharacterKind::Other;
  }
}

bool is_dropped_mark(std::int32_t c) {
  return (c >= 0x0300 && c <= 0x036F) ||                                               // combining diacritical marks
         (c >= 0x0591 && c <= 0x05C7 && c != 0x05BE && c != 0x05C0 && c != 0x05C3) ||  // Hebrew points
         c == 0x0640 || (c >= 0x064B && c <= 0x065F) || c == 0x0670;                   // Arabic tatweel, vowel signs
}

/// Returns the ASCII spelling of a letter without decomposition, or an empty text if it has none.
std::string_view ascii_spelling(std::int32_t c) {
  switch (c) {
    case 0x00E6: return "ae";
    case 0x00F0:
    case 0x0111: return "d";
    case 0x00F8: return "o";
    case 0x00FE: return "th";
    case 0x0127: return "h";
    case 0x0131: return "i";
    case 0x0142: return "l";
    case 0x0153: return "oe";
    case 0x0167: return "t";
    default: return {};
  }
}

constexpr std::int32_t kCandrabindu = 0x0901, kAnusvara = 0x0902, kNukta = 0x093C, kVirama = 0x094D;

/// Whether a nasal consonant of Devanagari before `next`, with a virama between them, may be written as an anusvara:
/// both are of one class.
bool is_homorganic(std::int32_t nasal, std::int32_t next) {
  constexpr std::int32_t kFirst = 0x0915, kUnused = 0x0929, kClasses = 5, kPerClass = 5;  // ka to ma
  const auto number = [](std::int32_t letter) { return letter - kFirst - (letter > kUnused ? 1 : 0); };
  const std::int32_t a = number(nasal), b = number(next);
  const bool is_nasal = a >= 0 && a < kClasses * kPerClass && a % kPerClass == kPerClass - 1;
  return is_nasal && b >= 0 && b / kPerClass == a / kPerClass && b != a;
}

/// Writes the nasals of Devanagari in one form: \u0939\u093F\u0928\u094D\u0926\u0940 as \u0939\u093F\u0902\u0926\u0940.
void unify_nasals(std::vector<std::int32_t>& letters) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const bool is_nasal =
        i + 2 < letters.size() && letters[i + 1] == kVirama && is_homorganic(letters[i], letters[i + 2]);
    letters[kept++] = is_nasal || letters[i] == kCandrabindu ? kAnusvara : letters[i];
    if (is_nasal) ++i;
  }
  letters.resize(kept);
}

std::string map_utf8(std::string_view text, int options) {
  utf8proc_uint8_t* buffer = nullptr;
  const utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &buffer, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(buffer, std::free);
  if (bytes < 0) return std::string(text);
  return {reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(bytes)};
}

/// Writes the spellings of a decomposed word of Devanagari in one form.
std::string unify_forms(std::string decomposed) {
  constexpr std::string_view kFirst = "\xE0\xA4", kSecond = "\xE0\xA5";  // lead bytes of Devanagari
  if (!decomposed.starts_with(kFirst) && !decomposed.starts_with(kSecond)) return decomposed;
  std::vector<std::int32_t> letters;
  for (std::size_t i = 0; i < decomposed.size();) {
    std::int32_t c = 0;
    const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(decomposed.data()) + i,
                                                    static_cast<utf8proc_ssize_t>(decomposed.size() - i), &c);
    if (bytes <= 0) return decomposed;
    if (c != kNukta) letters.push_back(c);
    i += static_cast<std::size_t>(bytes);
  }
  unify_nasals(letters);
  std::string unified;
  for (const std::int32_t letter : letters) {
    std::array<utf8proc_uint8_t, 4> buffer{};
    const utf8proc_ssize_t bytes = utf8proc_encode_char(letter, buffer.data());
    unified.append(buffer.begin(), buffer.begin() + bytes);
  }
  return unified;
}

}  // namespace

Character character_at(std::string_view text) {
  const std::size_t bytes = utf8::sequence_length(text);
  if (bytes == 0) return {};
  std::int32_t code_point = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(bytes),
                   &code_point);
  return {kind_of(code_point), bytes};
}

std::string fold_case(std::string_view word) {
  return map_utf8(word, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
}

std::string fold_accents(std::string_view word) {
  const std::string decomposed = unify_forms(map_utf8(word, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE));
  std::string kept;
  bool ascii = true;
  for (std::size_t i = 0; i < decomposed.size();) {
    std::int32_t c = 0;
    const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(decomposed.data()) + i,
                                                    static_cast<utf8proc_ssize_t>(decomposed.size() - i), &c);
    if (bytes <= 0) break;
    const std::string_view typed = ascii_spelling(c);
    if (!typed.empty()) {
      kept += typed;
    } else if (!is_dropped_mark(c)) {
      kept.append(decomposed, i, static_cast<std::size_t>(bytes));
      ascii = ascii && c < 0x80;
    }
    i += static_cast<std::size_t>(bytes);
  }
  return ascii ? kept : map_utf8(kept, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

std::string_view first_bytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

}  // namespace kbase::text
