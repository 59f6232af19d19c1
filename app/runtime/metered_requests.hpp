// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runtime/charge_outcomes.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// Counts what a ledger answers to requests and how long that takes. Any thread.
class MeteredRequests final : public ports::RateLimitStore {
 public:
  /// All outlive it.
  MeteredRequests(ports::RateLimitStore& ledger, const ports::Clock& clock, ports::Metrics& metrics,
                  ports::EventLog& log);

  Capabilities capabilities() const override { return ledger_.capabilities(); }
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;
  model::Status settle(ports::Call& call, const ports::Take& take, const ports::Taken& taken,
                       std::uint32_t used) override {
    return ledger_.settle(call, take, taken, used);
  }
  model::Status health(ports::Call& call) override { return ledger_.health(call); }

 private:
  ports::RateLimitStore& ledger_;
  const ports::Clock& clock_;
  ChargeOutcomes outcomes_;
  ports::Counter& shared_;
  ports::Histogram& seconds_;
};

}  // namespace kbase::runtime
