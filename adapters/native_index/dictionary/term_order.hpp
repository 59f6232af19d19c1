// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

/// Byte order of terms.
namespace kbase::native_index {

inline constexpr std::size_t kStartBytes = 8;

/// Returns the first kStartBytes bytes, padded with zeros, as a number with the same sort order.
inline std::uint64_t start_of(std::string_view term) {
  std::uint64_t start = 0;
  if (!term.empty()) std::memcpy(&start, term.data(), std::min(term.size(), kStartBytes));
  return __builtin_bswap64(start);
}

inline std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

}  // namespace kbase::native_index
