// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kbase {

/// Hash of std::string that also takes views, so that a look-up allocates nothing.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

template <class Value> using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace kbase
