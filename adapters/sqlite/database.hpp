// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::sqlite {

/// Identification and migrations of one kind of database file.
struct Schema {
  std::string_view noun;            ///< name of the file in messages: "content store"
  std::int32_t application_id = 0;  ///< SQLite's application_id in the file header
  std::uint32_t page_bytes = 4096;
  std::span<const char* const>
      migrations;  ///< the n-th migrates version n to n + 1; their number is the newest version
  BusyText busy;
};

class Database;

/// A connection acquired from a pool; the destructor returns it. It works for the call that acquired it.
class Lease {
 public:
  Lease(Database& database, bool writes, std::unique_ptr<Connection> connection)
      : database_(&database), writes_(writes), connection_(std::move(connection)) {}
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  Database* database_;
  bool writes_;
  std::unique_ptr<Connection> connection_;
};

/// An open transaction. Reads see one state of the file; writes are atomic. The destructor returns the connection,
/// which rolls back unless committed.
class Transaction {
 public:
  static model::Result<Transaction> begin(Lease lease, const char* sql);
  Connection& operator*() const { return *lease_; }
  Connection* operator->() const { return lease_.operator->(); }

  model::Status commit();

 private:
  explicit Transaction(Lease lease) : lease_(std::move(lease)) {}
  Lease lease_;
};

/// One SQLite file in WAL mode (sqlite.org/wal.html): any number of concurrent readers, each on the newest committed
/// state, and one writer across all processes. Opens connections on demand and keeps them open.
///
/// Thread-safety: any thread. Must outlive every Lease and Transaction.
class Database {
 public:
  struct Options {
    std::filesystem::path path;
    IfMissing if_missing = IfMissing::Create;
    unsigned readers = 4;
    std::size_t readers_cache_bytes = 0;  ///< total; divided among the readers
    std::size_t writer_cache_bytes = 0;
  };
  using Creator = model::FunctionRef<model::Status(Connection&)>;

  /// Opens the file. Creates a missing file and migrates an older one if `options.if_missing` is Create. For a new
  /// file, `found` writes the first rows in the transaction that creates the tables. `clock` and the data that `schema`
  /// views must outlive the database.
  /// Unsupported: the file has a newer version or belongs to another program. NotFound: the file is missing or older,
  /// and `if_missing` is Fail.
  static model::Result<std::unique_ptr<Database>> open(const Options& options, const Schema& schema,
                                                       const ports::Clock& clock, Creator found);

  bool created() const { return created_; }
  const std::string& file() const { return file_; }
  const ports::Clock& clock() const { return clock_; }

  /// Acquires a reader for one statement. Unavailable: all readers were busy for five seconds. Deadline, Cancelled: the
  /// call ended first.
  model::Result<Lease> read(const ports::Call& call);

  /// Begins a read transaction, for several statements on one state. Errors: see read().
  model::Result<Transaction> snapshot(const ports::Call& call);

  /// Begins a write transaction. Fails with the busy error of the schema if another writer, in this or another process,
  /// held the lock for five seconds or until the deadline of the call.
  model::Result<Transaction> write(const ports::Call& call);

 private:
  friend class Lease;

  struct Pool {
    std::vector<std::unique_ptr<Connection>> idle;
    unsigned opened = 0;
    unsigned most = 0;
    std::size_t cache_bytes = 0;  // page cache of each connection
  };

  Database(const Options& options, const Schema& schema, const ports::Clock& clock);
  model::Status settle(Connection& connection, IfMissing if_missing, Creator found);
  model::Status migrate(Connection& connection, std::int64_t version, Creator found);
  model::Result<std::int64_t> version_of(Connection& connection) const;
  std::int64_t newest_version() const { return static_cast<std::int64_t>(schema_.migrations.size()); }
  model::Result<std::unique_ptr<Connection>> connect(std::size_t cache_bytes, IfMissing if_missing);
  model::Result<Lease> take(bool writes, const ports::Call& call);
  void give_back(bool writes, std::unique_ptr<Connection> connection);
  std::chrono::milliseconds timeout_of(const ports::Call& call) const;
  model::Error all_busy(bool writes, const ports::Call& call) const;

  const Schema schema_;
  const std::string file_;
  const ports::Clock& clock_;
  bool created_ = false;
  std::mutex mutex_;
  std::condition_variable returned_;
  Pool readers_;
  Pool writer_;  // one connection
};

}  // namespace kbase::sqlite
