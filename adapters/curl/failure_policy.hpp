// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "adapters/curl/options.hpp"
#include "adapters/curl/response.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::curl {

/// Returns a random time between half of `span` and `span`, so that clients that failed together do not retry together
/// ("equal jitter", AWS Architecture Blog, Exponential Backoff and Jitter, 2015).
milliseconds add_jitter(milliseconds span, ports::Random& random);

/// Decides when the request of one exchange is retried.
class Retry {
 public:
  Retry(const RetryOptions& options, ports::Random& random) : options_(options), random_(random) {}

  /// Returns the wait after a failed connection; nullopt: no retry is left.
  std::optional<milliseconds> after_failure() const;

  /// Returns the wait after this response; nullopt: do not retry. Retries 502, 503 and 504, and 429 only with a
  /// Retry-After field. Respects the Retry-After of 429 and 503 (RFC 9110, section 10.2.3).
  std::optional<milliseconds> after_response(const Head& head, model::Instant now) const;

  /// Counts a retry.
  void count() { ++retries_; }

 private:
  const RetryOptions& options_;
  ports::Random& random_;
  std::uint32_t retries_ = 0;
};

/// What the result of an exchange shows about the health of the service.
enum class Verdict {
  Good,
  Bad,
  None,  ///< another cause, or the service had too little time to respond
};

/// Circuit breaker (M. Nygard, Release It!): stops sending requests to a service that failed several times in a row,
/// tries one exchange after a pause, and closes again if that succeeds. Not thread-safe. The times passed to it must
/// not decrease.
class Breaker {
 public:
  using Time = ports::Call::SteadyTime;

  enum class State { Closed, HalfOpen, Open };  ///< all exchanges pass; one is being tried; none pass

  struct Pass {
    enum class Kind { Ordinary, Trial, Refused };
    Kind kind = Kind::Ordinary;
    milliseconds retry_after{0};  ///< only for Refused
    std::uint64_t openings = 0;   ///< number of openings so far; only for Ordinary
  };

  Breaker(const BreakerOptions& options, ports::Random& random) : options_(options), random_(random) {}

  /// Decides whether an exchange may start. The caller must call report() once for every pass that is not refused.
  Pass admit(Time now);

  void report(Pass pass, Verdict verdict, Time now);

  /// The response to a trial begins: the breaker closes and `pass` becomes an ordinary one. If an exchange fails before
  /// one succeeds, that counts as a failure of the trial.
  void begin_response(Pass& pass);

  State state() const noexcept { return state_; }

  /// Length of the current pause; valid while open.
  milliseconds pause() const noexcept { return pause_; }

 private:
  Pass ordinary() const noexcept;
  void open(milliseconds span, Time now);
  void open_again(Time now);

  const BreakerOptions options_;
  ports::Random& random_;
  State state_ = State::Closed;
  std::uint64_t openings_ = 0;    // number of openings so far
  std::uint32_t failures_ = 0;    // failures in a row
  bool is_on_probation_ = false;  // closed, but no exchange succeeded since
  milliseconds base_pause_{0};    // length of the current pause before jitter
  milliseconds pause_{0};
  Time until_{};
};

}  // namespace kbase::curl
