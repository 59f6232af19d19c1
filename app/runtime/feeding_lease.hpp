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

/// The right to write an index that several servers share: one thread of one process has it at a time, by a lease in
/// the store. It is taken for each batch and given back after it; whoever dies with it keeps it for `kTimeToLive`.
/// Any thread.
class FeedingLease {
 public:
  static constexpr std::chrono::milliseconds kTimeToLive{10'000};
  static constexpr std::chrono::milliseconds kRenewal{3'000};

  /// What it works with outlives it.
  struct Parts {
    ports::ItemStore& items;
    const ports::SearchIndex& index;
    const ports::Clock& clock;
    ports::Random& random;
  };

  /// Null: `index` is not shared, and who writes it is a matter of its own. Unsupported: the store has no leases, so
  /// that the two do not go together.
  static model::Result<std::unique_ptr<FeedingLease>> make(const Parts& parts);

  /// The lease while it is held: renewed by a thread of its own, given back at its end.
  class Hold {
   public:
    Hold(FeedingLease& lease, std::unique_lock<std::mutex> place, std::chrono::steady_clock::time_point until);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    /// Whether it is certain that nobody else has it.
    bool lasts() const;

   private:
    void renew();

    FeedingLease& lease_;
    std::unique_lock<std::mutex> place_;
    std::atomic<std::chrono::steady_clock::time_point> until_;
    PeriodicTask renewal_;  // last: it runs on everything above
  };

  /// Conflict: somebody else has it. Other errors: as ItemStore::try_lease.
  model::Result<std::unique_ptr<Hold>> take(ports::Call& call);

 private:
  FeedingLease(const Parts& parts, std::string name, std::string owner);

  /// When what was asked for now ends. Conflict: somebody else has it.
  model::Result<std::chrono::steady_clock::time_point> ask(ports::Call& call);

  ports::ItemStore& items_;
  const ports::Clock& clock_;
  const std::string name_;
  const std::string owner_;
  std::mutex place_;  // of the one thread of this process
};

}  // namespace kbase::runtime
