// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/options.hpp"
#include "adapters/curl/request.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::curl {

/// How an exchange ended; a label of the metrics.
enum class Outcome {
  Responded,    ///< status below 500
  ServerError,  ///< status 500 or above
  Unreachable,
  TimedOut,
  BadResponse,
  Cancelled,  ///< the caller no longer waited, or a local error
  Late,       ///< the caller's deadline left the service too little time
  Busy,       ///< refused: too many exchanges
  Stopped,    ///< refused: the breaker is open
};

inline constexpr std::size_t kOutcomes = 9;

class Transfer;

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

/// Returns what the outcome shows about the service.
inline Verdict get_verdict(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::Responded: return Verdict::Good;
    case Outcome::ServerError:
    case Outcome::Unreachable:
    case Outcome::TimedOut:
    case Outcome::BadResponse: return Verdict::Bad;
    default: return Verdict::None;
  }
}

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

/// Metrics of the exchanges with one service. Thread-safe.
class ClientMetrics {
 public:
  /// `metrics` must outlive this object.
  ClientMetrics(ports::Metrics& metrics, std::string_view service);

  void count_end(Outcome outcome, std::chrono::nanoseconds time) const;
  void count_refusal(Outcome outcome) const { of(outcome).add(); }
  void count_retry() const { retries_.add(); }

  void add_open(std::int64_t more) const { open_.add(more); }
  void add_queued(std::int64_t more) const { waiting_.add(more); }
  void set_breaker_state(Breaker::State before, Breaker::State now) const;

 private:
  ports::Counter& of(Outcome outcome) const { return *requests_[static_cast<std::size_t>(outcome)]; }

  std::array<ports::Counter*, kOutcomes> requests_{};
  ports::Histogram& seconds_;
  ports::Counter& retries_;
  ports::Gauge& open_;
  ports::Gauge& waiting_;
  ports::Gauge& breaker_;
};

/// State of an upstream service that all its exchanges share: the breaker, and the queue of exchanges. enter() to
/// breaker_error() are thread-safe.
class UpstreamService {
 public:
  UpstreamService(const ClientPorts& ports, ClientOptions options, std::vector<Origin> allowed);

  const ClientOptions& options() const noexcept { return options_; }
  std::span<const Origin> allowed() const noexcept { return allowed_; }
  const ports::Clock& clock() const noexcept { return ports_.clock; }
  ports::Random& random() const noexcept { return ports_.random; }
  const ClientMetrics& metrics() const noexcept { return metrics_; }

  // Thread-safe.

  /// Admits one more exchange. The caller must call leave() once for each pass. Unavailable, with retry_after: too many
  /// exchanges are in progress or queued, or the breaker is open.
  Result<Breaker::Pass> enter();
  void leave(Breaker::Pass pass, Outcome outcome, Breaker::Time entered);

  /// The response begins. If `pass` is a trial, the trial succeeds and `pass` becomes an ordinary one, because a
  /// streamed response may take minutes.
  void begin_response(Breaker::Pass& pass);

  /// Whether the breaker is not closed, although the exchange got an ordinary pass before.
  bool is_breaker_open(Breaker::Pass pass) const;
  Error breaker_error() const;

  // The queue of exchanges that wait for a slot. Used only on the loop's thread. Does not own the transfers.

  /// Returns false if no slot is free; then the transfer is queued.
  bool acquire_slot(Transfer& transfer);
  /// Frees a slot. If a transfer is queued, gives the slot to the first one and returns it; null: the queue is empty.
  Transfer* release_slot();
  /// Removes the transfer from the queue.
  void leave_queue(Transfer& transfer);

 private:
  void report_state(Breaker::State before) const;

  const ClientPorts ports_;
  const ClientOptions options_;
  const std::vector<Origin> allowed_;
  const ClientMetrics metrics_;

  mutable std::mutex mutex_;
  Breaker breaker_;
  std::size_t open_ = 0;

  std::size_t used_slots_ = 0;
  std::deque<Transfer*> queue_;
};

}  // namespace kbase::curl
