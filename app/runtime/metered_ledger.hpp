// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// Counts what a ledger answers, and says in the log why it did not, once a minute. Looks are not counted; what a fallback
/// allows is, though nobody was charged. Any thread.
class MeteredLedger final : public ports::RateLimitStore {
 public:
  /// All outlive it.
  MeteredLedger(ports::RateLimitStore& ledger, const ports::Clock& clock, ports::Metrics& metrics,
                ports::EventLog& log);

  Capabilities capabilities() const override { return ledger_.capabilities(); }
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;
  model::Status health(ports::Call& call) override { return ledger_.health(call); }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  void say(const model::Error& error, SteadyTime now);

  ports::RateLimitStore& ledger_;
  const ports::Clock& clock_;
  ports::EventLog& log_;
  ports::Counter& allowed_;
  ports::Counter& denied_;
  ports::Counter& failed_;
  ports::Counter& shared_;
  ports::Histogram& seconds_;
  std::atomic<SteadyTime> silent_until_{SteadyTime::min()};
};

}  // namespace kbase::runtime
