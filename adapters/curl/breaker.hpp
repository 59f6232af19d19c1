// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "adapters/curl/options.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/random.hpp"

namespace kbase::curl {

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

  enum class State { Closed, Trying, Open };  ///< all exchanges pass; one is being tried; none pass

  struct Pass {
    enum class Kind { Ordinary, Trial, Refused };
    Kind kind = Kind::Ordinary;
    milliseconds retry_after{0};  ///< only for Refused
    std::uint64_t openings = 0;   ///< number of openings so far; only for Ordinary
  };

  Breaker(const BreakerOptions& options, ports::Random& random) : options_(options), random_(random) {}

  /// Decides whether an exchange may start. The caller must call report() once for every pass that is not refused.
  Pass ask(Time now);

  void report(Pass pass, Verdict verdict, Time now);

  /// The response to a trial begins: the breaker closes and `pass` becomes an ordinary one. If an exchange fails before
  /// one succeeds, that counts as a failure of the trial.
  void begin_answer(Pass& pass);

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
  milliseconds span_{0};          // length of the current pause before jitter
  milliseconds pause_{0};
  Time until_{};
};

}  // namespace kbase::curl
