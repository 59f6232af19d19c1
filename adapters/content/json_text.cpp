// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/json_text.hpp"

#include "adapters/base/json_text.hpp"

namespace kbase::content {
namespace {

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
  json::append_string(text_, name);
  text_ += ':';
  comma_next_ = false;
}

void ExtraMembers::string(std::string_view text) {
  if (begin_value()) json::append_string(text_, text);
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
