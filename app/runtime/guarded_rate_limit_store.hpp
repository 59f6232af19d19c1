// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// Protects requests from a slow or unavailable remote rate limiter. A request waits for it at most one timeout, and
/// not at all while it is known to be unavailable. Meanwhile the fallback decides. The exception is ChargeExactly: a
/// call that contains such a request fails as a whole with Unavailable, and the fallback charges nothing.
///
/// The fallback is also charged with everything that the store allows, so that it continues from the current counts. If
/// the store fails and comes back empty, this process therefore allows at most twice a limit.
///
/// There are three kinds of calls to the store. A probe proves that the store is reachable and healthy. A look (only
/// peeks) proves that it also answers requests. A charge proves that it also counts; a store that is full or has become
/// a replica fails charges only. Consecutive failures are counted for each kind separately. A success resets the count
/// of its own kind and of the kinds that prove less, never of a kind that proves more.
///
///     Present, called:     fifth consecutive failure of one kind        -> Away
///     Away, not called:    a successful probe                           -> Trying
///     Trying, called:      a successful charge, or a successful probe   -> Present; resets all failure counts
///                          any failure                                  -> Away
///
/// There are no other transitions. Away cancels calls that still wait for the store. While the store is away, only
/// `probe` calls it, and only for its health.
///
/// Each consecutive failure shortens the timeout of the next call of that kind, so that a frozen store is detected
/// after little more than two timeouts. In state Trying a call gets the full timeout. A request whose outcome is
/// unknown is never sent again; the fallback counts it too. If the fallback also refuses it, `retry_after` is the
/// store's last known recovery time if that is later.
///
/// All parts must outlive this object. Thread-safe; `probe` by one thread at a time.
class GuardedRateLimitStore final : public ports::RateLimitStore {
 public:
  struct Parts {
    ports::RateLimitStore& store;
    ports::RateLimitStore& fallback;
    const ports::Clock& clock;
    ports::EventLog& log;
    ports::Counter& failures;  ///< requests and adjustments that the store did not answer
    ports::Counter& without;   ///< requests that the fallback answered
  };
  GuardedRateLimitStore(const Parts& parts, std::chrono::milliseconds timeout) : parts_(parts), timeout_(timeout) {}

  Capabilities capabilities() const override;
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;

  /// Adjusts only what was charged with ChargeExactly; for other modes it is not known whether the store or the
  /// fallback charged. While the store is away, fails with Unavailable, and the estimate stays charged for its day.
  model::Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                       std::uint32_t used) override;
  model::Status health(ports::Call& call) override { return parts_.store.health(call); }

  /// Checks the store's health. To be called once a second.
  void probe();

  /// False: the fallback decides, or the store is being tried.
  bool is_present() const { return state_ == State::Present; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  enum class State { Present, Away, Trying };
  enum Way : std::size_t { Probe, Look, Charge };  // each kind proves what the kinds before it prove
  static constexpr std::size_t kWays = 3;
  static constexpr int kFailures = 5;

  /// Cancel source of a call to the store: the caller gave up, or the store is known to be away.
  struct Waiting {
    const GuardedRateLimitStore& guard;
    ports::CancelSource caller;
    static bool is_over(const void* waiting) noexcept;
  };

  static Way way_of(std::span<const ports::AcquireRequest* const> requests);
  std::chrono::milliseconds timeout(Way way) const;
  template <class Question>
  model::Status ask_store(ports::Call& call, Way way, std::size_t requests, const Question& question);
  bool gave_up(const ports::Call& call) const { return call.cancelled() || parts_.clock.steady() >= call.deadline; }
  model::Status ask_fallback(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                             std::span<ports::Decision* const> decisions);
  model::Error with_hint(model::Error refused) const;
  void tell_fallback(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                     std::span<ports::Decision* const> decisions);
  void answered(Way way);
  void failed(Way way, const model::Error& error);
  void end_rows(Way last);
  void become_present();

  const Parts parts_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;  // held for every change of state
  std::atomic<State> state_{State::Present};
  std::array<std::atomic<int>, kWays> failures_{};      // consecutive failures by kind of call
  std::atomic<SteadyTime> back_at_{SteadyTime::min()};  // recovery time from the last failure; in the past: unknown
  SteadyTime away_since_{};
};

}  // namespace kbase::runtime
