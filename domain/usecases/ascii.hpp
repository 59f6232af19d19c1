// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::usecases {

/// What can be told of a word without the analysis that an index alone has: letters of ASCII in either case are one.
inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Characters beyond ASCII may be letters.
inline bool may_be_in_word(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace kbase::usecases
