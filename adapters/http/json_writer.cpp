// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/json_writer.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

#include "domain/model/utf8.hpp"

namespace kbase::http {
namespace {

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x80 * kOnes;

/// Returns whether a byte of `word` is below 0x20, with all bytes tested at once (Anderson, Bit Twiddling Hacks,
/// "Determine if a word has a byte less than n").
bool has_control(std::uint64_t word) {
  return ((word - kOnes * 0x20) & ~word & kHighBits) != 0;
}

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

}  // namespace

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  out_ += '"';
  for (std::size_t i = 0; i < value.size();) {
    const std::size_t run = count_plain(value.substr(i));
    out_.append(value, i, run);
    i += run;
    if (i == value.size()) break;
    const std::size_t length = model::utf8::sequence_length(value.substr(i));
    if (length > 1)
      out_.append(value, i, length);
    else
      escape(length == 1 ? value.substr(i, 1) : std::string_view());
    i += length > 1 ? length : 1;
  }
  out_ += '"';
  return *this;
}

/// Writes the escape sequence of one character, or U+FFFD if `value` is empty.
void JsonWriter::escape(std::string_view value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (value.empty()) {
    out_ += "\uFFFD";
    return;
  }
  const char c = value.front();
  switch (c) {
    case '"':
    case '\\':
      (out_ += '\\') += c;
      return;
    case '\n':
      out_ += "\\n";
      return;
    case '\r':
      out_ += "\\r";
      return;
    case '\t':
      out_ += "\\t";
      return;
    default:
      out_ += "\\u00";
      out_ += kDigits[static_cast<unsigned char>(c) >> 4];
      out_ += kDigits[static_cast<unsigned char>(c) & 15];
  }
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  separate();
  char digits[20];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), value);
  out_.append(digits, end);
  (void)error;  // 20 digits are enough for any value
  return *this;
}

JsonWriter& JsonWriter::fraction(double value) {
  separate();
  char digits[32];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), std::isfinite(value) ? value : 0.0);
  (void)error;  // the shortest form of any double fits
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  out_ += text;
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::members(std::string_view json) {
  if (json.empty()) return *this;
  separate();
  out_ += json;
  return *this;
}

}  // namespace kbase::http
