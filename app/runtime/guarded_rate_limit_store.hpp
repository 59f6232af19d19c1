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

/// A rate limiter on another machine, asked in a way that no request waits for it longer than one time-out, and none at
/// all once it is known to be away. Meanwhile the fallback answers, but for what is to be charged exactly: a call with
/// such a take then fails with Unavailable as a whole, and nothing of it is charged here.
///
/// The fallback is charged with what the store lets in, so that it goes on from there: a store that went away, and came
/// back with nothing of what it had counted, makes this process let in at most twice a limit.
///
/// The store is asked in three ways, each of which proves more than the one before: a probe, that it can be reached and
/// itself well; a look, that it answers; a charge, that it counts, which a store that is full or has become a replica
/// does not, though it answers the others. Failures are counted in a row of each of the three by itself. An answer ends
/// the row of its own kind and of those that prove less, never of one that proves more.
///
///     Present, asked:      the fifth failure in a row of one kind      -> Away
///     Away, never asked:   a good probe                                -> Trying
///     Trying, asked:       a charge answered, or another good probe    -> Present, with all rows ended
///                          any failure                                 -> Away
///
/// Nothing else changes the state. Away cancels what still waits for the store. `probe` alone asks a store that is
/// away, and for its health, never for a take.
///
/// Each failure of a row shortens the time that the next take of its kind is given, so that a store which is frozen is
/// known to be after little more than two time-outs; one that is tried gets the whole of it. A take whose outcome is
/// unknown is never sent again: the fallback counts it too. Where the fallback refuses it as well, its error says when
/// to come back as the store's last failure knew it.
///
/// Ownership: all that it is made of outlives it. Thread-safety: any thread; `probe` from one at a time.
class GuardedRateLimitStore final : public ports::RateLimitStore {
 public:
  struct Parts {
    ports::RateLimitStore& store;
    ports::RateLimitStore& fallback;
    const ports::Clock& clock;
    ports::EventLog& log;
    ports::Counter& failures;  ///< takes that the store did not answer
    ports::Counter& without;   ///< takes that the fallback answered
  };
  GuardedRateLimitStore(const Parts& parts, std::chrono::milliseconds timeout) : parts_(parts), timeout_(timeout) {}

  Capabilities capabilities() const override;
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;

  /// Only what was charged exactly: of anything else nobody knows any more whether the store or the fallback did it.
  /// While the store is away the estimate stays in its day.
  model::Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                       std::uint32_t used) override;
  model::Status health(ports::Call& call) override { return parts_.store.health(call); }

  /// To be called each second.
  void probe();

  /// False: the fallback answers, or the store is only being tried.
  bool is_present() const { return state_ == State::Present; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  enum class State { Present, Away, Trying };
  enum Way : std::size_t { Probe, Look, Charge };  // each proves what those before it do
  static constexpr std::size_t kWays = 3;
  static constexpr int kFailures = 5;

  /// Who waits for the store: the caller, until it gives up or the store is known to be away.
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
  std::mutex mutex_;  // of every change of state
  std::atomic<State> state_{State::Present};
  std::array<std::atomic<int>, kWays> failures_{};      // in a row, by the way it was asked
  std::atomic<SteadyTime> back_at_{SteadyTime::min()};  // as the last failure said; in the past: it did not say
  SteadyTime away_since_{};
};

}  // namespace kbase::runtime
