// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

#include "adapters/curl/breaker.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::curl {

/// How an exchange ended; a label of the metrics.
enum class Outcome {
  Answered,     ///< status below 500
  ServerError,  ///< status 500 or above
  Unreachable,
  TimedOut,
  BadAnswer,
  Cancelled,  ///< the caller no longer waited, or a local error
  Late,       ///< the caller's deadline left the service too little time
  Busy,       ///< refused: too many exchanges
  Stopped,    ///< refused: the breaker is open
};

inline constexpr std::size_t kOutcomes = 9;

/// Returns what the outcome shows about the service.
inline Verdict verdict_of(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::Answered:
      return Verdict::Good;
    case Outcome::ServerError:
    case Outcome::Unreachable:
    case Outcome::TimedOut:
    case Outcome::BadAnswer:
      return Verdict::Bad;
    default:
      return Verdict::None;
  }
}

/// Metrics of the exchanges with one service. Thread-safe.
class ClientMetrics {
 public:
  /// `metrics` must outlive this object.
  ClientMetrics(ports::Metrics& metrics, std::string_view service);

  void ended(Outcome outcome, std::chrono::nanoseconds time) const;
  void refused(Outcome outcome) const { of(outcome).add(); }
  void retried() const { retries_.add(); }

  void open(std::int64_t more) const { open_.add(more); }
  void waiting(std::int64_t more) const { waiting_.add(more); }
  void breaker(Breaker::State before, Breaker::State now) const;

 private:
  ports::Counter& of(Outcome outcome) const { return *requests_[static_cast<std::size_t>(outcome)]; }

  std::array<ports::Counter*, kOutcomes> requests_{};
  ports::Histogram& seconds_;
  ports::Counter& retries_;
  ports::Gauge& open_;
  ports::Gauge& waiting_;
  ports::Gauge& breaker_;
};

}  // namespace kbase::curl
