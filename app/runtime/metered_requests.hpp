// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runtime/charge_outcomes.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// Counts the rate limiter's decisions on requests and measures their latency. Thread-safe.
class MeteredRequests final : public ports::RateLimitStore {
 public:
  /// All arguments must outlive this object.
  MeteredRequests(ports::RateLimitStore& rate_limiter, const ports::Clock& clock, ports::Metrics& metrics,
                  ports::EventLog& log);

  Capabilities capabilities() const override { return rate_limiter_.capabilities(); }
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;
  model::Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                       std::uint32_t used) override {
    return rate_limiter_.adjust(call, request, decision, used);
  }
  model::Status health(ports::Call& call) override { return rate_limiter_.health(call); }

 private:
  ports::RateLimitStore& rate_limiter_;
  const ports::Clock& clock_;
  ChargeOutcomes outcomes_;
  ports::Counter& shared_;
  ports::Histogram& seconds_;
};

}  // namespace kbase::runtime
