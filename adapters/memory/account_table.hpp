// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "adapters/memory/account.hpp"

namespace kbase::memory {

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

}  // namespace kbase::memory
