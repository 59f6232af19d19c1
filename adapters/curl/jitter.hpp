// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "ports/driven/random.hpp"

namespace kbase::curl {

/// Returns a random time between half of `span` and `span`, so that clients that failed together do not retry together
/// ("equal jitter", AWS Architecture Blog, Exponential Backoff and Jitter, 2015).
inline std::chrono::milliseconds jittered(std::chrono::milliseconds span, ports::Random& random) {
  std::array<std::uint8_t, 2> bytes{};
  random.fill(bytes);
  const int chance = bytes[0] * 256 + bytes[1];
  return span / 2 + (span - span / 2) * chance / 65'535;
}

}  // namespace kbase::curl
