// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rate_fields.hpp"

#include <algorithm>
#include <charconv>

namespace kbase::tests {
namespace {

/// Consumes `wanted` from `rest`, the unread input, as in the parsing algorithms of RFC 9651, section 4.2.
bool take(std::string_view& rest, char wanted) {
  if (rest.empty() || rest.front() != wanted) return false;
  rest.remove_prefix(1);
  return true;
}

void skip_spaces(std::string_view& rest) { rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size())); }

std::optional<std::string> take_string(std::string_view& rest) {
  if (!take(rest, '"')) return std::nullopt;
  std::string text;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\') rest.remove_prefix(1);
    if (rest.empty() || rest.front() < ' ' || rest.front() > '~') return std::nullopt;
    text += rest.front();
    rest.remove_prefix(1);
  }
  return take(rest, '"') ? std::optional(text) : std::nullopt;
}

std::string take_key(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-.*"), rest.size());
  const std::string key(rest.substr(0, end));
  rest.remove_prefix(end);
  return key;
}

/// Integers have at most 15 digits.
std::optional<long long> take_integer(std::string_view& rest) {
  long long value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  const auto length = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || length > 15) return std::nullopt;
  rest.remove_prefix(length);
  return value;
}

bool take_item(std::string_view& rest, RateItems& items) {
  const auto name = take_string(rest);
  if (!name || items.contains(*name)) return false;
  auto& parameters = items[*name];
  while (take(rest, ';')) {
    skip_spaces(rest);
    const std::string key = take_key(rest);
    if (key.empty() || !take(rest, '=')) return false;
    const auto value = take_integer(rest);
    if (!value) return false;
    parameters[key] = *value;
  }
  return true;
}

}  // namespace

std::optional<RateItems> parse_rate_items(std::string_view field) {
  RateItems items;
  do {
    skip_spaces(field);
    if (!take_item(field, items)) return std::nullopt;
    skip_spaces(field);
  } while (take(field, ','));
  return field.empty() ? std::optional(items) : std::nullopt;
}

}  // namespace kbase::tests
