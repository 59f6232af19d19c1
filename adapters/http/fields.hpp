// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "adapters/http/parameters.hpp"

namespace kbase::http {

/// The members that a client wants of each row of an answer.
class Fields {
 public:
  /// What `fields` names of `names`, which outlive it; all where it is absent.
  static Fields read(Parameters& parameters, std::span<const std::string_view> names) {
    return {names, parameters.words("fields", names)};
  }

  bool has(std::string_view name) const { return chosen_ == 0 || names(name); }

  /// Whether the client named it.
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
