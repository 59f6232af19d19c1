// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/memory/account.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::memory {

struct RateLimitOptions {
  /// Maximum number of accounts for client addresses (clients with a fallback bucket); at least 1. API keys have a
  /// separate table of the same size, so that a flood of addresses does not evict them. The table of fallback buckets
  /// has an eighth of the size.
  std::size_t max_clients = 1'000'000;

  /// Memory for all accounts: five eighths for addresses, two eighths for keys and one eighth for fallback buckets. The
  /// parts are separate, so that none uses the memory of another. A client with few requests takes about 90 bytes; one
  /// that uses up a limit of 300 per minute takes 2 KiB more for that minute. When the memory is used up, new clients
  /// get no account, and known clients may be admitted less often than their limit, never more.
  std::size_t max_bytes = 256U << 20U;
};

/// Metrics of the store. A null pointer disables the metric. The metrics must outlive the store.
struct RateLimitMetrics {
  ports::Counter* evicted = nullptr;        ///< accounts evicted with a nonzero count
  ports::Gauge* shared_accounts = nullptr;  ///< open accounts of fallback buckets
};

/// A client id with its hash, computed once for all tables. The id must outlive this object.
struct ClientIdHash {
  explicit ClientIdHash(const model::ClientId& client_id);

  const model::ClientId& client_id;
  std::uint64_t hash;
};

/// Bounded table of rate-limit accounts: a hash table with open addressing and linear probing that stores the accounts
/// inline. A separate array holds one byte of each hash and is small enough to stay in the CPU cache, so that acquire()
/// has one cache miss. Each insertion checks the next two accounts and closes idle ones, so that the size of the table
/// follows the number of active clients. Resizing restores a load factor of 0.7.
///
/// Ownership: the budget must outlive the table. Not thread-safe, except for prefetch().
class AccountTable {
 public:
  AccountTable(std::size_t max_accounts, Budget& budget);

  /// Prefetches the probable slot of the client. Thread-safe, so that a caller can overlap the cache miss with the wait
  /// for the lock.
  void prefetch(const ClientIdHash& key) const;

  /// Charges the client's account, and opens one if something is to be counted. A full table closes an idle account for
  /// it, else the one with the most left among some candidates, but never one that has used up a limit. Returns nullopt
  /// if there is no such account; then nothing was charged. With `cost` 0 no account is opened or closed, and the
  /// result is the one that a charge would get.
  std::optional<ports::Decision> acquire(const ClientIdHash& key, model::Instant now, model::Limits limits,
                                         std::uint32_t cost);

  /// Applies Account::correct. Does nothing if the client has no account.
  void correct(const ClientIdHash& key, model::Instant end, std::int64_t more);

  /// Checks the next two accounts and closes idle ones.
  void sweep(model::Instant now);

  std::size_t size() const { return size_; }

  /// Returns the number of accounts that were evicted with a nonzero count.
  std::uint64_t evicted() const { return evicted_; }

 private:
  using Tag = std::uint8_t;
  static constexpr Tag kFree = 0;

  struct Slots {
    std::size_t count = 0;
    std::unique_ptr<Tag[]> tags;  // kFree, or some bits of the hash of the account in the slot
    std::unique_ptr<Account[]> accounts;

    static std::size_t home(std::uint64_t hash, std::size_t count);
    std::size_t next(std::size_t slot) const { return slot + 1 == count ? 0 : slot + 1; }
    std::size_t distance(std::size_t from, std::size_t to) const { return to >= from ? to - from : to + count - from; }
    void insert(const ClientIdHash& key, Account&& account);
  };

  Account* find(const ClientIdHash& key) const;
  bool can_open(model::Instant now);
  bool evict_one(model::Instant now);
  std::size_t next_occupied(std::size_t hand) const;
  std::optional<std::size_t> find_eviction_candidate(std::size_t& hand, model::Instant now);
  bool has_space() const;
  bool grow();
  bool resize(std::size_t count);
  void close(std::size_t slot);

  const std::size_t max_accounts_;
  Budget& budget_;
  Slots slots_;
  std::atomic<const Account*> prefetch_accounts_{nullptr};  // slots for prefetch(), which runs without the lock
  std::atomic<std::size_t> prefetch_count_{0};
  std::size_t size_ = 0;
  std::size_t hand_ = 0;  // last slot checked by the sweep
  std::uint64_t evicted_ = 0;
};

/// In-process rate limiter. Exact while the process lives and its tables have space.
///
/// A full table evicts an idle account for a new client, else one with much of its limit left; the client of that
/// account may then exceed its limits by what it had used. If no account can be evicted, the new client is charged to
/// its fallback bucket until there is space; its own account then starts with full windows.
///
/// Ownership: `clock` must outlive the store. Thread-safe; holds at most one lock at a time. Returns Unavailable if a
/// key or a fallback bucket gets no account, because each account considered for eviction has used up a limit or
/// because the memory is used up; earlier requests of the same batch have been charged. Contract suite:
/// plugins/conformance/rate_limit_store_suite.
class MemoryRateLimitStore final : public ports::RateLimitStore {
 public:
  explicit MemoryRateLimitStore(const ports::Clock& clock, RateLimitOptions options = {},
                                RateLimitMetrics metrics = {});

  Capabilities capabilities() const override;
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                std::uint32_t used) override;
  Status health(ports::Call& call) override;

  struct Stats {
    std::size_t clients = 0;  ///< clients with an account
    std::size_t shared_accounts = 0;
    std::size_t held_bytes = 0;
  };
  /// Locks all shards, one after the other. Thread-safe.
  Stats stats() const;

 private:
  /// A subset of the accounts with its own lock.
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

  /// Uses other bits of the hash than the tables.
  Shard& shard_of(const ClientIdHash& key) { return *shards_[(key.hash >> 8U) % shards_.size()]; }
  Result<ports::Decision> acquire(const ports::AcquireRequest& request);
  std::optional<ports::Decision> acquire_from(AccountTable Shard::*table, const model::ClientId& client_id,
                                              const ports::AcquireRequest& request);

  const ports::Clock& clock_;
  const RateLimitMetrics metrics_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace kbase::memory
