// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Text encodings of bytes (RFC 4648).
namespace kbase {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// Appends two lower-case hexadecimal digits for each byte.
inline void append_hex(std::string& text, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) (text += kHexDigits[byte >> 4]) += kHexDigits[byte & 15];
}

inline std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  append_hex(text, bytes);
  return text;
}

/// Returns the value of a hexadecimal digit of either case; -1: it is not a digit.
constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Fills `bytes` from two lower-case hexadecimal digits each. False: `text` is anything else.
inline bool parse_hex(std::string_view text, std::span<std::uint8_t> bytes) noexcept {
  if (text.size() != 2 * bytes.size() || text.find_first_not_of(kHexDigits) != text.npos) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(hex_value(text[2 * i]) << 4 | hex_value(text[2 * i + 1]));
  return true;
}

/// Returns the byte of the percent escape (RFC 3986, section 2.1) that begins at `at`, three characters long. nullopt:
/// another text is there.
constexpr std::optional<unsigned char> percent_escape_at(std::string_view text, std::size_t at) noexcept {
  if (text[at] != '%' || text.size() - at < 3) return std::nullopt;
  const int high = hex_value(text[at + 1]), low = hex_value(text[at + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<unsigned char>(high * 16 + low);
}

/// Decodes percent escapes. A `%` without two digits stays.
inline std::string percent_decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = percent_escape_at(text, i);
    plain += byte ? static_cast<char>(*byte) : text[i];
    if (byte) i += 2;
  }
  return plain;
}

/// Appends the percent escape of a byte, with upper-case digits.
inline void append_percent_escape(std::string& text, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  text.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
}

/// Whether a character is unreserved in an address (RFC 3986, section 2.3).
constexpr bool is_unreserved(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

/// Percent-encodes all characters except the unreserved ones.
inline std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text)
    if (is_unreserved(c))
      encoded += c;
    else
      append_percent_escape(encoded, static_cast<unsigned char>(c));
  return encoded;
}

/// Encodes Base64 with padding (RFC 4648, section 4).
inline std::string to_base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 0x3F];
  }
  return text;
}

}  // namespace kbase
