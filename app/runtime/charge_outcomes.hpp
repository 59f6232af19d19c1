// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "app/runtime/once_a_minute.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// Counts what a rate limiter answers to those who ask to be charged, and says in the log why it did not answer, once a
/// minute. Looks are not counted; what a fallback allows is, though nobody was charged. Any thread.
class ChargeOutcomes {
 public:
  /// What is counted, and what becomes of it where the rate limiter does not answer.
  struct Of {
    std::string_view counter;
    std::string_view help;
    std::string_view consequence;  ///< outlives the outcomes
  };

  /// All outlive it.
  ChargeOutcomes(const Of& of, const ports::Clock& clock, ports::Metrics& metrics, ports::EventLog& log);

  void add(const model::Status& asked, std::span<const ports::AcquireRequest* const> requests,
           std::span<ports::Decision* const> decisions);

 private:
  void say(const model::Error& error);

  const std::string_view consequence_;
  const ports::Clock& clock_;
  ports::EventLog& log_;
  ports::Counter& allowed_;
  ports::Counter& denied_;
  ports::Counter& failed_;
  OnceAMinute said_;
};

}  // namespace kbase::runtime
