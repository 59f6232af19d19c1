// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::usecases {

/// Lower-cases ASCII letters. For comparisons outside the index, which alone has the full text analysis.
inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether `c` may be part of a word. Bytes outside ASCII may belong to letters.
inline bool may_be_in_word(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace kbase::usecases
