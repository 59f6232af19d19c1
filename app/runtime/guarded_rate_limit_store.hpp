// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "app/runtime/log_throttle.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// Error for a request that must be counted but cannot be: Unavailable with a retry after one second, by when the
/// health of the rate limiter was checked again. `cause` is for the log.
Error uncounted_error(std::string cause);

/// Fallback that allows every request and reports full quotas, without counting. `clock` must outlive it. Thread-safe.
class AllowingRateLimitStore final : public ports::RateLimitStore {
 public:
  explicit AllowingRateLimitStore(const ports::Clock& clock) : clock_(clock) {}

  Capabilities capabilities() const override { return {.inline_calls = true, .shared = false}; }
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  Status adjust(ports::Call&, const ports::AcquireRequest&, const ports::Decision&, std::uint32_t) override {
    return {};
  }
  Status health(ports::Call&) override { return {}; }

 private:
  const ports::Clock& clock_;
};

/// Fallback that refuses every request with Unavailable. Thread-safe.
class DenyingRateLimitStore final : public ports::RateLimitStore {
 public:
  Capabilities capabilities() const override { return {.inline_calls = true, .shared = false}; }
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  Status adjust(ports::Call&, const ports::AcquireRequest&, const ports::Decision&, std::uint32_t) override {
    return {};
  }
  Status health(ports::Call&) override { return {}; }
};

/// Protects requests from a slow or unavailable remote rate limiter. A request waits for it at most one timeout, and
/// not at all while it is known to be unavailable. Meanwhile the fallback decides. The exception is ChargeExactly: a
/// call that contains such a request fails as a whole with Unavailable, and the fallback charges nothing.
///
/// The fallback is also charged with everything that the store allows, so that it continues from the current counts. If
/// the store fails and comes back empty, this process therefore allows at most twice a limit.
///
/// There are three kinds of calls to the store. A health check proves that the store is reachable and healthy. A call
/// of peeks only proves that it also answers requests. A charge proves that it also counts; a store that is full or has
/// become a replica fails charges only. Consecutive failures are counted for each kind separately. A success resets the
/// count of its own kind and of the kinds that prove less, never of a kind that proves more.
///
///     Available, called:         fifth consecutive failure of one kind             -> Unavailable
///     Unavailable, not called:   a successful health check                         -> Trial
///     Trial, called:             a successful charge or health check               -> Available; resets all counts
///                                any failure                                       -> Unavailable
///
/// There are no other transitions. Unavailable cancels calls that still wait for the store. In this state only
/// `check_health` calls it, and only for its health.
///
/// Each consecutive failure shortens the timeout of the next call of that kind, so that a frozen store is detected
/// after little more than two timeouts. In state Trial a call gets the full timeout. A request whose outcome is
/// unknown is never sent again; the fallback counts it too. If the fallback also refuses it, `retry_after` is the
/// store's last known recovery time if that is later.
///
/// All parts must outlive this object. Thread-safe; `check_health` by one thread at a time.
class GuardedRateLimitStore final : public ports::RateLimitStore {
 public:
  struct Dependencies {
    ports::RateLimitStore& store;
    ports::RateLimitStore& fallback;
    const ports::Clock& clock;
    ports::EventLog& log;
    ports::Counter& failures;            ///< requests and adjustments that the store did not answer
    ports::Counter& fallback_decisions;  ///< requests that the fallback answered
  };
  GuardedRateLimitStore(const Dependencies& deps, std::chrono::milliseconds timeout) : deps_(deps), timeout_(timeout) {}

  Capabilities capabilities() const override;
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;

  /// Adjusts only what was charged with ChargeExactly; for other modes it is not known whether the store or the
  /// fallback charged. While the store is unavailable, fails with Unavailable, and the estimate stays charged for its
  /// day.
  Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                std::uint32_t used) override;
  Status health(ports::Call& call) override { return deps_.store.health(call); }

  /// Checks the store's health. To be called once a second.
  void check_health();

  /// False: the fallback decides, or the store is on trial.
  bool is_available() const { return state_ == State::Available; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  enum class State { Available, Unavailable, Trial };
  enum CallKind : std::size_t { HealthCheck, Peek, Charge };  // each kind proves what the kinds before it prove
  static constexpr std::size_t kCallKinds = 3;
  static constexpr int kMaxFailures = 5;

  /// Cancel source of a call to the store: the caller gave up, or the store is known to be unavailable.
  struct StoreCallCancel {
    const GuardedRateLimitStore& guard;
    ports::CancelSource caller;
    static bool is_cancelled(const void* cancel_state) noexcept;
  };

  static CallKind classify_call(std::span<const ports::AcquireRequest* const> requests);
  std::chrono::milliseconds timeout(CallKind kind) const;
  template <class Operation>
  Status call_store(ports::Call& call, CallKind kind, std::size_t requests, const Operation& operation);
  bool caller_gave_up(const ports::Call& call) const {
    return call.cancelled() || deps_.clock.steady() >= call.deadline;
  }
  Status call_fallback(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                       std::span<ports::Decision* const> decisions);
  Error with_recovery_time(Error error) const;
  void charge_fallback(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                       std::span<ports::Decision* const> decisions);
  void on_success(CallKind kind);
  void on_failure(CallKind kind, const Error& error);
  void reset_failures(CallKind last);
  void become_available();

  const Dependencies deps_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;  // held for every change of state
  std::atomic<State> state_{State::Available};
  std::array<std::atomic<int>, kCallKinds> failures_{};  // consecutive failures by kind of call
  std::atomic<SteadyTime> recovery_time_{
      SteadyTime::min()};  // recovery time from the last failure; in the past: unknown
  SteadyTime unavailable_since_{};
};

/// Counts the rate limiter's decisions on charging requests, and logs its failures at most once a minute. Peeks are not
/// counted. Requests that a fallback allows are counted, although no one was charged. Thread-safe.
class ChargeMetrics {
 public:
  /// Description of the counter and of the effect of a failure.
  struct Description {
    std::string_view counter;
    std::string_view help;
    std::string_view consequence;  ///< log text; must outlive the outcomes
  };

  /// All arguments must outlive this object.
  ChargeMetrics(const Description& description, const ports::Clock& clock, ports::Metrics& metrics,
                ports::EventLog& log);

  void add(const Status& outcome, std::span<const ports::AcquireRequest* const> requests,
           std::span<ports::Decision* const> decisions);

 private:
  void log_failure(const Error& error);

  const std::string_view consequence_;
  const ports::Clock& clock_;
  ports::EventLog& log_;
  ports::Counter& allowed_;
  ports::Counter& denied_;
  ports::Counter& failed_;
  OncePerMinute log_throttle_;
};

/// Counts the rate limiter's decisions on requests and measures their latency. Thread-safe.
class MeteredRequestLimiter final : public ports::RateLimitStore {
 public:
  /// All arguments must outlive this object.
  MeteredRequestLimiter(ports::RateLimitStore& rate_limiter, const ports::Clock& clock, ports::Metrics& metrics,
                        ports::EventLog& log);

  Capabilities capabilities() const override { return rate_limiter_.capabilities(); }
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                std::uint32_t used) override {
    return rate_limiter_.adjust(call, request, decision, used);
  }
  Status health(ports::Call& call) override { return rate_limiter_.health(call); }

 private:
  ports::RateLimitStore& rate_limiter_;
  const ports::Clock& clock_;
  ChargeMetrics outcomes_;
  ports::Counter& shared_;
  ports::Histogram& seconds_;
};

/// Counts the rate limiter's decisions on token budgets, separately from those on requests. Logs at most once a minute
/// why an estimate could not be adjusted and stays charged. Thread-safe.
class MeteredTokenLimiter final : public ports::RateLimitStore {
 public:
  /// All arguments must outlive this object.
  MeteredTokenLimiter(ports::RateLimitStore& rate_limiter, const ports::Clock& clock, ports::Metrics& metrics,
                      ports::EventLog& log);

  Capabilities capabilities() const override { return rate_limiter_.capabilities(); }
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                std::uint32_t used) override;
  Status health(ports::Call& call) override { return rate_limiter_.health(call); }

 private:
  ports::RateLimitStore& rate_limiter_;
  const ports::Clock& clock_;
  ports::EventLog& log_;
  ChargeMetrics outcomes_;
  ports::Counter& adjusted_;
  ports::Counter& adjust_failed_;
  OncePerMinute adjust_log_throttle_;
};

}  // namespace kbase::runtime
