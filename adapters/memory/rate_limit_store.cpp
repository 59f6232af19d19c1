// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/rate_limit_store.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

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

constexpr std::size_t kMinSlots = 16;

constexpr int kAccountsPerSweep =
    2;  // accounts checked per insertion; more than the one inserted, so that sweeping keeps up
constexpr int kEvictionCandidates =
    32;  // accounts compared for an eviction from a full table; takes about a microsecond

constexpr std::size_t kBytesPerSlot = sizeof(Account) + 1;

/// Returns the number of slots for a load factor of 0.7.
std::size_t slots_needed(std::size_t accounts) { return std::max(kMinSlots, accounts * 10 / 7 + 1); }

bool exceeds_max_load(std::size_t accounts, std::size_t slots) { return accounts * 8 > slots * 7; }

bool is_below_min_load(std::size_t accounts, std::size_t slots) {
  return slots > kMinSlots && accounts * 5 < slots * 3;
}

/// Client ids are hashes already, but the table must not depend on all their bits being random: the finalizer of
/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) mixes both halves into all
/// bits.
std::uint64_t hash_of(const model::ClientId& client_id) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&low, client_id.data(), sizeof low);
  std::memcpy(&high, client_id.data() + sizeof low, sizeof high);
  std::uint64_t hash = low + high * 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

std::uint8_t tag_of(std::uint64_t hash) {
  return std::max<std::uint8_t>(static_cast<std::uint8_t>(hash), 1);  // 0 marks a free slot
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

ClientIdHash::ClientIdHash(const model::ClientId& named) : client_id(named), hash(hash_of(named)) {}

/// Maps the upper half of the hash to a slot without a division (Lemire: Fast random integer generation in an interval,
/// 2019).
std::size_t AccountTable::Slots::home(std::uint64_t hash, std::size_t count) { return (hash >> 32U) * count >> 32U; }

void AccountTable::Slots::insert(const ClientIdHash& key, Account&& account) {
  std::size_t slot = home(key.hash, count);
  while (tags[slot] != kFree) slot = next(slot);
  tags[slot] = tag_of(key.hash);
  accounts[slot] = std::move(account);
}

AccountTable::AccountTable(std::size_t max_accounts, Budget& budget)
    : max_accounts_(std::max<std::size_t>(max_accounts, 1)), budget_(budget) {}

void AccountTable::prefetch(const ClientIdHash& key) const {
  const Account* const accounts = prefetch_accounts_.load(std::memory_order_relaxed);
  if (accounts == nullptr) return;
  const std::size_t home = Slots::home(key.hash, prefetch_count_.load(std::memory_order_relaxed));
  __builtin_prefetch(accounts + home);  // a prefetch of a stale address has no effect
  __builtin_prefetch(accounts + home + 1);
}

std::optional<ports::Decision> AccountTable::acquire(const ClientIdHash& key, model::Instant now, model::Limits limits,
                                                     std::uint32_t cost) {
  if (Account* const known = find(key)) return known->acquire(now, limits, cost, budget_);

  Account account(key.client_id);
  const ports::Decision decision = account.acquire(now, limits, cost, budget_);
  if (account.is_idle(now, budget_)) {
    const bool counts = limits.per_minute != 0 || limits.per_day != 0;
    return !counts || can_open(now) ? std::optional(decision) : std::nullopt;
  }
  sweep(now);
  if (!grow() && !(evict_one(now) && grow())) {
    account.close(budget_);
    return std::nullopt;
  }
  slots_.insert(key, std::move(account));
  ++size_;
  return decision;
}

void AccountTable::correct(const ClientIdHash& key, model::Instant end, std::int64_t more) {
  if (Account* const known = find(key)) known->correct(end, more);
}

void AccountTable::sweep(model::Instant now) {
  for (int i = 0; i < kAccountsPerSweep && size_ != 0; ++i) {
    hand_ = next_occupied(hand_);
    if (slots_.accounts[hand_].is_idle(now, budget_)) close(hand_);
  }
}

/// Returns whether a charge by a new client would find a slot now. Checks the same accounts as acquire(), without
/// changes.
bool AccountTable::can_open(model::Instant now) {
  if (has_space()) return true;
  std::size_t hand = hand_;
  for (int i = 0; i < kAccountsPerSweep && size_ != 0; ++i) {
    hand = next_occupied(hand);
    if (slots_.accounts[hand].is_idle(now, budget_)) return true;
  }
  return find_eviction_candidate(hand, now).has_value();
}

/// Evicts an account to make a slot for a new client. Returns false if every account compared has used up a limit.
bool AccountTable::evict_one(model::Instant now) {
  const auto candidate = find_eviction_candidate(hand_, now);
  if (!candidate) return false;
  if (!slots_.accounts[*candidate].is_idle(now, budget_)) ++evicted_;
  close(*candidate);
  return true;
}

/// Returns the next occupied slot. The table must not be empty.
std::size_t AccountTable::next_occupied(std::size_t hand) const {
  do hand = hand + 1 < slots_.count ? hand + 1 : 0;
  while (slots_.tags[hand] == kFree);
  return hand;
}

/// Returns an idle account among the next kEvictionCandidates ones, else the one with the most left; nullopt if each
/// has used up a limit. Advances `hand` over the accounts that were compared.
std::optional<std::size_t> AccountTable::find_eviction_candidate(std::size_t& hand, model::Instant now) {
  std::optional<std::size_t> candidate;
  double most_left = 0;
  const std::size_t compared = std::min<std::size_t>(kEvictionCandidates, size_);
  for (std::size_t i = 0; i < compared; ++i) {
    hand = next_occupied(hand);
    Account& account = slots_.accounts[hand];
    if (account.is_idle(now, budget_)) return hand;
    if (account.share_left() <= most_left) continue;  // also skips accounts that have nothing left
    candidate = hand;
    most_left = account.share_left();
  }
  return candidate;
}

/// Returns whether one more account fits into the slots, or the budget has memory for more slots.
bool AccountTable::has_space() const {
  if (size_ >= max_accounts_) return false;
  if (!exceeds_max_load(size_ + 1, slots_.count)) return true;
  return budget_.has((slots_needed(size_ + 1) - slots_.count) * kBytesPerSlot);
}

/// Ensures a slot for one more account. Returns false if max_accounts_ is reached or there is no memory.
bool AccountTable::grow() {
  return has_space() && (!exceeds_max_load(size_ + 1, slots_.count) || resize(slots_needed(size_ + 1)));
}

Account* AccountTable::find(const ClientIdHash& key) const {
  if (size_ == 0) return nullptr;
  const Tag tag = tag_of(key.hash);
  for (std::size_t slot = Slots::home(key.hash, slots_.count); slots_.tags[slot] != kFree; slot = slots_.next(slot))
    if (slots_.tags[slot] == tag && slots_.accounts[slot].client_id() == key.client_id) return &slots_.accounts[slot];
  return nullptr;
}

/// Rehashes all accounts into `count` slots. Returns false if there is no memory; the table is then unchanged. The
/// budget does not count the old slots during the rehash: they belong to a single shard and are released right after.
bool AccountTable::resize(std::size_t count) {
  const std::size_t bytes = count * kBytesPerSlot;
  const std::size_t held = slots_.count * kBytesPerSlot;
  if (bytes > held && !budget_.reserve(bytes - held)) return false;
  Slots slots{count, std::unique_ptr<Tag[]>(new (std::nothrow) Tag[count]{}),
              std::unique_ptr<Account[]>(new (std::nothrow) Account[count])};
  if (!slots.tags || !slots.accounts) {
    if (bytes > held) budget_.release(bytes - held);
    return false;
  }
  if (bytes < held) budget_.release(held - bytes);
  for (std::size_t slot = 0; slot < slots_.count; ++slot)
    if (slots_.tags[slot] != kFree)
      slots.insert(ClientIdHash(slots_.accounts[slot].client_id()), std::move(slots_.accounts[slot]));
  slots_ = std::move(slots);
  prefetch_accounts_ = slots_.accounts.get();
  prefetch_count_ = slots_.count;
  hand_ = 0;
  return true;
}

/// Removes the account by backward-shift deletion (Knuth, The Art of Computer Programming, volume 3, 6.4, algorithm R),
/// so that no lookup ends at the gap.
void AccountTable::close(std::size_t slot) {
  slots_.accounts[slot].close(budget_);
  std::size_t gap = slot;
  for (std::size_t i = slots_.next(gap); slots_.tags[i] != kFree; i = slots_.next(i)) {
    const std::size_t home = Slots::home(hash_of(slots_.accounts[i].client_id()), slots_.count);
    if (slots_.distance(home, i) < slots_.distance(gap, i)) continue;  // its home slot is after the gap
    slots_.accounts[gap] = std::move(slots_.accounts[i]);
    slots_.tags[gap] = slots_.tags[i];
    gap = i;
  }
  slots_.tags[gap] = kFree;
  --size_;
  if (is_below_min_load(size_, slots_.count)) resize(slots_needed(size_));
}

}  // namespace kbase::memory
