// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace kbase::ports {

/// Cryptographically secure random bytes, for keys and ids. Any thread; never fails (the process aborts if the system
/// has no random source).
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;
};

}  // namespace kbase::ports
