// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/memory/account_table.hpp"
#include "adapters/memory/budget.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::memory {

struct RateLimitOptions {
  /// How many client addresses, that is, subjects in a group, have an account at a time; at least 1. Keys have as many
  /// places of their own, so that a flood of addresses takes none from them, and shared accounts an eighth as many.
  std::size_t max_clients = 1'000'000;

  /// Memory of all accounts: five eighths of it are for addresses, two for keys and one for shared accounts, so that
  /// none of them takes from the others. A quiet subject takes some 90 bytes, one that uses up a limit of 300 a minute
  /// 2 KiB more for that minute. Without memory there is no place for newcomers, and whoever is remembered may be
  /// admitted less often than the limit, never more.
  std::size_t max_bytes = 256U << 20U;
};

/// What the store tells the operator; null: nobody counts it. Both outlive the store.
struct RateLimitMetrics {
  ports::Counter* forgotten = nullptr;      ///< accounts that were closed though something was counted in them
  ports::Gauge* shared_accounts = nullptr;  ///< of groups, open now
};

/// The rate limiter of one process: exact for as long as the process lives and its tables have room. A full table
/// closes an idle account for a newcomer, else one with much left, whose subject may then exceed its limits by what it
/// had used of them. A newcomer for whom no account can be closed is charged to the shared account of its group, until
/// there is room: then its own account begins with full windows.
///
/// Ownership: `clock` outlives the store. Thread-safety: any thread; no two locks are held at a time. Errors:
/// Unavailable where every account of a full table has used up a limit and so has no place for a key, nor for one more
/// group; earlier takes of the same batch were answered and charged.
class MemoryRateLimitStore final : public ports::RateLimitStore {
 public:
  explicit MemoryRateLimitStore(const ports::Clock& clock, RateLimitOptions options = {},
                                RateLimitMetrics metrics = {});

  Capabilities capabilities() const override;
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;
  model::Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                       std::uint32_t used) override;
  model::Status health(ports::Call& call) override;

  struct Stats {
    std::size_t clients = 0;  ///< that have an account
    std::size_t shared_accounts = 0;
    std::size_t held_bytes = 0;
  };
  /// Locks every part in turn. Any thread.
  Stats stats() const;

 private:
  /// A part of the subjects, with a lock of its own.
  struct alignas(64) Shard {
    Shard(std::size_t max_clients, std::size_t max_bytes);

    mutable std::mutex mutex;
    Budget address_budget;
    Budget key_budget;
    Budget shared_budget;
    AccountTable addresses;
    AccountTable keys;
    AccountTable shared;
  };

  /// The tables use other bits of the hash.
  Shard& shard_of(const ClientIdHash& key) { return *shards_[(key.hash >> 8U) % shards_.size()]; }
  model::Result<ports::Decision> acquire(const ports::AcquireRequest& request);
  std::optional<ports::Decision> take_from(AccountTable Shard::*table, const model::ClientId& client_id,
                                           const ports::AcquireRequest& request);

  const ports::Clock& clock_;
  const RateLimitMetrics metrics_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace kbase::memory
