// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

/// Characters of ASCII, regardless of the locale.
namespace kbase::ascii {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) noexcept { return is_lower(c) || is_upper(c); }
constexpr bool is_alphanumeric(char c) noexcept { return is_letter(c) || is_digit(c); }

constexpr char to_lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns the text with lower-case letters.
inline std::string to_lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return to_lower(c); });
  return lower;
}

}  // namespace kbase::ascii

/// UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
namespace kbase::utf8 {

/// Returns the length in bytes (1 to 4) of the valid sequence at the start of `text`; 0 if it is not valid.
std::size_t sequence_length(std::string_view text) noexcept;

bool is_valid(std::string_view text) noexcept;

/// Whether the byte may belong to a letter or digit: bytes outside ASCII may.
constexpr bool may_be_in_word(char c) noexcept {
  return ascii::is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns the length in bytes of the leading graphic ASCII characters: no white space, no control characters.
std::size_t graphic_ascii_length(std::string_view text) noexcept;

/// Whether the text has only graphic ASCII characters and, between them, single spaces or line feeds. Most text has.
bool is_simple_line(std::string_view text) noexcept;

/// Counts the code points of valid text. Counts all bytes except continuation bytes.
std::size_t code_points(std::string_view text) noexcept;

/// Returns the longest prefix of valid text with at most `count` code points.
std::string_view prefix(std::string_view text, std::size_t count) noexcept;

/// Return the length in bytes of the white space (Unicode White_Space) or the control character (C0, DEL, C1) at the
/// start of valid text; 0 if it starts with another character.
std::size_t space_length(std::string_view text) noexcept;
std::size_t control_length(std::string_view text) noexcept;

/// Whether valid text contains a control character.
bool has_control(std::string_view text) noexcept;

/// Returns valid text without leading and trailing white space.
std::string_view trimmed(std::string_view text) noexcept;

}  // namespace kbase::utf8

namespace kbase {

/// Hash of std::string that also takes views, so that a look-up allocates nothing.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

template <class Value> using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace kbase
