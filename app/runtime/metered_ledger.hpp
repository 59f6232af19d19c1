// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/clock.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// Counts what a ledger answers. Looks are not counted. Any thread.
class MeteredLedger final : public ports::RateLimitStore {
 public:
  /// All outlive it.
  MeteredLedger(ports::RateLimitStore& ledger, const ports::Clock& clock, ports::Metrics& metrics);

  Capabilities capabilities() const override { return ledger_.capabilities(); }
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;
  model::Status health(ports::Call& call) override { return ledger_.health(call); }

 private:
  ports::RateLimitStore& ledger_;
  const ports::Clock& clock_;
  ports::Counter& allowed_;
  ports::Counter& denied_;
  ports::Counter& failed_;
  ports::Counter& shared_;
  ports::Histogram& seconds_;
};

}  // namespace kbase::runtime
