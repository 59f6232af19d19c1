// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace kbase::redis {

/// Event that wakes the single thread waiting for it, without making it contend for a mutex of the ringing thread. Any
/// thread can ring.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      is_rung_ = true;
    }
    rung_.notify_one();
  }

  /// Waits until ring() is or was called, or until `time`. Resets the event.
  void wait_until(std::chrono::steady_clock::time_point time) {
    std::unique_lock lock(mutex_);
    rung_.wait_until(lock, time, [this] { return is_rung_; });
    is_rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  bool is_rung_ = false;
};

}  // namespace kbase::redis
