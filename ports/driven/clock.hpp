// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "domain/model/day.hpp"

namespace kbase::ports {

/// The only source of time for domain and adapters, so that tests can control it. Any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Wall-clock time, UTC. May step in either direction.
  virtual model::Instant now() const = 0;

  /// Monotonic time, for deadlines and durations.
  virtual std::chrono::steady_clock::time_point steady() const = 0;
};

}  // namespace kbase::ports
