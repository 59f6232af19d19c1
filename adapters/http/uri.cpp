// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/uri.hpp"

#include <algorithm>

#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_unreserved(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

/// Returns whether `text` is a reg-name, which includes all IPv4 addresses.
bool is_name(std::string_view text) {
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
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

bool is_authority(std::string_view text) {
  const bool is_bracketed = text.starts_with('[');
  const std::size_t end = is_bracketed ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return false;
  if (is_bracketed ? !is_ipv6(text.substr(1, end - 1)) : !is_name(text.substr(0, end))) return false;
  const std::string_view rest = text.substr(is_bracketed ? end + 1 : end);
  return rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)));
}

std::optional<std::string> percent_decoded(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += text[i] == '+' && plus == Plus::Space ? ' ' : text[i];
    }
  }
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 15];
  }
  return encoded;
}

bool decodes_to(std::string_view text, std::string_view plain) {
  if (text.find('%') == std::string_view::npos) return text == plain;
  return percent_decoded(text, Plus::Itself) == plain;
}

Target split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {target, {}};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

}  // namespace kbase::http
