// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/json_text.hpp"

namespace kbase::content {
namespace {

bool needs_escape(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

void append_escaped(std::string& json, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '\n':
      json += "\\n";
      return;
    case '\r':
      json += "\\r";
      return;
    case '\t':
      json += "\\t";
      return;
    case '"':
    case '\\':
      json += '\\';
      json += c;
      return;
    default:
      json += "\\u00";
      json += kHex[static_cast<unsigned char>(c) >> 4];
      json += kHex[static_cast<unsigned char>(c) & 0xF];
  }
}

std::string_view without_digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? std::string_view() : text.substr(end);
}

/// Removes one or more digits from the front; returns false if there is no digit.
bool take_digits(std::string_view& text) {
  const std::string_view rest = without_digits(text);
  const bool taken = rest.size() < text.size();
  text = rest;
  return taken;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

void append_json_string(std::string& json, std::string_view text) {
  json += '"';
  std::size_t plain = 0;  // start of the part that needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!needs_escape(text[i])) continue;
    json.append(text, plain, i - plain);
    append_escaped(json, text[i]);
    plain = i + 1;
  }
  json.append(text, plain);
  json += '"';
}

bool is_json_number(std::string_view text) {
  take_one_of(text, "-");
  const bool leading_zero = text.starts_with('0');
  if (leading_zero ? !take_one_of(text, "0") : !take_digits(text)) return false;
  if (take_one_of(text, ".") && !take_digits(text)) return false;
  if (take_one_of(text, "eE")) {
    take_one_of(text, "+-");
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

void ExtraMembers::clear() {
  text_.clear();
  keys_.resize(1);
  keys_.front().clear();
  repeated_key_.reset();
  comma_next_ = false;
}

bool ExtraMembers::begin_value() {
  if (too_long()) return false;
  if (comma_next_) text_ += ',';
  comma_next_ = true;
  return true;
}

void ExtraMembers::key(std::string_view name) {
  if (!begin_value()) return;
  if (!keys_.back().emplace(name).second) {
    repeated_key_ = name;
    repeats_within_ = keys_.size() > 1;
  }
  append_json_string(text_, name);
  text_ += ':';
  comma_next_ = false;
}

void ExtraMembers::string(std::string_view text) {
  if (begin_value()) append_json_string(text_, text);
}

void ExtraMembers::literal(std::string_view text) {
  if (begin_value()) text_ += text;
}

void ExtraMembers::open(char bracket) {
  if (!begin_value()) return;
  text_ += bracket;
  comma_next_ = false;
  if (bracket == '{') keys_.emplace_back();
}

void ExtraMembers::close(char bracket) {
  if (too_long()) return;
  text_ += bracket;
  comma_next_ = true;
  if (bracket == '}') keys_.pop_back();
}

}  // namespace kbase::content
