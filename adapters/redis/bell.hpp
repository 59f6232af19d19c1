// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace kbase::redis {

/// Wakes the one thread that waits for it, which then contends for nothing with whoever rang. Any thread rings.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      is_rung_ = true;
    }
    rung_.notify_one();
  }

  /// Until it is rung, be it before the call, or so late.
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
