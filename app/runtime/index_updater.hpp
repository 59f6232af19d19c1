// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "app/runtime/index_follower.hpp"
#include "app/runtime/server_health.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::runtime {

/// Keeps the index up to date while the server runs. The first of consecutive failures is logged and sets
/// Service::Indexing to Down. Retries back off exponentially from 200 ms to 10 s, so that a full disk is not written
/// five times a second. If another process writes the index, that is not a failure; it is logged after a minute.
class IndexUpdater {
 public:
  /// All members must outlive the updater.
  struct Dependencies {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    HealthChecker& health;
    ServerReadiness& readiness;
    const ports::Clock& clock;
    ports::EventLog& log;
    IndexWriteLease* lease = nullptr;  ///< lease to write a shared index; null: the index is not shared
  };
  explicit IndexUpdater(const Dependencies& deps);

  /// Applies pending changes now. One thread at a time.
  void update();

  /// Blocks in ItemStore::wait() for at most a second if the store supports it; otherwise, and after a failure, returns
  /// at once. Call it on the thread that calls update().
  void await_change();

  /// Cancels the work in progress and all later work. Thread-safe.
  void stop() noexcept { stopping_ = true; }

 private:
  void log_rebuild(const IndexFollower::Reason& reason);
  void on_failure(const Error& error);
  void on_updated(IndexFollower::Outcome outcome);
  void on_lease_conflict();

  const Dependencies deps_;
  IndexFollower follower_;
  std::atomic<bool> stopping_ = false;
  std::chrono::milliseconds backoff_{0};  // back-off after a failure; zero: no failure
  std::chrono::steady_clock::time_point next_attempt_{};
  std::optional<std::chrono::steady_clock::time_point> conflict_since_;  // when another process began to hold the
                                                                         // lease; nullopt: none does
  bool conflict_logged_ = false;
};

}  // namespace kbase::runtime
