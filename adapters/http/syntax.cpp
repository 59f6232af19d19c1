// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/syntax.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::http {
namespace {

constexpr std::array<bool, 256> token_table() {
  std::array<bool, 256> table{};
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = true;
  for (const char c : {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kTokenCharacters = token_table();

/// Returns the end of the quoted string that starts at `open`; npos if it is not closed.
std::size_t find_closing_quote(std::string_view text, std::size_t open) noexcept {
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i;
    if (text[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

/// Removes the element before `end`, and the comma at `end`, from the list.
std::string_view pop_element(std::string_view& list, std::size_t end) noexcept {
  const std::string_view element = trim(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return element;
}

/// Returns whether `text` is a reg-name, which includes all IPv4 addresses.
bool is_reg_name(std::string_view text) {
  constexpr std::string_view kSubDelimiters = "!$&'()*+,;=";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_hex = [&](std::size_t at) { return at < text.size() && hex_value(text[at]) >= 0; };
    const bool is_encoded = text[i] == '%' && is_hex(i + 1) && is_hex(i + 2);
    if (!is_encoded && !is_unreserved(text[i]) && kSubDelimiters.find(text[i]) == std::string_view::npos) return false;
  }
  return true;
}

bool is_ipv6(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return hex_value(c) >= 0 || c == ':' || c == '.'; });
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), ascii::is_digit);
}

}  // namespace

bool is_token(std::string_view text) noexcept {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return kTokenCharacters[static_cast<unsigned char>(c)]; });
}

bool is_field_text(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7F) || byte == '\t';
  });
}

std::string_view trim(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equals_lower(std::string_view text, std::string_view lower) noexcept {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return ascii::to_lower(a) == b; });
}

std::string_view next_element(std::string_view& list) noexcept {
  std::size_t end = 0;
  bool may_quote = true;
  for (; end < list.size() && list[end] != ','; ++end) {
    if (list[end] != '"' || !may_quote) continue;
    const std::size_t closing = find_closing_quote(list, end);
    may_quote = closing != std::string_view::npos;
    if (may_quote) end = closing;
  }
  return pop_element(list, end);
}

std::string_view next_token(std::string_view& list) noexcept {
  return pop_element(list, std::min(list.find(','), list.size()));
}

std::optional<std::uint64_t> parse_decimal(std::string_view digits) noexcept {
  if (digits.empty()) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (kMax - digit) / 10 ? kMax : value * 10 + digit;
  }
  return value;
}

bool is_authority(std::string_view text) {
  const bool is_bracketed = text.starts_with('[');
  const std::size_t end = is_bracketed ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return false;
  if (is_bracketed ? !is_ipv6(text.substr(1, end - 1)) : !is_reg_name(text.substr(0, end))) return false;
  const std::string_view rest = text.substr(is_bracketed ? end + 1 : end);
  return rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)));
}

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i] == '+' && plus == Plus::Space ? ' ' : text[i];
      continue;
    }
    const auto byte = percent_escape_at(text, i);
    if (!byte) return std::nullopt;
    decoded += static_cast<char>(*byte);
    i += 2;
  }
  return decoded;
}

bool decodes_to(std::string_view text, std::string_view plain) {
  if (text.find('%') == std::string_view::npos) return text == plain;
  return percent_decode(text, Plus::Itself) == plain;
}

Target split_target(std::string_view target) {
  const std::size_t question_mark = target.find('?');
  if (question_mark == std::string_view::npos) return {target, {}};
  return {target.substr(0, question_mark), target.substr(question_mark + 1)};
}

}  // namespace kbase::http
