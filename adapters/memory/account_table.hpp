// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "adapters/memory/account.hpp"
#include "adapters/memory/budget.hpp"

namespace kbase::memory {

/// A subject with its hash, which is made once for all the tables that it passes.
struct ClientIdHash {
  explicit ClientIdHash(const model::ClientId& client_id);

  const model::ClientId& client_id;
  std::uint64_t hash;
};

/// The accounts of so many subjects and no more: a hash table with open addressing and linear probing, in which the
/// accounts themselves lie, each with a byte of its hash in an array so small that the processor keeps it near. So a
/// take waits for memory once. With each newcomer two accounts are looked at, in turn, and go where nothing is counted
/// for them, so that the table is as large as the number of subjects that are active: seven of ten places are taken
/// after it grew or shrank.
///
/// Ownership: the budget outlives the table. One thread at a time, except for read_ahead.
class AccountTable {
 public:
  AccountTable(std::size_t max_accounts, Budget& budget);

  /// Asks memory for where the subject's account probably lies. Any thread, so that who waits for its turn waits for
  /// memory at the same time.
  void read_ahead(const ClientIdHash& key) const;

  /// Charges the subject's account, which is opened where something is to be counted. A full table closes an idle
  /// account for it, else the one with most left of some it looks at, never one that has used up a limit; nullopt: it
  /// found none, and nothing was charged. A cost of 0 opens and closes nothing, and has the answer that another finds.
  std::optional<ports::Decision> acquire(const ClientIdHash& key, model::Instant now, model::Limits limits,
                                         std::uint32_t cost);

  /// As Account::correct; nothing where the subject has no account.
  void correct(const ClientIdHash& key, model::Instant end, std::int64_t more);

  /// Looks at the next two accounts, and closes those that are idle.
  void sweep(model::Instant now);

  std::size_t size() const { return size_; }

  /// How many accounts were closed although something was counted in them.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  using Tag = std::uint8_t;
  static constexpr Tag kFree = 0;

  struct Places {
    std::size_t count = 0;
    std::unique_ptr<Tag[]> tags;  // kFree, or some bits of the hash of the account that lies there
    std::unique_ptr<Account[]> accounts;

    static std::size_t home(std::uint64_t hash, std::size_t count);
    std::size_t after(std::size_t place) const { return place + 1 == count ? 0 : place + 1; }
    std::size_t distance(std::size_t from, std::size_t to) const { return to >= from ? to - from : to + count - from; }
    void insert(const ClientIdHash& key, Account&& account);
  };

  Account* find(const ClientIdHash& key) const;
  bool would_open(model::Instant now);
  bool make_room(model::Instant now);
  std::size_t after(std::size_t hand) const;
  std::optional<std::size_t> cheapest_after(std::size_t& hand, model::Instant now);
  bool has_room() const;
  bool grow();
  bool resize(std::size_t count);
  void close(std::size_t place);

  const std::size_t max_accounts_;
  Budget& budget_;
  Places places_;
  std::atomic<const Account*> accounts_ahead_{nullptr};  // of places_, for who does not have its turn yet
  std::atomic<std::size_t> count_ahead_{0};
  std::size_t size_ = 0;
  std::size_t hand_ = 0;  // the place that was looked at last
  std::uint64_t forgotten_ = 0;
};

}  // namespace kbase::memory
