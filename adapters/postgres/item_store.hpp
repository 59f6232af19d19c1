// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <semaphore>

#include "adapters/postgres/options.hpp"
#include "adapters/postgres/schema.hpp"
#include "adapters/postgres/session.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::postgres {

class ChangeListener;
class Database;
class SessionPool;

/// Item store in a schema of a PostgreSQL database, shared by any number of servers on any number of machines. An
/// advisory lock serializes the writers that assign revisions, so the changes feed is always complete and ordered.
///
/// Contract suite: item_store_suite, run in tests/contract/postgres_contract_test.cpp.
class PostgresItemStore final : public ports::ItemStore {
 public:
  /// `clock` must outlive the store. `random` generates the store id of a new store and is not kept.
  /// InvalidArgument: `url`, `schema`. Unsupported: see schema::prepare_schema. Unavailable.
  static Result<std::unique_ptr<PostgresItemStore>> open(const Options& options, const ports::Clock& clock,
                                                         ports::Random& random);
  ~PostgresItemStore() override;

  /// Whether open() created the store, so that the caller can report it to the operator.
  bool created() const;

  /// Offset of the database server's clock to the clock of this machine at open(); positive if the server is ahead.
  std::chrono::milliseconds clock_ahead() const;

  Capabilities capabilities() const override {
    return {
        .persistent = true, .inline_reads = false, .waits = true, .leases = true, .describes = true, .synonyms = true};
  }
  model::StoreId store_id() const override;
  Result<model::Revision> revision(ports::Call& call) override;
  Status wait(ports::Call& call, model::Revision after) override;
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
                         std::chrono::milliseconds ttl) override;
  Status health(ports::Call& call) override;

 private:
  explicit PostgresItemStore(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
  // Separate pools: a batch or a reader of all changes must not use up the connections of other readers, and those must
  // not use up the connection of a lease that must be renewed in time.
  std::unique_ptr<SessionPool> writers_, feeds_, leases_;
  std::unique_ptr<ChangeListener> listener_;
};

/// Values of the column `kind` of the table tombstones.
enum class TombstoneKind : std::int16_t { Item = 0, Category = 1 };

inline constexpr std::chrono::days kTombstoneRetention{30};

/// Implements ItemStore::changes in a transaction that reads one state. Returns the newest commit of that state.
Result<schema::Commit> emit_changes(Session& snapshot, model::Instant now, model::Revision after,
                                    ports::ChangeVisitor visitor);

class Database;

/// Waits for commits on its own connection, opened by the first wait and reopened after a failure. A notification
/// (NOTIFY) wakes it. It also polls once a second, because a lost connection can lose a notification.
///
/// Thread-safety: any thread; concurrent calls run one after another.
class ChangeListener {
 public:
  /// `database` must outlive the listener.
  explicit ChangeListener(Database& database) : database_(database) {}

  /// Implements ItemStore::wait.
  Status wait(const ports::Call& call, model::Revision after);

 private:
  Status listen(const ports::Call& call);
  Status wait_for_commit(const ports::Call& call, model::Revision after);

  Database& database_;
  // Not a timed mutex: the thread sanitizer of GCC 12 does not intercept its lock function (pthread_mutex_clocklock).
  std::binary_semaphore semaphore_{1};
  std::unique_ptr<Session> session_;
};

}  // namespace kbase::postgres
