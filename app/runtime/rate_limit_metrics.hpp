// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "app/runtime/log_throttle.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

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
