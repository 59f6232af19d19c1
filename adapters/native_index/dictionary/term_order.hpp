// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

/// Terms are in the order of their bytes.
namespace kbase::native_index {

inline constexpr std::size_t kStartBytes = 8;

/// The first kStartBytes as a number that compares as they do; zeros stand for what is missing.
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
