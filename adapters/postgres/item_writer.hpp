// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/item_store.hpp"
#include "adapters/postgres/wire.hpp"
#include "adapters/records/batch_counts.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::postgres {

/// Implement ItemStore::get and ItemStore::category on one session, with or without a transaction.
Status visit_item(Session& session, std::string_view id, ports::ItemVisitor visitor);
Status visit_category(Session& session, std::string_view id, ports::CategoryVisitor visitor);

/// A batch as one transaction, which holds the writer's advisory lock from its begin: a reader that sees a revision
/// also sees all lower ones. Sums up the changes of the counts (of categories, days and the store) in memory and writes
/// them once, at commit.
class PostgresItemWriter final : public ports::ItemWriter {
 public:
  /// Implements ItemStore::begin on a session leased for the whole batch. `database` must outlive the writer.
  static Result<std::unique_ptr<ports::ItemWriter>> open(const ports::Call& call, PooledSession pooled,
                                                         Database& database);

  Status read(ports::Call& call, std::span<const std::string_view> ids, ports::ItemVisitor visitor) override;
  Status read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  Status put_category(ports::Call& call, const model::CategoryView& category) override;
  Result<bool> remove(ports::Call& call, std::string_view id) override;
  Result<bool> remove_category(ports::Call& call, std::string_view id) override;
  Status set_synonyms(ports::Call& call, std::span<const model::SynonymsView* const> synonyms) override;
  Result<model::Revision> commit(ports::Call& call) override;

 private:
  PostgresItemWriter(Transaction transaction, Database& database)
      : transaction_(std::move(transaction)), database_(database) {}

  Session& session() { return **transaction_; }
  const ports::Clock& clock() const { return database_.clock(); }
  Status load_state();
  Result<std::uint64_t> delete_items(std::span<const std::string_view> ids);
  Status insert_items(std::span<const model::ItemView* const> items);
  Status send_rows();
  Result<records::BatchCounts::Category*> load_counters(std::string_view category);
  Status insert_tombstone(TombstoneKind kind, std::string_view id);
  Status delete_tombstone(TombstoneKind kind, std::span<const std::string_view> ids);
  Status write_counts();
  Status write_category_counts();
  Status insert_proof();
  Status purge_tombstones();
  Status notify_waiters();
  Status resolve_commit(const Error& lost);

  std::optional<Transaction> transaction_;  // empty after commit
  Database& database_;
  // Identify this batch after a commit that got no reply.
  std::int64_t transaction_number_ = 0;
  std::string proof_;
  model::Revision committed_ = 0;
  model::Revision revision_ = 0;  // last assigned revision
  bool has_tombstones_ = false;
  records::BatchCounts counts_;
  CopyRows rows_;
};

}  // namespace kbase::postgres
