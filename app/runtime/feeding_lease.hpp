// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "app/runtime/periodic_task.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/random.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::runtime {

/// Lease for writing a search index that several servers share: one thread of one process holds it at a time. The lease
/// is a record in the item store. It is acquired for each batch and released afterwards. If the holder dies, it expires
/// after `kTimeToLive`. Thread-safe.
class FeedingLease {
 public:
  static constexpr std::chrono::milliseconds kTimeToLive{10'000};
  static constexpr std::chrono::milliseconds kRenewal{3'000};

  /// All members must outlive the lease.
  struct Parts {
    ports::ItemStore& items;
    const ports::SearchIndex& index;
    const ports::Clock& clock;
    ports::Random& random;
  };

  /// Returns null if `index` is not shared; then no lease is needed. Error: Unsupported if the store has no leases, so
  /// that this storage and this index cannot be used together.
  static model::Result<std::unique_ptr<FeedingLease>> make(const Parts& parts);

  /// A held lease: a thread renews it, and destruction releases it.
  class Hold {
   public:
    Hold(FeedingLease& lease, std::unique_lock<std::mutex> place, std::chrono::steady_clock::time_point until);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    /// Returns true if it is certain that no other process holds the lease.
    bool lasts() const;

   private:
    void renew();

    FeedingLease& lease_;
    std::unique_lock<std::mutex> place_;
    std::atomic<std::chrono::steady_clock::time_point> until_;
    PeriodicTask renewal_;  // last: its thread uses the members above
  };

  /// Acquires the lease without waiting. Errors: Conflict if another thread or process holds it; others as of
  /// ItemStore::try_lease().
  model::Result<std::unique_ptr<Hold>> take(ports::Call& call);

 private:
  FeedingLease(const Parts& parts, std::string name, std::string owner);

  /// Requests or renews the lease in the store and returns when it expires. Error: Conflict if another process holds
  /// it.
  model::Result<std::chrono::steady_clock::time_point> ask(ports::Call& call);

  ports::ItemStore& items_;
  const ports::Clock& clock_;
  const std::string name_;
  const std::string owner_;
  std::mutex place_;  // held by the one thread of this process that writes the index
};

}  // namespace kbase::runtime
