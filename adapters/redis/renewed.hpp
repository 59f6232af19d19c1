// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "adapters/redis/timeout.hpp"
#include "domain/model/result.hpp"

namespace kbase::redis {

/// Shared value that one caller renews after it was marked outdated, while the others wait. Thread-safe.
template <class T>
class Renewed {
 public:
  using Value = std::shared_ptr<T>;

  /// Returns the value, renewing it if needed. `renew` creates it from the previous one, which is null at first:
  /// Result<Value>(Value). Fails with the error of `renew`, or when the timeout ends.
  template <class Renew>
  model::Result<Value> get(const Timeout& timeout, Renew renew) {
    Value before;  // destroyed after the lock is released, because that can take long
    Lock lock(mutex_);
    while (is_renewing_) {
      if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
      changed_.wait_until(lock, timeout.next_look());
    }
    if (settled_ == doubts_) return value_;
    const Turn turn(*this, lock);
    const std::uint64_t settling = doubts_;
    before = value_;
    lock.unlock();
    model::Result<Value> renewed = renew(before);
    lock.lock();
    if (!renewed) return renewed;
    value_ = *renewed;
    settled_ = settling;
    return renewed;
  }

  void doubt() {
    const std::lock_guard lock(mutex_);
    ++doubts_;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// Exclusive right to renew, held for a scope.
  class Turn {
   public:
    Turn(Renewed& shared, Lock& lock) : shared_(shared), lock_(lock) { shared_.is_renewing_ = true; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (!lock_.owns_lock()) lock_.lock();
      shared_.is_renewing_ = false;
      shared_.changed_.notify_all();
    }

   private:
    Renewed& shared_;
    Lock& lock_;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  Value value_;
  std::uint64_t doubts_ = 1;
  std::uint64_t settled_ = 0;  // value of doubts_ that value_ was created for; equal: it is current
  bool is_renewing_ = false;
};

}  // namespace kbase::redis
