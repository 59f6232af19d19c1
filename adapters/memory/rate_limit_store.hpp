// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/memory/account.hpp"
#include "adapters/memory/account_table.hpp"
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
