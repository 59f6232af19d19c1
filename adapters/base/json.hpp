// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbase::json {

/// Appends `text` as a JSON string. Escapes only what RFC 8259, section 7 requires. Invalid UTF-8 becomes U+FFFD, so
/// that the result is always valid.
void append_string(std::string& json, std::string_view text);

/// Limits for JSON documents from untrusted sources. They bound memory and stack use: a parsed value takes about 50
/// times the bytes of its text, and nested values are copied recursively.
struct Bounds {
  std::size_t depth;   ///< maximum nesting depth of arrays and objects
  std::size_t values;  ///< maximum number of elements and members in the whole document
};

/// Returns whether `text` is within `bounds`. Scans the text once and allocates nothing. Does not validate: text that
/// is not JSON may be within the bounds, too.
bool is_within(const Bounds& bounds, std::string_view text) noexcept;

}  // namespace kbase::json
