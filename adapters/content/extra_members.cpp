// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/extra_members.hpp"

#include "adapters/content/json_text.hpp"

namespace kbase::content {

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
