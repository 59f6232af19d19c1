// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adapters/memory/rate_limit_store.hpp"
#include "app/runtime/guarded_rate_limit_store.hpp"
#include "plugins/conformance/fixtures.hpp"

namespace kbase::tests {

using namespace std::chrono_literals;

inline constexpr model::Limits kLimits{10, 1000};

class EventNames final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view event, std::string_view, std::span<const ports::LogField>) override {
    names.emplace_back(event);
  }
  std::vector<std::string> names;
};

class Count final : public ports::Counter {
 public:
  void add(std::uint64_t more) noexcept override { value += more; }
  std::atomic<std::uint64_t> value{0};
};

inline Error unavailable() {
  return {ErrorCode::Unavailable, "the rate limiter cannot be reached", "connection refused"};
}

/// A remote rate limiter whose behaviour a test sets.
class RemoteRateLimiter final : public ports::RateLimitStore {
 public:
  Capabilities capabilities() const override { return {.inline_calls = false, .shared = is_shared}; }
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const>,
                 std::span<ports::Decision* const> decisions) override {
    ++acquires;
    timeout = call.deadline - now();
    if (on_acquire) on_acquire(call);
    if (failure) return *failure;
    for (ports::Decision* const decision : decisions)
      *decision = {allows, {7, {}}, {700, {}}, ports::Decision::Account::Own};
    return {};
  }
  Status adjust(ports::Call&, const ports::AcquireRequest&, const ports::Decision&, std::uint32_t used) override {
    ++adjusted;
    if (failure) return *failure;
    last_used = used;
    return {};
  }
  Status health(ports::Call&) override {
    ++health_checks;
    if (failure && !is_healthy) return *failure;
    return {};
  }

  std::function<std::chrono::steady_clock::time_point()> now;
  std::function<void(ports::Call&)> on_acquire;
  std::optional<Error> failure;
  bool is_healthy = false;  ///< health() succeeds even if `failure` is set
  bool is_shared = true;
  bool allows = true;
  std::atomic<std::chrono::nanoseconds> timeout{0ns};  ///< timeout of the last acquire
  std::atomic<int> acquires{0};
  int adjusted = 0;
  std::uint32_t last_used = 0;
  int health_checks = 0;
};

class GuardedRateLimitStore : public testing::Test {
 protected:
  GuardedRateLimitStore() {
    remote_.now = [this] { return clock_.steady(); };
  }

  Result<ports::Decision> acquire() {
    ports::Call call;
    return acquire(call);
  }
  Result<ports::Decision> acquire(ports::Call& call,
                                  ports::AcquireRequest::Mode mode = ports::AcquireRequest::Mode::Charge) {
    const ports::AcquireRequest request{{1}, 1, mode, kLimits, {}};
    ports::Decision decision;
    const ports::AcquireRequest* const requests[] = {&request};
    ports::Decision* const decisions[] = {&decision};
    if (auto status = guard_.acquire(call, requests, decisions); !status) return status.error();
    return decision;
  }
  void make_unavailable() {
    remote_.failure = unavailable();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(acquire());
    ASSERT_FALSE(guard_.is_available());
  }

  conformance::ManualClock clock_;
  EventNames log_;
  Count failures_;
  Count fallback_decisions_;
  RemoteRateLimiter remote_;
  memory::MemoryRateLimitStore local_{clock_};
  runtime::GuardedRateLimitStore guard_{{remote_, local_, clock_, log_, failures_, fallback_decisions_}, 50ms};
};

}  // namespace kbase::tests
