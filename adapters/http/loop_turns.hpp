// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>

namespace kbase::http {

/// When each of several loops last came round, for whoever wants to know whether one hangs. Any thread.
class LoopTurns {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Loop = std::atomic<Time>;

  /// A further loop, which stores the time of each of its turns; lives as long as this.
  Loop& add(Time now) {
    const std::lock_guard lock(mutex_);
    return loops_.emplace_back(now);
  }

  /// The last turn of the loop that has come round least lately; Time::max(): there is no loop.
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
