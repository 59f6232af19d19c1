// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "domain/base/result.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

/// Returns InvalidArgument if `limit` is not within 1 to `maximum`.
inline std::optional<Error> check_limit(std::uint64_t limit, std::uint64_t maximum) {
  if (limit < 1) return invalid_argument("limit", "limit must be at least 1");
  if (limit > maximum) return invalid_argument("limit", "limit must be at most " + std::to_string(maximum));
  return std::nullopt;
}

/// Returns InvalidArgument if `offset` is above 2^53 - 1, the largest integer that every JSON parser reads exactly.
inline std::optional<Error> check_offset(std::uint64_t offset) {
  if (offset > ports::kMaxOffset)
    return invalid_argument("offset", "offset must be at most " + std::to_string(ports::kMaxOffset));
  return std::nullopt;
}

}  // namespace kbase::usecases
