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

/// Counts the rate limiter's decisions on charging requests, and logs its failures at most once a minute. Peeks are not
/// counted. Requests that a fallback allows are counted, although no one was charged. Thread-safe.
class ChargeOutcomes {
 public:
  /// Description of the counter and of the effect of a failure.
  struct Of {
    std::string_view counter;
    std::string_view help;
    std::string_view consequence;  ///< log text; must outlive the outcomes
  };

  /// All arguments must outlive this object.
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
