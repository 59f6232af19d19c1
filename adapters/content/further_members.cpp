// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/further_members.hpp"

#include "adapters/content/json_text.hpp"

namespace kbase::content {

void FurtherMembers::clear() {
  text_.clear();
  keys_.resize(1);
  keys_.front().clear();
  repeated_key_.reset();
  comma_next_ = false;
}

bool FurtherMembers::begin_value() {
  if (too_long()) return false;
  if (comma_next_) text_ += ',';
  comma_next_ = true;
  return true;
}

void FurtherMembers::key(std::string_view name) {
  if (!begin_value()) return;
  if (!keys_.back().emplace(name).second) {
    repeated_key_ = name;
    repeats_within_ = keys_.size() > 1;
  }
  append_json_string(text_, name);
  text_ += ':';
  comma_next_ = false;
}

void FurtherMembers::string(std::string_view text) {
  if (begin_value()) append_json_string(text_, text);
}

void FurtherMembers::literal(std::string_view text) {
  if (begin_value()) text_ += text;
}

void FurtherMembers::open(char bracket) {
  if (!begin_value()) return;
  text_ += bracket;
  comma_next_ = false;
  if (bracket == '{') keys_.emplace_back();
}

void FurtherMembers::close(char bracket) {
  if (too_long()) return;
  text_ += bracket;
  comma_next_ = true;
  if (bracket == '}') keys_.pop_back();
}

}  // namespace kbase::content
