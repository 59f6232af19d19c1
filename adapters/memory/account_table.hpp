// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/memory/account.hpp"
#include "adapters/memory/budget.hpp"

namespace kbase::memory {

/// A subject with its hash, which is made once for all the tables that it passes.
struct SubjectKey {
  explicit SubjectKey(const model::Subject& subject);

  const model::Subject& subject;
  std::uint64_t hash;
};

/// The accounts of so many subjects and no more: an array of accounts without gaps, in pieces, and a hash table of
/// their numbers. With each newcomer two accounts are looked at, in turn, and go where nothing is counted for them, so
/// that the table is as large as the number of subjects that are active.
///
/// Ownership: the budget outlives the table. One thread at a time.
class AccountTable {
 public:
  AccountTable(std::size_t max_accounts, Budget& budget);

  /// Charges the subject's account, which is opened where something is to be counted. A full table closes an idle
  /// account for it, else the one with most left of some it looks at, never one that has used up a limit; nullopt: it
  /// found none, and nothing was charged.
  std::optional<ports::Taken> take(const SubjectKey& key, model::Instant now, model::Limits limits, std::uint32_t cost);

  /// Looks at the next two accounts, and closes those that are idle.
  void sweep(model::Instant now);

  std::size_t size() const { return size_; }

  /// How many accounts were closed although something was counted in them.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  using Number = std::uint32_t;
  static constexpr std::size_t kPiece = 256;  // accounts

  Account& at(Number number) { return pieces_[number / kPiece][number % kPiece]; }
  Number next();
  std::uint32_t* slot_of(const SubjectKey& key);
  bool make_room(model::Instant now);
  bool has_room();
  bool rehash(std::size_t slots);
  void insert(const SubjectKey& key, Number number);
  void close(Number number);
  void free_slot(std::size_t slot);

  const std::size_t max_accounts_;
  Budget& budget_;
  std::vector<std::unique_ptr<Account[]>> pieces_;
  std::vector<std::uint32_t> slots_;  // open addressing; a power of two; each 0 or an account's number and a tag
  std::size_t size_ = 0;
  Number hand_ = 0;  // the account that was looked at last
  std::uint64_t forgotten_ = 0;
};

}  // namespace kbase::memory
