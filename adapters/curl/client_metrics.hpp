// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

#include "adapters/curl/breaker.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::curl {

/// How an exchange ended, as figures tell them apart.
enum class Outcome {
  Answered,     ///< with a status below 500
  ServerError,  ///< with another
  Unreachable,
  TimedOut,
  BadAnswer,
  Cancelled,  ///< nobody waited for it, or it failed for a reason of our own
  Late,       ///< the caller's deadline left the service no fair time
  Busy,       ///< refused: too many at once
  Stopped,    ///< refused: the service failed too often
};

inline constexpr std::size_t kOutcomes = 9;

/// What it tells about the service.
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

/// What a service's client tells of its exchanges. Any thread.
class ClientMetrics {
 public:
  /// `metrics` outlives it.
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
