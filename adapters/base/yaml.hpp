// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/base/text.hpp"

namespace kbase::yaml {

/// Returns a scalar as YAML defines it. yaml-cpp 0.7 writes the escapes `\_` (U+00A0) and `\N` (U+0085) of a
/// double-quoted scalar as one byte, which is not UTF-8 (YAML 1.2.2, section 5.7). Such a byte occurs in no other way:
/// yaml-cpp rejects input that is not UTF-8.
inline std::string repaired(std::string scalar) {
  if (utf8::is_valid(scalar)) return scalar;
  std::string text;
  for (std::string_view rest = scalar; !rest.empty();) {
    const std::size_t length = utf8::sequence_length(rest);
    const bool is_escape = length == 0 && (rest.front() == '\xA0' || rest.front() == '\x85');
    if (is_escape) text += '\xC2';
    text += rest.substr(0, length == 0 ? 1 : length);
    rest.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace kbase::yaml
