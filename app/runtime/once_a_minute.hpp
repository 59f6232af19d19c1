// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

namespace kbase::runtime {

/// Limits a log message to one per minute, so that errors of every request do not fill the log. Thread-safe: of
/// concurrent callers, one gets true.
class OnceAMinute {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  bool is_due(SteadyTime now) noexcept {
    SteadyTime next = next_;
    return now >= next && next_.compare_exchange_strong(next, now + std::chrono::minutes(1));
  }

 private:
  std::atomic<SteadyTime> next_{SteadyTime::min()};
};

}  // namespace kbase::runtime
