// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/postgres/connector.hpp"
#include "adapters/postgres/options.hpp"
#include "adapters/postgres/schema.hpp"
#include "adapters/postgres/session.hpp"

namespace kbase::postgres {

class Pool;

/// A session acquired from a pool. It works for the call that acquired it. The destructor rolls back an open
/// transaction and returns the session.
class PooledSession {
 public:
  PooledSession(Pool& make_pool, std::unique_ptr<Session> session) : pool_(&make_pool), session_(std::move(session)) {}
  PooledSession(PooledSession&&) noexcept = default;
  PooledSession& operator=(PooledSession&&) = delete;
  ~PooledSession();

  Session& operator*() const { return *session_; }
  Session* operator->() const { return session_.get(); }

 private:
  Pool* pool_;
  std::unique_ptr<Session> session_;
};

/// Pool of sessions, opened on demand and kept open. A session that has lost its server is not reused. Thread-safe.
/// Must outlive its leases.
class Pool {
 public:
  using Opener = std::function<model::Result<std::unique_ptr<Session>>(const ports::Call&)>;

  /// `busy` is the error of a call that waited too long. `clock` must outlive the pool.
  Pool(std::size_t capacity, model::Error busy, Opener opener, const ports::Clock& clock)
      : capacity_(capacity), busy_(std::move(busy)), opener_(std::move(opener)), clock_(clock) {}

  /// Acquires a session, opening one with the maker if none is idle. Fails with `busy` if no session became free within
  /// five seconds or before the deadline, with Cancelled, or with an error of the maker.
  model::Result<PooledSession> acquire(const ports::Call& call);

 private:
  friend class PooledSession;

  model::Status wait_for_session(std::unique_lock<std::mutex>& lock, const ports::Call& call);
  void release(std::unique_ptr<Session> session);

  const std::size_t capacity_;
  const model::Error busy_;
  const Opener opener_;
  const ports::Clock& clock_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Session>> idle_;
  std::size_t open_count_ = 0;
};

/// An open transaction. Reads see one state of the database; writes are atomic. The destructor returns the session,
/// which rolls back unless committed.
class Transaction {
 public:
  static model::Result<Transaction> begin(PooledSession pooled, const char* sql);
  /// Begins a read-only transaction on one state.
  static model::Result<Transaction> snapshot(PooledSession pooled);
  /// Begins a read-only transaction for large reads whose reader can pause, for example at a slow index or a full pipe.
  /// The server waits for the reader without a timeout.
  static model::Result<Transaction> long_snapshot(PooledSession pooled);
  Session& operator*() const { return *session_; }
  Session* operator->() const { return session_.operator->(); }

  model::Status commit();

 private:
  explicit Transaction(PooledSession pooled) : session_(std::move(pooled)) {}
  PooledSession session_;
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
  /// Errors: see schema::prepare_schema. Unsupported: also if the store belongs to another instance. Unavailable: here
  /// the message names the servers. InvalidArgument: `url`, `schema`.
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
  model::Result<PooledSession> read(const ports::Call& call);

  /// Begins a read transaction, for several statements on one state.
  model::Result<Transaction> snapshot(const ports::Call& call);

  /// Begins a read transaction for a visitor that can pause. See Transaction::long_snapshot.
  model::Result<Transaction> long_snapshot(const ports::Call& call);

  /// Begins a read-write transaction. Its statements acquire the locks that they need.
  model::Result<Transaction> write(const ports::Call& call);

  /// Creates a separate pool of up to `capacity` connections, for work that must not compete with other work for
  /// connections. A call that waits too long fails with `busy`.
  std::unique_ptr<Pool> make_pool(std::size_t capacity, model::Error busy);

  /// Opens a connection outside of any pool, for a long-lived user.
  model::Result<std::unique_ptr<Session>> connect(const ports::Call& call);

  /// Record that this process has seen the store at `commit`, or its views or keys at `revision`.
  void record_commit(const schema::Commit& commit);
  void record_views_revision(model::ViewsRevision revision) { raise(views_seen_, revision); }
  void record_keys_revision(std::uint64_t revision) { raise(keys_seen_, revision); }

 private:
  Database(const Options& options, Location location, const ports::Clock& clock, ports::Random& random);
  model::Status initialize(const Options& options, ports::Random& random);
  model::Result<bool> prepare_schema(Session& session, const Options& options, ports::Random& random);
  model::Status verify_store(Session& session);
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
