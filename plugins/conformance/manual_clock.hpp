// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "ports/driven/clock.hpp"

namespace kbase::conformance {

/// A clock that moves only when a test moves it. Thread-safe.
class ManualClock final : public ports::Clock {
 public:
  explicit ManualClock(model::Instant start = model::Instant(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)) +
                                              std::chrono::hours(12))
      : wall_ms_(start.time_since_epoch().count()) {}

  model::Instant now() const override { return model::Instant(std::chrono::milliseconds(wall_ms_.load())); }
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(steady_ms_.load()));
  }

  /// Moves both clocks forward.
  void advance(std::chrono::milliseconds span) {
    wall_ms_ += span.count();
    steady_ms_ += span.count();
  }

  /// Sets only the wall clock, forward or back.
  void set(model::Instant now) { wall_ms_ = now.time_since_epoch().count(); }

 private:
  std::atomic<std::int64_t> wall_ms_;
  std::atomic<std::int64_t> steady_ms_{1'000'000};
};

}  // namespace kbase::conformance
