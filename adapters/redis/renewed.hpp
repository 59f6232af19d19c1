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

/// Something that all callers share and one of them makes anew when it is in doubt, while the others wait. Any thread.
template <class T>
class Renewed {
 public:
  using Value = std::shared_ptr<T>;

  /// `renew` makes the value of the one before, which is null at first: Result<Value>(Value). Fails as it does, or as
  /// the patience.
  template <class Renew>
  model::Result<Value> get(const Timeout& timeout, Renew renew) {
    Value before;  // outlives the lock: its end may take long
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

  /// The right to renew, given back at the end however it comes.
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
  std::uint64_t settled_ = 0;  // the doubts that value_ was made for; the same number: it is good
  bool is_renewing_ = false;
};

}  // namespace kbase::redis
