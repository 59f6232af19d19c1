// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/base/pool.hpp"
#include "adapters/records/rows.hpp"
#include "adapters/sqlite/connection.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::sqlite {

/// Identification and migrations of one kind of database file.
struct Schema {
  std::string_view noun;            ///< name of the file in messages: "content store"
  std::int32_t application_id = 0;  ///< SQLite's application_id in the file header
  std::uint32_t page_bytes = 4096;
  std::string_view sql;  ///< its migrations, see split_migrations(); the n-th migrates version n to n + 1
  BusyError busy;
  bool erases = false;  ///< see Connection::Options
};

using PooledConnection = Pool<Connection>::Lease;
using Transaction = kbase::Transaction<Connection>;

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
  using Creator = FunctionRef<Status(Connection&)>;

  /// Opens the file. Creates a missing file and migrates an older one if `options.if_missing` is Create. For a new
  /// file, `create_rows` writes the first rows in the transaction that creates the tables. `clock` and the data that
  /// `schema` views must outlive the database. Unsupported: the file has a newer version or belongs to another program.
  /// NotFound: the file is missing or older, and `if_missing` is Fail.
  static Result<std::unique_ptr<Database>> open(const Options& options, const Schema& schema, const ports::Clock& clock,
                                                Creator create_rows);

  bool created() const { return created_; }
  const std::string& file() const { return file_; }
  const ports::Clock& clock() const { return clock_; }

  /// Acquires a reader for one statement. Unavailable: all readers were busy for five seconds. Deadline, Cancelled: the
  /// call ended first.
  Result<PooledConnection> read(const ports::Call& call);

  /// Begins a read transaction, for several statements on one state. Errors: see read().
  Result<Transaction> snapshot(const ports::Call& call);

  /// Begins a write transaction. Fails with the busy error of the schema if another writer, in this or another process,
  /// held the lock for five seconds or until the deadline of the call.
  Result<Transaction> write(const ports::Call& call);

 private:
  Database(const Options& options, const Schema& schema, const ports::Clock& clock);
  Status prepare_schema(Connection& connection, IfMissing if_missing, Creator create_rows);
  Status migrate(Connection& connection, std::int64_t version, Creator create_rows);
  Result<std::int64_t> read_version(Connection& connection) const;
  std::int64_t newest_version() const { return static_cast<std::int64_t>(migrations_.size()); }
  Result<std::unique_ptr<Connection>> connect(std::size_t cache_bytes, IfMissing if_missing);
  Result<PooledConnection> acquire(bool for_write, const ports::Call& call);
  std::chrono::milliseconds lock_timeout(const ports::Call& call) const;
  Error busy_error(bool for_write, const ports::Call& call) const;

  const Schema schema_;
  const std::vector<std::string> migrations_;
  const std::string file_;
  const ports::Clock& clock_;
  bool created_ = false;
  const std::size_t reader_cache_bytes_;  // of one connection
  Pool<Connection> readers_;
  Pool<Connection> writer_;  // one connection
};

/// Records `instance` as the owner of the file if it has none, else compares. An empty `instance` does nothing.
/// Unsupported: another instance owns the file. `noun` is the name of the file in messages.
Status claim_instance(Database& database, std::string_view instance, std::string_view noun);

using SummaryRow = records::SummaryRow<Statement>;
using ItemRow = records::ItemRow<Statement>;
using CategoryRow = records::CategoryRow<Statement>;
using SynonymsRow = records::SynonymsRow<Statement>;

/// Passes each row of the statement to the visitor until it returns Stop. `read` converts the current row to a pointer
/// to a Row or to an optional<Row>, null if the row is damaged. The row is valid during the visit.
template <class Row, class Read> Status visit_rows(Statement& rows, Read&& read, Visitor<Row> visitor) {
  for (;;) {
    const Result<bool> found = rows.step();
    if (!found) return found.error();
    if (!*found) return {};
    const auto row = read(rows);
    if (!row) return rows.corrupt("a row is damaged");
    if (visitor(*row) == Visit::Stop) return {};
  }
}

/// Returns the row of a statement that returns at most one. nullopt: there is no row. `read`: see visit_rows().
template <class Row, class Read> Result<std::optional<Row>> read_one(Statement rows, Read&& read) {
  std::optional<Row> row;
  const Status visited = visit_rows<Row>(rows, read, [&row](const Row& found) {
    row = found;
    return Visit::Continue;
  });
  if (!visited) return visited.error();
  return row;
}

/// Looks up each id with a statement that returns at most one row, and passes the rows found to the visitor until it
/// returns Stop.
template <class Row, class Read>
Status visit_rows_by_id(Connection& connection, const char* sql, std::span<const std::string_view> ids, Read&& read,
                        Visitor<Row> visitor) {
  for (const std::string_view id : ids) {
    Statement rows = connection.prepare(sql).bind(id);
    const Result<bool> found = rows.step();
    if (!found) return found.error();
    if (!*found) continue;
    const auto row = read(rows);
    if (!row) return rows.corrupt("a row is damaged");
    if (visitor(*row) == Visit::Stop) return {};
  }
  return {};
}

}  // namespace kbase::sqlite
