// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::runtime {

/// A ledger on another machine, asked in a way that no request waits for it longer than one time-out, and none at all
/// once it is known to be away. Meanwhile the fallback answers.
///
/// The fallback is charged with what the store lets in, so that it goes on from there: a store that went away, and came
/// back with nothing of what it had counted, makes this process let in at most twice a limit.
///
/// Five failures in a row, and it is away: it is not asked for takes, and what still waits for it is cancelled. Each
/// failure in a row shortens the time that the next take is given, so that a store which is frozen is known to be after
/// little more than one time-out. `probe` asks for its health, never for a take; once that is good the store is tried,
/// and one failure more sends it away again. A take whose outcome is unknown is never sent again: the fallback counts
/// it too.
///
/// Ownership: all that it is made of outlives it. Thread-safety: any thread; `probe` from one at a time.
class GuardedLedger final : public ports::RateLimitStore {
 public:
  struct Parts {
    ports::RateLimitStore& store;
    ports::RateLimitStore& fallback;
    const ports::Clock& clock;
    ports::EventLog& log;
    ports::Counter& failures;  ///< takes that the store did not answer
    ports::Counter& without;   ///< takes that the fallback answered
  };
  GuardedLedger(const Parts& parts, std::chrono::milliseconds timeout) : parts_(parts), timeout_(timeout) {}

  Capabilities capabilities() const override;
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;
  model::Status health(ports::Call& call) override { return parts_.store.health(call); }

  /// To be called each second.
  void probe();

  /// False: the fallback answers, or the store is only being tried.
  bool is_present() const { return state_ == State::Present; }

 private:
  enum class State { Present, Away, Trying };
  static constexpr int kFailures = 5;

  /// Who waits for the store: the caller, until it gives up or the store is known to be away.
  struct Waiting {
    const GuardedLedger& guard;
    ports::CancelSource caller;
    static bool is_over(const void* waiting) noexcept;
  };

  void tell_fallback(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken);
  std::chrono::milliseconds patience() const;
  void answered();
  void failed(const model::Error& error);
  void become_present();

  const Parts parts_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;  // of every change of state
  std::atomic<State> state_{State::Present};
  std::atomic<int> failures_{0};  // in a row
  std::chrono::steady_clock::time_point away_since_{};
};

}  // namespace kbase::runtime
