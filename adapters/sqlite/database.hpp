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

/// What a file must be to be ours, and how an older one becomes the newest.
struct Schema {
  std::string_view noun;            ///< what messages call such a file: "content store"
  std::int32_t application_id = 0;  ///< in the file's header, so that no other program's file is taken for ours
  std::uint32_t page_bytes = 4096;
  std::span<const char* const>
      migrations;  ///< the n-th leads from version n to n + 1; their number is the newest version
  BusyText busy;
};

class Database;

/// A connection on loan from its pool. It serves the call it was taken for until it is given back.
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

/// An open transaction: one state of the file for reads, all or nothing for writes. Rolled back unless committed, when
/// its lease ends.
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

/// One SQLite file in WAL mode (sqlite.org/wal.html): any number of readers, each on the newest committed state, beside
/// one writer over all processes. Its connections are opened as they are needed and kept.
///
/// Thread-safety: any thread. It outlives every Lease and Transaction.
class Database {
 public:
  struct Options {
    std::filesystem::path path;
    IfMissing if_missing = IfMissing::Create;
    unsigned readers = 4;
    std::size_t readers_cache_bytes = 0;  ///< shared out among the readers
    std::size_t writer_cache_bytes = 0;
  };
  using Creator = model::FunctionRef<model::Status(Connection&)>;

  /// Opens the file, brings an older one up to date, or creates it; `found` then writes the first rows, in the same
  /// transaction. `clock` and what `schema` views outlive the database.
  /// Unsupported: the file is of a newer version, or not ours. NotFound: it is missing, or older, and may not be made.
  static model::Result<std::unique_ptr<Database>> open(const Options& options, const Schema& schema,
                                                       const ports::Clock& clock, Creator found);

  bool created() const { return created_; }
  const std::string& file() const { return file_; }
  const ports::Clock& clock() const { return clock_; }

  /// For one statement. Unavailable: every reader was busy for five seconds; Deadline, Cancelled.
  model::Result<Lease> read(const ports::Call& call);

  /// For several statements on one state.
  model::Result<Transaction> snapshot(const ports::Call& call);

  /// The busy error of the schema: another writer, here or in another process, held on for five seconds or until the
  /// call's deadline.
  model::Result<Transaction> write(const ports::Call& call);

 private:
  friend class Lease;

  struct Pool {
    std::vector<std::unique_ptr<Connection>> idle;
    unsigned opened = 0;
    unsigned most = 0;
    std::size_t cache_bytes = 0;  // of each connection
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
  Pool writer_;  // of one
};

}  // namespace kbase::sqlite
