// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Rules of JSON text (RFC 8259) that the readers and the writer share.
namespace kbase::content {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Appends `text`, which must be valid UTF-8, as a JSON string. Escapes only what section 7 requires.
void append_json_string(std::string& json, std::string_view text);

/// Whether `text` is a number in the grammar of section 6.
bool is_json_number(std::string_view text);

/// Whether `c` is white space in the grammar of section 2: space, tab, line feed, carriage return.
constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace kbase::content
