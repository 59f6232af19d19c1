// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::json {

/// Appends `text` as a JSON string. Escapes only what RFC 8259, section 7 requires. Invalid UTF-8 becomes U+FFFD, so
/// that the result is always valid.
void append_string(std::string& json, std::string_view text);

}  // namespace kbase::json
