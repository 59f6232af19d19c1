// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "adapters/redis/rate_limit_store.hpp"
#include "adapters/system/system_crypto.hpp"

namespace kbase::tests {

/// A store on a Redis server that acquires one request at a time.
class RedisRateLimiter {
 public:
  explicit RedisRateLimiter(redis::Options options, const ports::Clock* clock = nullptr)
      : clock_(clock != nullptr ? *clock : machine_clock_),
        store_(redis::RedisRateLimitStore::open(options, clock_).value()) {}
  explicit RedisRateLimiter(std::string url) : RedisRateLimiter(with_url(std::move(url))) {}

  static redis::Options with_url(std::string url) {
    redis::Options options;
    options.url = std::move(url);
    options.connections = 1;
    return options;
  }

  Result<ports::Decision> acquire(ports::AcquireRequest request, ports::Call call = {}) {
    ports::Decision decision;
    const ports::AcquireRequest* const requests[] = {&request};
    ports::Decision* const answers[] = {&decision};
    if (auto done = store_->acquire(call, requests, answers); !done) return done.error();
    return decision;
  }

  /// Acquires one request of the client `number`.
  Result<ports::Decision> acquire(std::uint8_t number = 1) { return acquire({{number}, 1, {}, {100, 1000}}); }

  /// Acquires one request with a timeout.
  Result<ports::Decision> acquire_within(std::chrono::milliseconds time) {
    ports::Call call;
    call.deadline = clock_.steady() + time;
    return acquire({{1}, 1, {}, {100, 1000}}, call);
  }

  /// Acquires one request until `given_up` is set.
  Result<ports::Decision> acquire_until(const std::atomic<bool>& given_up) {
    ports::Call call;
    call.cancel = &given_up;
    return acquire({{1}, 1, {}, {100, 1000}}, call);
  }

  Status adjust(const ports::AcquireRequest& request, const ports::Decision& decision, std::uint32_t used) {
    ports::Call call;
    return store_->adjust(call, request, decision, used);
  }

  Status health() {
    ports::Call call;
    return store_->health(call);
  }

 private:
  system::SystemClock machine_clock_;
  const ports::Clock& clock_;
  std::unique_ptr<redis::RedisRateLimitStore> store_;
};

}  // namespace kbase::tests
