// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "domain/base/result.hpp"
#include "ports/driven/event_log.hpp"

/// Keep repeated errors from filling the log.
namespace kbase::runtime {

/// Limits a log message to one per minute, for errors of every request. Thread-safe: of concurrent callers, one gets
/// true.
class OncePerMinute {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  bool is_due(SteadyTime now) noexcept {
    SteadyTime next = next_;
    return now >= next && next_.compare_exchange_strong(next, now + std::chrono::minutes(1));
  }

 private:
  std::atomic<SteadyTime> next_{SteadyTime::min()};
};

/// Returns the error's detail for the log field `cause`, or its message if it has no detail.
inline const std::string& log_cause(const Error& error) { return error.detail.empty() ? error.message : error.detail; }

/// Consecutive failures of work that is retried every few seconds or more often; only the first of them is logged, as a
/// warning. Not thread-safe.
class FailureStreak {
 public:
  /// `event` is the name of the log event; it must outlive this object.
  explicit FailureStreak(std::string_view event) : event_(event) {}

  /// `message` describes the effect of the failure.
  void record(ports::EventLog& log, std::string_view message, const Error& error) {
    if (std::exchange(is_active_, true)) return;
    const ports::LogField fields[] = {{"cause", log_cause(error)}};
    log.log(ports::LogLevel::Warning, event_, message, fields);
  }

  /// The work succeeded.
  void end() noexcept { is_active_ = false; }

  /// Returns true if the last attempt failed.
  bool is_active() const noexcept { return is_active_; }

 private:
  const std::string_view event_;
  bool is_active_ = false;
};

}  // namespace kbase::runtime
