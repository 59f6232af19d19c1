// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "adapters/base/pool.hpp"
#include "adapters/postgres/connector.hpp"
#include "adapters/postgres/options.hpp"
#include "adapters/postgres/schema.hpp"
#include "adapters/postgres/session.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/account_store.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/insight_store.hpp"

namespace kbase::postgres {

using PooledSession = Pool<Session>::Lease;
using Transaction = kbase::Transaction<Session>;

/// Pool of sessions with the error of a call that waited too long. A session that has lost its server is not reused.
class SessionPool {
 public:
  /// `clock` must outlive the pool.
  SessionPool(std::size_t capacity, Error busy, Pool<Session>::Opener opener, const ports::Clock& clock)
      : pool_(capacity, std::move(opener)), busy_(std::move(busy)), clock_(clock) {}

  /// Fails with `busy` if no session became free within five seconds or before the deadline, with Cancelled, or with an
  /// error of the opener.
  Result<PooledSession> acquire(const ports::Call& call) {
    return pool_.acquire(call, time_left(call, clock_),
                         [&] { return call.cancelled() ? check_call(call, clock_).error() : busy_; });
  }

 private:
  Pool<Session> pool_;
  const Error busy_;
  const ports::Clock& clock_;
};

/// Begins a read-only transaction for large reads whose reader can pause, for example at a slow index or a full pipe.
/// The server waits for the reader without a timeout.
Result<Transaction> begin_long_snapshot(PooledSession session);

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
  static Result<std::unique_ptr<Database>> open(const Options& options, const ports::Clock& clock,
                                                ports::Random& random);

  /// Whether open() created the store, so that the caller can report it to the operator.
  bool created() const { return created_; }
  /// Offset of the database server's clock to the clock of this machine at open(); positive if the server is ahead.
  std::chrono::milliseconds clock_ahead() const { return clock_ahead_; }
  const model::StoreId& store_id() const { return store_id_; }
  const schema::Names& names() const { return names_; }
  const ports::Clock& clock() const { return clock_; }

  /// Acquires a connection for one statement. Unavailable, Deadline, Cancelled.
  Result<PooledSession> read(const ports::Call& call);

  /// Begins a read transaction, for several statements on one state.
  Result<Transaction> snapshot(const ports::Call& call);

  /// Begins a read transaction for a visitor that can pause. See begin_long_snapshot().
  Result<Transaction> long_snapshot(const ports::Call& call);

  /// Begins a read-write transaction. Its statements acquire the locks that they need.
  Result<Transaction> write(const ports::Call& call);

  /// Creates a separate pool of up to `capacity` connections, for work that must not compete with other work for
  /// connections. A call that waits too long fails with `busy`.
  std::unique_ptr<SessionPool> make_pool(std::size_t capacity, Error busy);

  /// Opens a connection outside of any pool, for a long-lived user.
  Result<std::unique_ptr<Session>> connect(const ports::Call& call);

  /// Record that this process has seen the store at `commit`, or its views or keys at `revision`.
  void record_commit(const schema::Commit& commit);
  void record_views_revision(model::ViewsRevision revision) { raise(views_seen_, revision); }
  void record_keys_revision(std::uint64_t revision) { raise(keys_seen_, revision); }

 private:
  Database(const Options& options, Location location, const ports::Clock& clock, ports::Random& random);
  Status initialize(const Options& options, ports::Random& random);
  Result<bool> prepare_schema(Session& session, const Options& options, ports::Random& random);
  Status verify_store(Session& session);
  schema::Commit seen() const;
  static void raise(std::atomic<std::uint64_t>& seen, std::uint64_t revision);

  const schema::Names names_;
  const ports::Clock& clock_;
  Connector connector_;
  SessionPool pool_;
  model::StoreId store_id_{};
  mutable std::mutex mutex_;
  schema::Commit seen_;  // guarded by mutex_
  std::atomic<model::ViewsRevision> views_seen_{0};
  std::atomic<std::uint64_t> keys_seen_{0};
  bool created_ = false;
  std::chrono::milliseconds clock_ahead_{0};
};

class Database;

/// Server state other than the content, in the same schema: view counts, accounts, API keys and insights.
///
/// Thread-safety: any thread. Must outlive the references to its stores.
class StateDatabase {
 public:
  /// `clock` must outlive the database; `random` is not kept. Errors: see PostgresItemStore::open.
  static Result<std::unique_ptr<StateDatabase>> open(const Options& options, const ports::Clock& clock,
                                                     ports::Random& random);
  ~StateDatabase();

  ports::ActivityStore& activity() { return *activity_; }
  ports::ApiKeyStore& api_keys() { return *api_keys_; }
  ports::AccountStore& accounts() { return *accounts_; }
  ports::InsightStore& insights() { return *insights_; }

 private:
  explicit StateDatabase(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
  std::unique_ptr<ports::ActivityStore> activity_;
  std::unique_ptr<ports::ApiKeyStore> api_keys_;
  std::unique_ptr<ports::AccountStore> accounts_;
  std::unique_ptr<ports::InsightStore> insights_;
};

/// Stores of a state database. `database` must outlive them.
std::unique_ptr<ports::ActivityStore> make_activity_store(Database& database);
std::unique_ptr<ports::ApiKeyStore> make_api_key_store(Database& database);
std::unique_ptr<ports::AccountStore> make_account_store(Database& database);
std::unique_ptr<ports::InsightStore> make_insight_store(Database& database);

}  // namespace kbase::postgres
