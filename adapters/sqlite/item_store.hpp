// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "adapters/sqlite/connection.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::sqlite {

class Database;

class Database;

/// Leases of a store, in a separate file next to it: an import holds the store's writer until it ends, and a lease
/// renewal must not wait for it. The first lease creates the file, because most stores have no leases. Time is the wall
/// clock of the machine, which all its processes share.
///
/// Thread-safety: any thread. Errors: see ItemStore.
class LeaseFile {
 public:
  /// Does not open the file. `clock` must outlive the object.
  LeaseFile(std::filesystem::path path, const ports::Clock& clock);
  ~LeaseFile();

  /// Implements ItemStore::try_lease.
  Result<bool> try_lease(const ports::Call& call, std::string_view name, std::string_view owner,
                         std::chrono::milliseconds ttl);

 private:
  Result<Database*> database();

  const std::filesystem::path path_;
  const ports::Clock& clock_;
  std::mutex mutex_;  // guards the opening of `database_`
  std::unique_ptr<Database> database_;
};

/// Item store in one SQLite file on a local disk. Never put it on a network file system: WAL needs shared memory. Any
/// number of processes on one machine can share it. SQLite creates the files `-wal` and `-shm` next to it; leases are
/// in the file `.leases`.
///
/// Contract suite: item_store_suite, run in tests/contract/sqlite_contract_test.cpp.
class SqliteItemStore final : public ports::ItemStore {
 public:
  struct Options {
    /// Path of the file. A relative path is resolved against the working directory of the process. open() creates
    /// missing folders together with the file.
    std::filesystem::path path = "data/content.db";
    IfMissing if_missing = IfMissing::Create;
    /// Instance that owns the file; open() refuses a file of another instance. Empty: no check.
    std::string instance = {};
    /// Number of concurrent readers. Further calls wait up to five seconds for a free one. To avoid waits, use at least
    /// the number of reactor threads plus background readers.
    unsigned readers = 4;
    /// Page cache in bytes, divided among the readers and allocated on use. A larger cache makes random reads cheaper:
    /// a page that only the operating system has cached costs about 4 µs.
    std::size_t readers_cache_bytes = std::size_t{48} << 20;
    /// Page cache of a batch in bytes, freed after the batch. Changes that do not fit are written to the log early,
    /// some pages more than once. A quarter of the file size is enough.
    std::size_t writer_cache_bytes = std::size_t{16} << 20;
  };

  /// `clock` and `log` (may be null) must outlive the store. `random` generates the store id of a new store and is not
  /// kept.
  /// NotFound: the file is missing and must not be created. Unsupported: newer version, or owned by another program or
  /// instance. Corrupt.
  static Result<std::unique_ptr<SqliteItemStore>> open(const Options& options, const ports::Clock& clock,
                                                       ports::Random& random, ports::EventLog* log);
  ~SqliteItemStore() override;

  /// Whether open() created the file, so that the caller can report it to the operator.
  bool created() const;

  Capabilities capabilities() const override {
    return {
        .persistent = true, .inline_reads = true, .waits = false, .leases = true, .describes = true, .synonyms = true};
  }
  model::StoreId store_id() const override { return store_id_; }
  Result<model::Revision> revision(ports::Call& call) override;
  Status get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) override;
  Status summaries(ports::Call& call, std::span<const std::string_view> ids, ports::SummaryVisitor visitor) override;
  Status recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                ports::SummaryVisitor visitor) override;
  Status category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  Status categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) override;
  Result<ports::StoreTotals> totals(ports::Call& call, model::Day today) override;
  Status category_views(ports::Call& call, Visitor<ports::CategoryViews> visitor) override;
  Result<model::Revision> changes(ports::Call& call, model::Revision after, ports::ChangeVisitor visitor) override;
  Status synonyms(ports::Call& call, ports::SynonymsVisitor visitor) override;
  Result<std::unique_ptr<ports::ItemWriter>> begin(ports::Call& call) override;
  Result<bool> try_lease(ports::Call& call, std::string_view name, std::string_view owner,
                         std::chrono::milliseconds ttl) override {
    return leases_.try_lease(call, name, owner, ttl);
  }
  Status health(ports::Call& call) override;

 private:
  SqliteItemStore(std::unique_ptr<Database> database, const Options& options, const model::StoreId& store_id,
                  ports::EventLog* log);

  std::unique_ptr<Database> database_;
  LeaseFile leases_;
  model::StoreId store_id_;
  ports::EventLog* log_;
};

/// Retention of tombstones. A commit deletes the tombstones that are older.
inline constexpr std::chrono::days kTombstoneRetention{30};

/// Kinds of tombstones, as stored in content.db.
enum class TombstoneKind : std::int64_t { Item = 0, Category = 1 };

/// Implements ItemStore::changes on a connection with an open transaction.
Result<model::Revision> emit_changes(Connection& snapshot, model::Instant now, model::Revision after,
                                     ports::ChangeVisitor visitor);

}  // namespace kbase::sqlite
