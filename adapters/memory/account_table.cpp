// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/account_table.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace kbase::memory {
namespace {

constexpr std::size_t kFewestPlaces = 16;

constexpr int kSwept = 2;      // accounts checked per insertion; more than the one inserted, so that sweeping keeps up
constexpr int kCompared = 32;  // accounts compared for an eviction from a full table; takes about a microsecond

constexpr std::size_t kBytesOfAPlace = sizeof(Account) + 1;

/// Returns the number of slots for a load factor of 0.7.
std::size_t places_for(std::size_t accounts) {
  return std::max(kFewestPlaces, accounts * 10 / 7 + 1);
}

bool is_crowded(std::size_t accounts, std::size_t places) {
  return accounts * 8 > places * 7;
}

bool is_deserted(std::size_t accounts, std::size_t places) {
  return places > kFewestPlaces && accounts * 5 < places * 3;
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

ClientIdHash::ClientIdHash(const model::ClientId& named) : client_id(named), hash(hash_of(named)) {}

/// Maps the upper half of the hash to a slot without a division (Lemire: Fast random integer generation in an interval,
/// 2019).
std::size_t AccountTable::Places::home(std::uint64_t hash, std::size_t count) {
  return (hash >> 32U) * count >> 32U;
}

void AccountTable::Places::insert(const ClientIdHash& key, Account&& account) {
  std::size_t place = home(key.hash, count);
  while (tags[place] != kFree) place = after(place);
  tags[place] = tag_of(key.hash);
  accounts[place] = std::move(account);
}

AccountTable::AccountTable(std::size_t max_accounts, Budget& budget)
    : max_accounts_(std::max<std::size_t>(max_accounts, 1)), budget_(budget) {}

void AccountTable::read_ahead(const ClientIdHash& key) const {
  const Account* const accounts = accounts_ahead_.load(std::memory_order_relaxed);
  if (accounts == nullptr) return;
  const std::size_t home = Places::home(key.hash, count_ahead_.load(std::memory_order_relaxed));
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
    return !counts || would_open(now) ? std::optional(decision) : std::nullopt;
  }
  sweep(now);
  if (!grow() && !(make_room(now) && grow())) {
    account.close(budget_);
    return std::nullopt;
  }
  places_.insert(key, std::move(account));
  ++size_;
  return decision;
}

void AccountTable::correct(const ClientIdHash& key, model::Instant end, std::int64_t more) {
  if (Account* const known = find(key)) known->correct(end, more);
}

void AccountTable::sweep(model::Instant now) {
  for (int i = 0; i < kSwept && size_ != 0; ++i) {
    hand_ = after(hand_);
    if (places_.accounts[hand_].is_idle(now, budget_)) close(hand_);
  }
}

/// Returns whether a charge by a new client would find a slot now. Checks the same accounts as acquire(), without
/// changes.
bool AccountTable::would_open(model::Instant now) {
  if (has_room()) return true;
  std::size_t hand = hand_;
  for (int i = 0; i < kSwept && size_ != 0; ++i) {
    hand = after(hand);
    if (places_.accounts[hand].is_idle(now, budget_)) return true;
  }
  return cheapest_after(hand, now).has_value();
}

/// Evicts an account to make a slot for a new client. Returns false if every account compared has used up a limit.
bool AccountTable::make_room(model::Instant now) {
  const auto cheapest = cheapest_after(hand_, now);
  if (!cheapest) return false;
  if (!places_.accounts[*cheapest].is_idle(now, budget_)) ++forgotten_;
  close(*cheapest);
  return true;
}

/// Returns the next occupied slot. The table must not be empty.
std::size_t AccountTable::after(std::size_t hand) const {
  do hand = hand + 1 < places_.count ? hand + 1 : 0;
  while (places_.tags[hand] == kFree);
  return hand;
}

/// Returns an idle account among the next kCompared ones, else the one with the most left; nullopt if each has used up
/// a limit. Advances `hand` over the accounts that were compared.
std::optional<std::size_t> AccountTable::cheapest_after(std::size_t& hand, model::Instant now) {
  std::optional<std::size_t> cheapest;
  double most_left = 0;
  const std::size_t compared = std::min<std::size_t>(kCompared, size_);
  for (std::size_t i = 0; i < compared; ++i) {
    hand = after(hand);
    Account& account = places_.accounts[hand];
    if (account.is_idle(now, budget_)) return hand;
    if (account.left() <= most_left) continue;  // also skips accounts that have nothing left
    cheapest = hand;
    most_left = account.left();
  }
  return cheapest;
}

/// Returns whether one more account fits into the slots, or the budget has memory for more slots.
bool AccountTable::has_room() const {
  if (size_ >= max_accounts_) return false;
  if (!is_crowded(size_ + 1, places_.count)) return true;
  return budget_.has((places_for(size_ + 1) - places_.count) * kBytesOfAPlace);
}

/// Ensures a slot for one more account. Returns false if max_accounts_ is reached or there is no memory.
bool AccountTable::grow() {
  return has_room() && (!is_crowded(size_ + 1, places_.count) || resize(places_for(size_ + 1)));
}

Account* AccountTable::find(const ClientIdHash& key) const {
  if (size_ == 0) return nullptr;
  const Tag tag = tag_of(key.hash);
  for (std::size_t place = Places::home(key.hash, places_.count); places_.tags[place] != kFree;
       place = places_.after(place))
    if (places_.tags[place] == tag && places_.accounts[place].client_id() == key.client_id)
      return &places_.accounts[place];
  return nullptr;
}

/// Rehashes all accounts into `count` slots. Returns false if there is no memory; the table is then unchanged. The
/// budget does not count the old slots during the rehash: they belong to a single shard and are released right after.
bool AccountTable::resize(std::size_t count) {
  const std::size_t bytes = count * kBytesOfAPlace;
  const std::size_t held = places_.count * kBytesOfAPlace;
  if (bytes > held && !budget_.reserve(bytes - held)) return false;
  Places places{count, std::unique_ptr<Tag[]>(new (std::nothrow) Tag[count]{}),
                std::unique_ptr<Account[]>(new (std::nothrow) Account[count])};
  if (!places.tags || !places.accounts) {
    if (bytes > held) budget_.release(bytes - held);
    return false;
  }
  if (bytes < held) budget_.release(held - bytes);
  for (std::size_t place = 0; place < places_.count; ++place)
    if (places_.tags[place] != kFree)
      places.insert(ClientIdHash(places_.accounts[place].client_id()), std::move(places_.accounts[place]));
  places_ = std::move(places);
  accounts_ahead_ = places_.accounts.get();
  count_ahead_ = places_.count;
  hand_ = 0;
  return true;
}

/// Removes the account by backward-shift deletion (Knuth, The Art of Computer Programming, volume 3, 6.4, algorithm R),
/// so that no lookup ends at the gap.
void AccountTable::close(std::size_t place) {
  places_.accounts[place].close(budget_);
  std::size_t gap = place;
  for (std::size_t i = places_.after(gap); places_.tags[i] != kFree; i = places_.after(i)) {
    const std::size_t home = Places::home(hash_of(places_.accounts[i].client_id()), places_.count);
    if (places_.distance(home, i) < places_.distance(gap, i)) continue;  // its home slot is after the gap
    places_.accounts[gap] = std::move(places_.accounts[i]);
    places_.tags[gap] = places_.tags[i];
    gap = i;
  }
  places_.tags[gap] = kFree;
  --size_;
  if (is_deserted(size_, places_.count)) resize(places_for(size_));
}

}  // namespace kbase::memory
