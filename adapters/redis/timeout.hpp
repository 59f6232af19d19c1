// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::redis {

/// Timeout of a call. Sockets wait by the machine's clock, so the deadline of the call, which is measured by
/// ports::Clock, is converted once, when the call begins.
class Timeout {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `call` must outlive this object.
  Timeout(const ports::Call& call, const ports::Clock& clock);

  /// Returns Cancelled or Deadline if the call was cancelled or is past its deadline.
  std::optional<Error> exhausted() const;

  /// Returns the end of the next wait for an event; after it, check exhausted() again, because a cancellation wakes no
  /// thread.
  Time next_check() const;

 private:
  const ports::Call& call_;
  Time until_;
};

/// Event that wakes the single thread waiting for it, without making it contend for a mutex of the thread that sets it.
/// Any thread can set it.
class Event {
 public:
  void set() {
    {
      const std::lock_guard lock(mutex_);
      is_set_ = true;
    }
    condition_.notify_one();
  }

  /// Waits until set() is or was called, or until `time`. Resets the event.
  void wait_until(std::chrono::steady_clock::time_point time) {
    std::unique_lock lock(mutex_);
    condition_.wait_until(lock, time, [this] { return is_set_; });
    is_set_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool is_set_ = false;
};

/// Shared value that one caller refreshes after it was marked outdated, while the others wait. Thread-safe.
template <class T> class Refreshable {
 public:
  using Value = std::shared_ptr<T>;

  /// Returns the value, refreshing it if needed. `refresh` creates it from the previous one, which is null at first:
  /// Result<Value>(Value). Fails with the error of `refresh`, or when the timeout ends.
  template <class Refresh> Result<Value> get(const Timeout& timeout, Refresh refresh) {
    Value before;  // destroyed after the lock is released, because that can take long
    Lock lock(mutex_);
    while (is_refreshing_) {
      if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
      changed_.wait_until(lock, timeout.next_check());
    }
    if (refreshed_ == invalidations_) return value_;
    const RefreshScope scope(*this, lock);
    const std::uint64_t refreshing = invalidations_;
    before = value_;
    lock.unlock();
    Result<Value> refreshed = refresh(before);
    lock.lock();
    if (!refreshed) return refreshed;
    value_ = *refreshed;
    refreshed_ = refreshing;
    return refreshed;
  }

  void invalidate() {
    const std::lock_guard lock(mutex_);
    ++invalidations_;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// Exclusive right to refresh, held for a scope.
  class RefreshScope {
   public:
    RefreshScope(Refreshable& shared, Lock& lock) : shared_(shared), lock_(lock) { shared_.is_refreshing_ = true; }
    RefreshScope(const RefreshScope&) = delete;
    RefreshScope& operator=(const RefreshScope&) = delete;
    ~RefreshScope() {
      if (!lock_.owns_lock()) lock_.lock();
      shared_.is_refreshing_ = false;
      shared_.changed_.notify_all();
    }

   private:
    Refreshable& shared_;
    Lock& lock_;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  Value value_;
  std::uint64_t invalidations_ = 1;
  std::uint64_t refreshed_ = 0;  // value of invalidations_ that value_ was created for; equal: it is current
  bool is_refreshing_ = false;
};

}  // namespace kbase::redis
