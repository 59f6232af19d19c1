// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>

namespace kbase::http {

/// Times of the last iteration of several event loops, used to detect a loop that hangs. Thread-safe.
class LoopTurns {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Loop = std::atomic<Time>;

  /// Registers a loop. The loop stores the time of each iteration in the returned object, which is valid for the
  /// lifetime of this one.
  Loop& add(Time now) {
    const std::lock_guard lock(mutex_);
    return loops_.emplace_back(now);
  }

  /// Returns the oldest of the last iteration times, or Time::max() if there is no loop.
  Time oldest() const {
    const std::lock_guard lock(mutex_);
    Time oldest = Time::max();
    for (const Loop& loop : loops_) oldest = std::min(oldest, loop.load(std::memory_order_relaxed));
    return oldest;
  }

 private:
  mutable std::mutex mutex_;
  std::list<Loop> loops_;
};

}  // namespace kbase::http
