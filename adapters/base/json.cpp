// SPDX-License-Identifier: Apache-2.0
#include "adapters/base/json.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::json {
namespace {

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x80 * kOnes;

/// Returns whether a byte of `word` is below 0x20, with all bytes tested at once (Anderson, Bit Twiddling Hacks,
/// "Determine if a word has a byte less than n").
bool has_control(std::uint64_t word) { return ((word - kOnes * 0x20) & ~word & kHighBits) != 0; }

bool has_byte(std::uint64_t word, char c) {
  const std::uint64_t zero_where_equal = word ^ (kOnes * static_cast<unsigned char>(c));
  return ((zero_where_equal - kOnes) & ~zero_where_equal & kHighBits) != 0;
}

/// Returns the number of characters at the start of `text` that need no escape. Tests eight at once, because most texts
/// consist of such characters.
std::size_t count_plain(std::string_view text) {
  std::size_t run = 0;
  for (std::uint64_t word = 0; text.size() - run >= sizeof word; run += sizeof word) {
    std::memcpy(&word, text.data() + run, sizeof word);
    if (has_control(word) || (word & kHighBits) != 0 || has_byte(word, '"') || has_byte(word, '\\')) break;
  }
  while (run < text.size() && is_plain(text[run])) ++run;
  return run;
}

void append_escaped(std::string& json, char c) {
  switch (c) {
    case '"':
    case '\\': (json += '\\') += c; return;
    case '\n': json += "\\n"; return;
    case '\r': json += "\\r"; return;
    case '\t': json += "\\t"; return;
    default: ((json += "\\u00") += kHexDigits[static_cast<unsigned char>(c) >> 4]) += kHexDigits[c & 15];
  }
}

}  // namespace

void append_string(std::string& json, std::string_view text) {
  json += '"';
  while (true) {
    const std::size_t plain = count_plain(text);
    json.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8::sequence_length(text);
    if (length > 1)
      json.append(text, 0, length);
    else if (length == 1)
      append_escaped(json, text.front());
    else
      json += "\uFFFD";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  json += '"';
}

namespace {

/// Removes a string from the start of `rest`, which begins after the opening quote.
void skip_string(std::string_view& rest) noexcept {
  while (true) {
    const std::size_t sign = rest.find_first_of("\"\\");
    if (sign == std::string_view::npos) return rest.remove_prefix(rest.size());
    const std::size_t end = rest[sign] == '"' ? sign + 1 : sign + 2;
    const bool is_over = rest[sign] == '"';
    rest.remove_prefix(std::min(end, rest.size()));
    if (is_over) return;
  }
}

}  // namespace

bool is_within(const Bounds& bounds, std::string_view text) noexcept {
  std::size_t depth = 0;
  std::size_t values = 0;  // one per comma, plus one per array or object
  while (true) {
    const std::size_t sign = text.find_first_of("\"[{]},");
    if (sign == std::string_view::npos) return true;
    const char c = text[sign];
    text.remove_prefix(sign + 1);
    if (c == '"') {
      skip_string(text);
    } else if (c == ']' || c == '}') {
      depth -= std::min<std::size_t>(depth, 1);
    } else {
      if (c != ',') ++depth;
      if (++values > bounds.values || depth > bounds.depth) return false;
    }
  }
}

}  // namespace kbase::json
