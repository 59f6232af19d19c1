// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "adapters/curl/options.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/random.hpp"

namespace kbase::curl {

/// What one exchange tells about the health of a service.
enum class Verdict {
  Good,
  Bad,
  None,  ///< it ended for another reason, or before the service had a fair time to answer
};

/// Stops asking a service that failed several times in a row, so that nobody waits for what will not come; tries one
/// exchange after a pause, and goes on as before once that is good (M. Nygard, Release It!, "Circuit Breaker"). One
/// thread at a time; a time is never before the one that came before it.
class Breaker {
 public:
  using Time = ports::Call::SteadyTime;

  enum class State { Closed, Trying, Open };  ///< all may pass; one is being tried; none may

  struct Pass {
    enum class Kind { Ordinary, Trial, Refused };
    Kind kind = Kind::Ordinary;
    milliseconds retry_after{0};  ///< of a refusal
    std::uint64_t openings = 0;   ///< of the breaker, before an ordinary one
  };

  Breaker(const BreakerOptions& options, ports::Random& random) : options_(options), random_(random) {}

  /// Whether one more exchange may begin. Every pass that is not refused is reported once.
  Pass ask(Time now);

  void report(Pass pass, Verdict verdict, Time now);

  /// The answer to a trial begins: all may pass, and `pass` is an ordinary one. The first that fails before one was
  /// good is taken for the trial's failure.
  void begin_answer(Pass& pass);

  State state() const noexcept { return state_; }

  /// How long the present pause is; while open.
  milliseconds pause() const noexcept { return pause_; }

 private:
  Pass ordinary() const noexcept;
  void open(milliseconds span, Time now);
  void open_again(Time now);

  const BreakerOptions options_;
  ports::Random& random_;
  State state_ = State::Closed;
  std::uint64_t openings_ = 0;    // so far
  std::uint32_t failures_ = 0;    // in a row
  bool is_on_probation_ = false;  // closed, and nothing was good since
  milliseconds span_{0};          // of the present pause, before chance
  milliseconds pause_{0};
  Time until_{};
};

}  // namespace kbase::curl
