// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/rate_limit_store.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "domain/base/result.hpp"

namespace kbase::memory {
namespace {

using ports::AcquireRequest;
using ports::Call;
using ports::Decision;

// Limits for the number of shards: enough that two threads rarely contend for one, and few enough that the shards of a
// full table fill evenly and the smallest table of a shard has memory for some accounts. A small table has one shard
// and exact bounds.
constexpr std::size_t kMinClientsForSharding = 64 * 1024;
constexpr std::size_t kMaxShards = 256;
constexpr std::size_t kMinClientsPerShard = 2 * 1024;
constexpr std::size_t kMinBytesPerShard = 256 * 1024;

constexpr std::size_t kClientsPerSharedAccount = 8;

std::size_t shards_for(const RateLimitOptions& options) {
  if (options.max_clients < kMinClientsForSharding) return 1;
  const std::size_t affordable =
      std::min(options.max_clients / kMinClientsPerShard, options.max_bytes / kMinBytesPerShard);
  return std::clamp<std::size_t>(std::bit_floor(affordable), 1, kMaxShards);
}

Error table_full() {
  return {ErrorCode::Unavailable,
          "too many clients have used up their limits; try again later",
          "memory rate limiter: the table is full of clients that have used up a limit; raise max_clients or "
          "max_bytes in rate_limit.config",
          {},
          std::chrono::seconds(60)};
}

}  // namespace

MemoryRateLimitStore::Shard::Shard(std::size_t max_clients, std::size_t max_bytes)
    : address_budget(max_bytes / 8 * 5),
      key_budget(max_bytes / 8 * 2),
      shared_budget(max_bytes / 8),
      addresses(max_clients, address_budget),
      keys(max_clients, key_budget),
      shared(max_clients / kClientsPerSharedAccount, shared_budget) {}

MemoryRateLimitStore::MemoryRateLimitStore(const ports::Clock& clock, RateLimitOptions options,
                                           RateLimitMetrics metrics)
    : clock_(clock), metrics_(metrics), shards_(shards_for(options)) {
  for (auto& shard : shards_)
    shard = std::make_unique<Shard>(options.max_clients / shards_.size(), options.max_bytes / shards_.size());
}

ports::RateLimitStore::Capabilities MemoryRateLimitStore::capabilities() const {
  return {.inline_calls = true, .shared = false};
}

Status MemoryRateLimitStore::acquire(Call&, std::span<const AcquireRequest* const> requests,
                                     std::span<Decision* const> decisions) {
  assert(requests.size() == decisions.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto decision = KBASE_TRY(acquire(*requests[i]));
    *decisions[i] = decision;
  }
  return {};
}

Result<Decision> MemoryRateLimitStore::acquire(const AcquireRequest& request) {
  const bool is_key = !request.has_fallback_bucket();
  if (const auto decision = acquire_from(is_key ? &Shard::keys : &Shard::addresses, request.client_id, request))
    return *decision;
  if (is_key) return table_full();
  auto decision = acquire_from(&Shard::shared, request.fallback_bucket, request);
  if (!decision) return table_full();
  decision->account = Decision::Account::Shared;
  return *decision;
}

/// Returns nullopt if the client has no account in the table and cannot get one.
std::optional<Decision> MemoryRateLimitStore::acquire_from(AccountTable Shard::*table, const model::ClientId& client_id,
                                                           const AcquireRequest& request) {
  const ClientIdHash key(client_id);
  Shard& shard = shard_of(key);
  AccountTable& accounts = shard.*table;
  accounts.prefetch(key);
  const std::lock_guard lock(shard.mutex);
  // Read the clock under the lock, so that the requests of a client are counted in the order of their times.
  const model::Instant now = clock_.now();
  const std::uint64_t evicted = accounts.evicted();
  const std::size_t shared = shard.shared.size();
  const auto decision = accounts.acquire(key, now, request.limits, request.is_charge() ? request.cost : 0);
  if (shard.shared.size() != 0) shard.shared.sweep(now);
  if (accounts.evicted() != evicted && metrics_.evicted != nullptr) metrics_.evicted->add();
  if (shard.shared.size() != shared && metrics_.shared_accounts != nullptr)
    metrics_.shared_accounts->add(static_cast<std::int64_t>(shard.shared.size()) - static_cast<std::int64_t>(shared));
  return decision;
}

Status MemoryRateLimitStore::adjust(Call&, const AcquireRequest& request, const Decision& decision,
                                    std::uint32_t used) {
  const std::int64_t more = ports::correction(request, decision, used);
  if (more == 0) return {};
  const bool is_shared = decision.account == Decision::Account::Shared;
  const ClientIdHash key(is_shared ? request.fallback_bucket : request.client_id);
  Shard& shard = shard_of(key);
  AccountTable& accounts = is_shared ? shard.shared : request.has_fallback_bucket() ? shard.addresses : shard.keys;
  const std::lock_guard lock(shard.mutex);
  accounts.correct(key, decision.day.reset, more);
  return {};
}

MemoryRateLimitStore::Stats MemoryRateLimitStore::stats() const {
  Stats stats;
  for (const auto& shard : shards_) {
    const std::lock_guard lock(shard->mutex);
    stats.clients += shard->addresses.size() + shard->keys.size();
    stats.shared_accounts += shard->shared.size();
    stats.held_bytes +=
        shard->address_budget.held_bytes() + shard->key_budget.held_bytes() + shard->shared_budget.held_bytes();
  }
  return stats;
}

Status MemoryRateLimitStore::health(Call&) { return {}; }

}  // namespace kbase::memory
