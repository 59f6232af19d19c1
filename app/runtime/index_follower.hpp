// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "app/runtime/live_synonyms.hpp"
#include "app/runtime/server_health.hpp"
#include "app/runtime/worker_pool.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/markup.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::runtime {

/// Lease for writing a search index that several servers share: one thread of one process holds it at a time. The lease
/// is a record in the item store. It is acquired for each batch and released afterwards. If the holder dies, it expires
/// after `kTimeToLive`. Thread-safe.
class IndexWriteLease {
 public:
  static constexpr std::chrono::milliseconds kTimeToLive{10'000};
  static constexpr std::chrono::milliseconds kRenewal{3'000};

  /// All members must outlive the lease.
  struct Dependencies {
    ports::ItemStore& items;
    const ports::SearchIndex& index;
    const ports::Clock& clock;
    ports::Random& random;
  };

  /// Returns null if `index` is not shared; then no lease is needed. Error: Unsupported if the store has no leases, so
  /// that this storage and this index cannot be used together.
  static Result<std::unique_ptr<IndexWriteLease>> make(const Dependencies& deps);

  /// A held lease: a thread renews it, and destruction releases it.
  class HeldLease {
   public:
    HeldLease(IndexWriteLease& lease, std::unique_lock<std::mutex> lock, std::chrono::steady_clock::time_point until);
    ~HeldLease();
    HeldLease(const HeldLease&) = delete;
    HeldLease& operator=(const HeldLease&) = delete;

    /// Returns true if it is certain that no other process holds the lease.
    bool is_held() const;

   private:
    void renew();

    IndexWriteLease& lease_;
    std::unique_lock<std::mutex> lock_;
    std::atomic<std::chrono::steady_clock::time_point> until_;
    PeriodicTask renewal_;  // last: its thread uses the members above
  };

  /// Acquires the lease without waiting. Errors: Conflict if another thread or process holds it; others as of
  /// ItemStore::try_lease().
  Result<std::unique_ptr<HeldLease>> acquire(ports::Call& call);

 private:
  IndexWriteLease(const Dependencies& deps, std::string name, std::string owner);

  /// Requests or renews the lease in the store and returns when it expires. Error: Conflict if another process holds
  /// it.
  Result<std::chrono::steady_clock::time_point> request_lease(ports::Call& call);

  ports::ItemStore& items_;
  const ports::Clock& clock_;
  const std::string name_;
  const std::string owner_;
  std::mutex writer_mutex_;  // held by the one thread of this process that writes the index
};

/// Keeps an index equal to its store by reading the change feed (architecture: data flow 1). Not thread-safe.
class IndexFollower {
 public:
  enum class Outcome { UpToDate, Updated, Rebuilt };

  /// Why an index must be rebuilt.
  struct Reason {
    std::string_view what;  ///< continues "the index ..."; static string
    std::string cause;      ///< error detail for the log; may be empty
  };

  /// Callbacks, called by the thread that follows.
  struct Listener {
    std::function<void(std::uint64_t records)> on_progress;  ///< records of the current batch so far
    std::function<void(const Reason& reason)> on_rebuild;    ///< at the start of a rebuild
  };

  /// All arguments must outlive the follower. `lease`: the lease to write a shared index; null: the index is not
  /// shared.
  IndexFollower(ports::ItemStore& items, ports::SearchIndex& index, const ports::Markup& markup, Listener listener = {},
                IndexWriteLease* lease = nullptr)
      : items_(items), index_(index), markup_(markup), listener_(std::move(listener)), lease_(lease) {}

  /// Applies the changes since the index's revision as one batch. Rebuilds the index if it is incomplete and a batch
  /// cannot complete it, belongs to another store, is ahead of the store, or is older than the feed's history. Error:
  /// Conflict if another process is writing the index; that process brings it up to date.
  Result<Outcome> follow(ports::Call& call);

  /// Rebuilds the index unconditionally. Searches use the old state until the new one is complete.
  Status rebuild(ports::Call& call);

  /// Returns the store's revision as last read.
  model::Revision last_revision() const { return last_revision_; }

 private:
  /// The work to do.
  struct Work {
    bool is_up_to_date = false;
    std::optional<Reason> rebuild{};  ///< reason for a rebuild; nullopt: an update is enough
    bool may_update = false;          ///< try an update first
    model::Revision after = 0;        ///< start revision of an update
  };
  /// The held lease. Null: the index is not shared.
  using HeldLeasePtr = std::unique_ptr<IndexWriteLease::HeldLease>;

  Result<Work> plan_work(ports::Call& call);
  Result<HeldLeasePtr> acquire_lease(ports::Call& call);
  Reason explain_incomplete(ports::Call& call);
  Result<Outcome> update(ports::Call& call, const HeldLeasePtr& lease, const Work& work);
  Result<Outcome> rebuild_because(ports::Call& call, const HeldLeasePtr& lease, const Reason& reason);
  Status apply(ports::Call& call, const HeldLeasePtr& lease, ports::SearchIndex::Build build, model::Revision after,
               const Reason& reason = {});

  ports::ItemStore& items_;
  ports::SearchIndex& index_;
  const ports::Markup& markup_;
  Listener listener_;
  IndexWriteLease* const lease_;
  model::Revision last_revision_ = 0;
};

/// Keeps the index and the synonyms up to date while the server runs. The first of consecutive failures is logged and
/// sets Service::Indexing to Down. Retries back off exponentially from 200 ms to 10 s, so that a full disk is not
/// written five times a second. If another process writes the index, that is not a failure; it is logged after a
/// minute.
class IndexUpdater {
 public:
  /// All members must outlive the updater.
  struct Dependencies {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    const ports::Markup& markup;
    HealthChecker& health;
    ServerReadiness& readiness;
    const ports::Clock& clock;
    ports::EventLog& log;
    LiveSynonyms& synonyms;
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
  void publish_synonyms(ports::Call& call);
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
