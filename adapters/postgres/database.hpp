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

/// An open transaction. Reads see one state of the database; writes are atomic. The destructor returns the session,
/// which rolls back unless committed.
class Transaction {
 public:
  static model::Result<Transaction> begin(Lease lease, const char* sql);
  /// Begins a read-only transaction on one state.
  static model::Result<Transaction> snapshot(Lease lease);
  /// Begins a read-only transaction for large reads whose reader can pause, for example at a slow index or a full pipe.
  /// The server waits for the reader without a timeout.
  static model::Result<Transaction> long_snapshot(Lease lease);
  Session& operator*() const { return *lease_; }
  Session* operator->() const { return lease_.operator->(); }

  model::Status commit();

 private:
  explicit Transaction(Lease lease) : lease_(std::move(lease)) {}
  Lease lease_;
};

/// Schema of one store in a database, and the connections to it. Refuses a connection to another store, or to a store
/// that lacks the newest commit that this process has seen: a promoted replica can lack it, and indexes and responses
/// built from the lost commit would contradict later ones. If only the views or keys are older, or may be older because
/// a replica was promoted, it raises their revisions, so that no response contradicts another.
///
/// Thread-safety: any thread. Must outlive every Lease and Transaction.
class Database {
 public:
  /// Connects, and creates or migrates the schema. `clock` must outlive the database; `random` is not kept.
  /// Errors: see schema::settle. Unsupported: also if the store belongs to another instance. Unavailable: here the
  /// message names the servers. InvalidArgument: `url`, `schema`.
  static model::Result<std::unique_ptr<Database>> open(const Options& options, const ports::Clock& clock,
                                                       ports::Random& random);

  /// Whether open() created the store, so that the caller can report it to the operator.
  bool created() const { return created_; }
  /// Offset of the database server's clock to the clock of this machine at open(); positive if the server is ahead.
  std::chrono::milliseconds clock_ahead() const { return clock_ahead_; }
  const model::StoreId& store_id() const { return store_id_; }
  const schema::Names& names() const { return names_; }
  const ports::Clock& clock() const { return clock_; }

  /// Acquires a connection for one statement. Unavailable, Deadline, Cancelled.
  model::Result<Lease> read(const ports::Call& call);

  /// Begins a read transaction, for several statements on one state.
  model::Result<Transaction> snapshot(const ports::Call& call);

  /// Begins a read transaction for a visitor that can pause. See Transaction::long_snapshot.
  model::Result<Transaction> long_snapshot(const ports::Call& call);

  /// Begins a read-write transaction. Its statements acquire the locks that they need.
  model::Result<Transaction> write(const ports::Call& call);

  /// Creates a separate pool of up to `most` connections, for work that must not compete with other work for
  /// connections. A call that waits too long fails with `busy`.
  std::unique_ptr<Pool> pool(std::size_t most, model::Error busy);

  /// Opens a connection outside of any pool, for a long-lived user.
  model::Result<std::unique_ptr<Session>> connect(const ports::Call& call);

  /// Record that this process has seen the store at `commit`, or its views or keys at `revision`.
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
  schema::Commit seen_;  // guarded by mutex_
  std::atomic<model::ViewsRevision> views_seen_{0};
  std::atomic<std::uint64_t> keys_seen_{0};
  bool created_ = false;
  std::chrono::milliseconds clock_ahead_{0};
};

}  // namespace kbase::postgres
