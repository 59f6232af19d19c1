// SPDX-License-Identifier: Apache-2.0
#include "domain/base/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace kbase::utf8 {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

bool is_continuation(std::string_view text, std::size_t i) { return (byte_at(text, i) & 0xC0u) == 0x80u; }

// The code points outside ASCII that have Unicode's White_Space property, in UTF-8.
constexpr std::array<std::string_view, 19> kWideSpaces = {
    "\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
    "\u2007", "\u2008", "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};

// Eight bytes are compared at a time; the top bit of each holds the result (SWAR).
static_assert(std::endian::native == std::endian::little);
constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kTops = 0x80 * kOnes;

/// Returns the offset of the last code point of `text`.
std::size_t last_start(std::string_view text) {
  std::size_t start = text.size() - 1;
  while (start > 0 && is_continuation(text, start)) --start;
  return start;
}

}  // namespace

// Implements the table of RFC 3629, section 4: the range of the second byte depends on the first.
std::size_t sequence_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text, i)) return 0;
  const unsigned second = byte_at(text, 1);
  if (lead == 0xE0 && second < 0xA0) return 0;
  if (lead == 0xED && second > 0x9F) return 0;
  if (lead == 0xF0 && second < 0x90) return 0;
  if (lead == 0xF4 && second > 0x8F) return 0;
  return length;
}

bool is_simple_line(std::string_view text) noexcept {
  const auto is_equal = [](std::uint64_t bytes, char c) {  // ASCII bytes
    return ~((bytes ^ kOnes * static_cast<unsigned char>(c)) + kOnes * 0x7F) & kTops;
  };
  if (text.empty() || text.back() == ' ' || text.back() == '\n') return false;
  std::uint64_t after_blank = 0x80;  // the top bit of the first byte: a blank may not be first
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), sizeof(std::uint64_t)))) {
    std::uint64_t bytes = kOnes * 'x';
    std::memcpy(&bytes, text.data(), std::min(text.size(), sizeof(bytes)));
    if ((bytes & kTops) != 0) return false;
    const std::uint64_t blank = is_equal(bytes, ' ') | is_equal(bytes, '\n');
    const std::uint64_t graphic = (bytes + kOnes * (0x7F - ' ')) & ~(bytes + kOnes) & kTops;
    if ((graphic | blank) != kTops || (blank & (blank << 8 | after_blank)) != 0) return false;
    after_blank = blank >> 56;
  }
  return true;
}

bool is_valid(std::string_view text) noexcept {
  for (std::uint64_t bytes = 0; text.size() >= sizeof(bytes); text.remove_prefix(sizeof(bytes))) {
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    if ((bytes & kTops) != 0) break;
  }
  while (!text.empty()) {
    const std::size_t length = std::max(graphic_ascii_length(text), sequence_length(text));
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t graphic_ascii_length(std::string_view text) noexcept {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
  return static_cast<std::size_t>(end - text.begin());
}

std::size_t code_points(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

std::string_view prefix(std::string_view text, std::size_t count) noexcept {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (is_continuation(text, end)) continue;
    if (count == 0) break;
    --count;
  }
  return text.substr(0, end);
}

std::size_t space_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  if (byte_at(text, 0) < 0x80) return text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r') ? 1 : 0;
  for (const std::string_view space : kWideSpaces)
    if (text.starts_with(space)) return space.size();
  return 0;
}

std::size_t control_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const unsigned byte = byte_at(text, 0);
  if (byte < 0x20 || byte == 0x7F) return 1;
  return byte == 0xC2 && text.size() > 1 && byte_at(text, 1) < 0xA0 ? 2 : 0;
}

bool has_control(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (control_length(text.substr(i)) != 0) return true;
  return false;
}

std::string_view trimmed(std::string_view text) noexcept {
  while (const std::size_t length = space_length(text)) text.remove_prefix(length);
  while (!text.empty() && space_length(text.substr(last_start(text))) != 0) text = text.substr(0, last_start(text));
  return text;
}

}  // namespace kbase::utf8
