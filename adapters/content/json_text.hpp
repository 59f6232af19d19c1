// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Small rules of JSON text (RFC 8259) that readers and the writer share.
namespace kbase::content {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Appends `text`, valid UTF-8, as a JSON string; only what section 7 demands is escaped.
void append_json_string(std::string& json, std::string_view text);

/// Whether `text` is a number as section 6 spells it.
bool is_json_number(std::string_view text);

/// Section 2: space, tab, line feed, carriage return.
constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace kbase::content
