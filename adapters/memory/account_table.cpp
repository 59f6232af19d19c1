// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/account_table.hpp"

#include <algorithm>
#include <cstring>

namespace kbase::memory {
namespace {

// A slot has eight bits of the hash, so that next to no other subject's account is looked at, and above them the
// account's number plus one; 0 is a free slot.
constexpr std::uint32_t kTagBits = 8;
constexpr std::uint32_t kTagMask = (1U << kTagBits) - 1;
constexpr std::size_t kMostAccounts = (1U << (32 - kTagBits)) - 1;
constexpr std::uint32_t kFree = 0;
constexpr std::size_t kFewestSlots = 16;

constexpr int kSwept = 2;      // more than the one account that a newcomer opens, so that sweeping keeps up
constexpr int kCompared = 32;  // accounts of a full table, in about a microsecond

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32U) & kTagMask;  // the slot is chosen by the low bits
}

std::uint32_t slot_with(std::uint32_t number, std::uint64_t hash) {
  return (number + 1) << kTagBits | tag_of(hash);
}

std::uint32_t number_in(std::uint32_t slot) {
  return (slot >> kTagBits) - 1;
}

/// Subjects are hashes, but nobody need rely on all their bits being so: the finalizer of SplitMix64 (Steele, Lea,
/// Flood: Fast splittable pseudorandom number generators, 2014) spreads both halves over all bits.
std::uint64_t hash_of(const model::Subject& subject) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&low, subject.data(), sizeof low);
  std::memcpy(&high, subject.data() + sizeof low, sizeof high);
  std::uint64_t hash = low + high * 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

}  // namespace

SubjectKey::SubjectKey(const model::Subject& named) : subject(named), hash(hash_of(named)) {}

AccountTable::AccountTable(std::size_t max_accounts, Budget& budget)
    : max_accounts_(std::clamp<std::size_t>(max_accounts, 1, kMostAccounts)), budget_(budget) {}

std::optional<ports::Taken> AccountTable::take(const SubjectKey& key, model::Instant now, model::Limits limits,
                                               std::uint32_t cost) {
  if (const std::uint32_t* const slot = slot_of(key)) return at(number_in(*slot)).take(now, limits, cost, budget_);

  Account account(key.subject);
  const ports::Taken taken = account.take(now, limits, cost, budget_);
  if (account.is_idle(now, budget_)) return taken;
  sweep(now);
  if (!has_room() && !(make_room(now) && has_room())) return std::nullopt;
  at(static_cast<Number>(size_)) = std::move(account);
  insert(key, static_cast<Number>(size_++));
  return taken;
}

void AccountTable::sweep(model::Instant now) {
  for (int i = 0; i < kSwept && size_ != 0; ++i)
    if (const Number number = next(); at(number).is_idle(now, budget_)) close(number);
}

/// Closes an account for a newcomer's. False: each that was looked at has used up a limit.
bool AccountTable::make_room(model::Instant now) {
  std::optional<Number> cheapest;
  double most_left = 0;
  const std::size_t compared = std::min<std::size_t>(kCompared, size_);
  for (std::size_t i = 0; i < compared; ++i) {
    const Number number = next();
    if (at(number).is_idle(now, budget_)) {
      close(number);
      return true;
    }
    if (at(number).left() <= most_left) continue;  // also who has nothing left
    cheapest = number;
    most_left = at(number).left();
  }
  if (!cheapest) return false;
  close(*cheapest);
  ++forgotten_;
  return true;
}

AccountTable::Number AccountTable::next() {
  hand_ = hand_ + 1 < size_ ? hand_ + 1 : 0;
  return hand_;
}

/// Whether one more account has a place, for which memory is taken where there is none.
bool AccountTable::has_room() {
  if (size_ >= max_accounts_) return false;
  if ((size_ + 1) * 4 > slots_.size() * 3 && !rehash(std::max(kFewestSlots, slots_.size() * 2))) return false;
  if (size_ < pieces_.size() * kPiece) return true;
  if (!budget_.reserve(kPiece * sizeof(Account))) return false;
  pieces_.push_back(std::make_unique<Account[]>(kPiece));
  return true;
}

bool AccountTable::rehash(std::size_t slots) {
  if (!budget_.reserve((slots - slots_.size()) * sizeof(std::uint32_t))) return false;
  slots_.assign(slots, kFree);
  for (Number number = 0; number < size_; ++number) insert(SubjectKey(at(number).subject()), number);
  return true;
}

/// The slot of the subject's account; null: it has none.
std::uint32_t* AccountTable::slot_of(const SubjectKey& key) {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = key.hash & mask; slots_[i] != kFree; i = (i + 1) & mask) {
    if ((slots_[i] & kTagMask) != tag_of(key.hash)) continue;
    if (at(number_in(slots_[i])).subject() == key.subject) return &slots_[i];
  }
  return nullptr;
}

void AccountTable::insert(const SubjectKey& key, Number number) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = key.hash & mask;
  while (slots_[i] != kFree) i = (i + 1) & mask;
  slots_[i] = slot_with(number, key.hash);
}

/// The last account takes the place of the one that is closed.
void AccountTable::close(Number number) {
  Account& closed = at(number);
  closed.close(budget_);
  free_slot(static_cast<std::size_t>(slot_of(SubjectKey(closed.subject())) - slots_.data()));
  const auto last = static_cast<Number>(--size_);
  if (number != last) {
    const SubjectKey key(at(last).subject());
    *slot_of(key) = slot_with(number, key.hash);
    closed = std::move(at(last));
  }
  if (size_ + 2 * kPiece <= pieces_.size() * kPiece) {
    pieces_.pop_back();
    budget_.release(kPiece * sizeof(Account));
  }
}

/// Moves those behind the slot nearer to where they are looked for first (Knuth, The Art of Computer Programming,
/// volume 3, 6.4, algorithm R), so that no search ends at the gap.
void AccountTable::free_slot(std::size_t slot) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = (slot + 1) & mask; slots_[i] != kFree; i = (i + 1) & mask) {
    const std::size_t home = hash_of(at(number_in(slots_[i])).subject()) & mask;
    if (((i - home) & mask) < ((i - slot) & mask)) continue;  // its home lies behind the gap
    slots_[slot] = slots_[i];
    slot = i;
  }
  slots_[slot] = kFree;
}

}  // namespace kbase::memory
