// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "adapters/postgres/connector.hpp"
#include "adapters/postgres/options.hpp"
#include "adapters/postgres/pool.hpp"
#include "adapters/postgres/schema.hpp"

namespace kbase::postgres {

/// An open transaction: one state of the database for reads, all or nothing for writes. Rolled back unless committed,
/// when its lease ends.
class Transaction {
 public:
  static model::Result<Transaction> begin(Lease lease, const char* sql);
  /// For reads.
  static model::Result<Transaction> snapshot(Lease lease);
  /// For reads of so much that the server may have to wait for the reader, for as long as that pauses: at a slow index,
  /// or a pipe that nobody empties.
  static model::Result<Transaction> long_snapshot(Lease lease);
  Session& operator*() const { return *lease_; }
  Session* operator->() const { return lease_.operator->(); }

  model::Status commit();

 private:
  explicit Transaction(Lease lease) : lease_(std::move(lease)) {}
  Lease lease_;
};

/// One store's schema in a database, and the connections to it. A connection that leads to a store without the newest
/// commit that this process has seen, or to another store, is refused: a replica was promoted that lacked it, and what
/// was made of it (indexes, answers) would contradict what comes next. Where views or keys alone are older, or may be
/// since a replica was promoted, their revisions are raised, and no answer contradicts another.
///
/// Thread-safety: any thread. It outlives every Lease and Transaction.
class Database {
 public:
  /// Connects, and makes the schema or brings it up to date. `clock` outlives the database, `random` is not kept.
  /// Errors: as schema::settle, also of another instance; Unavailable, whose message here names the servers;
  /// InvalidArgument (`url`, `schema`).
  static model::Result<std::unique_ptr<Database>> open(const Options& options, const ports::Clock& clock,
                                                       ports::Random& random);

  /// Whether open() made the store, which an operator should hear of.
  bool created() const { return created_; }
  /// How far the server's clock was ahead of this machine's when it was opened.
  std::chrono::milliseconds clock_ahead() const { return clock_ahead_; }
  const model::StoreId& store_id() const { return store_id_; }
  const schema::Names& names() const { return names_; }
  const ports::Clock& clock() const { return clock_; }

  /// For one statement. Unavailable, Deadline, Cancelled.
  model::Result<Lease> read(const ports::Call& call);

  /// For several statements on one state.
  model::Result<Transaction> snapshot(const ports::Call& call);

  /// The same for a visitor that may pause. See Transaction::long_snapshot.
  model::Result<Transaction> long_snapshot(const ports::Call& call);

  /// For statements that take the locks they need.
  model::Result<Transaction> write(const ports::Call& call);

  /// Up to `most` more connections, for work that must not wait for others, nor they for it.
  std::unique_ptr<Pool> pool(std::size_t most, model::Error busy);

  /// A connection of its own, for whoever keeps it long.
  model::Result<std::unique_ptr<Session>> connect(const ports::Call& call);

  /// This process has seen the store at `commit`, its views or its keys at `revision`.
  void note(const schema::Commit& commit);
  void note_views(model::ViewsRevision revision) { raise(views_seen_, revision); }
  void note_keys(std::uint64_t revision) { raise(keys_seen_, revision); }

 private:
  Database(const Options& options, Location location, const ports::Clock& clock, ports::Random& random);
  model::Status settle(const Options& options, ports::Random& random);
  model::Result<bool> settle_schema(Session& session, const Options& options, ports::Random& random);
  model::Status admit(Session& session);
  schema::Commit seen() const;
  static void raise(std::atomic<std::uint64_t>& seen, std::uint64_t revision);

  const schema::Names names_;
  const ports::Clock& clock_;
  Connector connector_;
  Pool pool_;
  model::StoreId store_id_{};
  mutable std::mutex mutex_;
  schema::Commit seen_;  // under mutex_
  std::atomic<model::ViewsRevision> views_seen_{0};
  std::atomic<std::uint64_t> keys_seen_{0};
  bool created_ = false;
  std::chrono::milliseconds clock_ahead_{0};
};

}  // namespace kbase::postgres
