// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "adapters/http/parameters.hpp"

namespace kbase::http {

/// Selection of the members of each row in a response.
class Fields {
 public:
  /// Reads the parameter `fields`, a subset of `names`. Selects all if it is absent. `names` must outlive the result.
  static Fields read(Parameters& parameters, std::span<const std::string_view> names) {
    return {names, parameters.words("fields", names)};
  }

  bool has(std::string_view name) const { return chosen_ == 0 || names(name); }

  /// Returns whether the client named the member explicitly.
  bool names(std::string_view name) const {
    const auto known = std::find(names_.begin(), names_.end(), name);
    return known != names_.end() && (chosen_ >> (known - names_.begin()) & 1) != 0;
  }

 private:
  Fields(std::span<const std::string_view> names, std::uint32_t chosen) : names_(names), chosen_(chosen) {}

  std::span<const std::string_view> names_;
  std::uint32_t chosen_;
};

}  // namespace kbase::http
