// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/clock.hpp"

namespace kbase::system {

/// Clocks of the operating system. Thread-safe.
class SystemClock final : public ports::Clock {
 public:
  model::Instant now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
  std::chrono::steady_clock::time_point steady() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace kbase::system
