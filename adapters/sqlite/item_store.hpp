// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "adapters/sqlite/if_missing.hpp"
#include "adapters/sqlite/lease_file.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/random.hpp"

namespace kbase::sqlite {

class Database;

/// The item store in one SQLite file on a local disk (WAL needs shared memory: never a network file system), shared by
/// any number of processes of one machine. Beside it SQLite keeps `-wal` and `-shm`, and leases are in a file
/// `.leases`.
///
/// Contract suite: item_store_suite, run in tests/contract/sqlite_contract_test.cpp.
class SqliteItemStore final : public ports::ItemStore {
 public:
  struct Options {
    /// The file. Relative paths are the process's; missing folders are made with it.
    std::filesystem::path path = "data/content.db";
    IfMissing if_missing = IfMissing::Create;
    /// Whose file this is; a file of another instance is refused. Empty: anybody's.
    std::string instance = {};
    /// Connections that read at the same time; one more call waits for a free one, up to five seconds. At least the
    /// number of reactor threads and of background readers together, so that none ever waits.
    unsigned readers = 4;
    /// Memory for pages of the file, shared out among the readers and taken as it is used. More makes random reads
    /// cheaper: a page that only the system has cached costs some 4 µs.
    std::size_t readers_cache_bytes = std::size_t{48} << 20;
    /// The same for a batch, given back after it. What a batch changes beyond it is written to the log early, some
    /// pages more than once: a quarter of the file is enough.
    std::size_t writer_cache_bytes = std::size_t{64} << 20;
  };

  /// `clock` and `log` (may be null) outlive the store; `random` gives a new store its lineage and is not kept.
  /// NotFound: missing and not to be created. Unsupported: of a newer version, of another program or instance. Corrupt.
  static model::Result<std::unique_ptr<SqliteItemStore>> open(const Options& options, const ports::Clock& clock,
                                                              ports::Random& random, ports::EventLog* log);
  ~SqliteItemStore() override;

  /// Whether open() made the file, which an operator should hear of.
  bool created() const;

  Capabilities capabilities() const override {
    return {.persistent = true, .inline_reads = true, .waits = false, .leases = true};
  }
  model::StoreId store_id() const override { return store_id_; }
  model::Result<model::Revision> revision(ports::Call& call) override;
  model::Status get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) override;
  model::Status summaries(ports::Call& call, std::span<const std::string_view> ids,
                          ports::SummaryVisitor visitor) override;
  model::Status recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                       ports::SummaryVisitor visitor) override;
  model::Status category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  model::Status categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) override;
  model::Result<ports::StoreTotals> totals(ports::Call& call, model::Day today) override;
  model::Status category_views(ports::Call& call, model::Visitor<ports::CategoryViews> visitor) override;
  model::Result<model::Revision> changes(ports::Call& call, model::Revision after,
                                         ports::ChangeVisitor visitor) override;
  model::Result<std::unique_ptr<ports::ItemWriter>> begin(ports::Call& call) override;
  model::Result<bool> try_lease(ports::Call& call, std::string_view name, std::string_view owner,
                                std::chrono::milliseconds ttl) override {
    return leases_.try_lease(call, name, owner, ttl);
  }
  model::Status health(ports::Call& call) override;

 private:
  SqliteItemStore(std::unique_ptr<Database> database, const Options& options, const model::StoreId& store_id,
                  ports::EventLog* log);

  std::unique_ptr<Database> database_;
  LeaseFile leases_;
  model::StoreId store_id_;
  ports::EventLog* log_;
};

}  // namespace kbase::sqlite
