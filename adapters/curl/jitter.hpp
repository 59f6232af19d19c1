// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "ports/driven/random.hpp"

namespace kbase::curl {

/// A time between half of `span` and all of it, so that what failed together does not come back together ("equal
/// jitter" of the AWS Architecture Blog, Exponential Backoff and Jitter, 2015).
inline std::chrono::milliseconds jittered(std::chrono::milliseconds span, ports::Random& random) {
  std::array<std::uint8_t, 2> bytes{};
  random.fill(bytes);
  const int chance = bytes[0] * 256 + bytes[1];
  return span / 2 + (span - span / 2) * chance / 65'535;
}

}  // namespace kbase::curl
