// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runtime/charge_outcomes.hpp"
#include "app/runtime/once_a_minute.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// Counts the rate limiter's decisions on token budgets, separately from those on requests. Logs at most once a minute
/// why an estimate could not be adjusted and stays charged. Thread-safe.
class MeteredTokens final : public ports::RateLimitStore {
 public:
  /// All arguments must outlive this object.
  MeteredTokens(ports::RateLimitStore& rate_limiter, const ports::Clock& clock, ports::Metrics& metrics,
                ports::EventLog& log);

  Capabilities capabilities() const override { return rate_limiter_.capabilities(); }
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;
  model::Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                       std::uint32_t used) override;
  model::Status health(ports::Call& call) override { return rate_limiter_.health(call); }

 private:
  ports::RateLimitStore& rate_limiter_;
  const ports::Clock& clock_;
  ports::EventLog& log_;
  ChargeOutcomes outcomes_;
  ports::Counter& settled_;
  ports::Counter& unsettled_;
  OnceAMinute unsettled_said_;
};

}  // namespace kbase::runtime
