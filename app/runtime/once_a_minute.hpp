// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

namespace kbase::runtime {

/// Keeps what fails for every request from filling the log. Any thread; of those that ask at the same time one is told
/// that it is due.
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
