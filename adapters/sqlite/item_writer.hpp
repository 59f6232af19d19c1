// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/records/batch_counts.hpp"
#include "adapters/sqlite/database.hpp"
#include "adapters/sqlite/item_store.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::sqlite {

/// Implement ItemStore::get and ItemStore::category on one connection, with or without a transaction.
Status visit_item(Connection& connection, std::string_view id, ports::ItemVisitor visitor);
Status visit_category(Connection& connection, std::string_view id, ports::CategoryVisitor visitor);

/// A batch as one write transaction. Sums up the changes of the counts (of categories, days and the store) in memory
/// and writes them once, at commit.
class SqliteItemWriter final : public ports::ItemWriter {
 public:
  /// `log` may be null.
  static Result<std::unique_ptr<SqliteItemWriter>> open(Transaction transaction, const ports::Clock& clock,
                                                        ports::EventLog* log);
  ~SqliteItemWriter() override;

  Status read(ports::Call& call, std::span<const std::string_view> ids, ports::ItemVisitor visitor) override;
  Status read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  Status put_category(ports::Call& call, const model::CategoryView& category) override;
  Result<bool> remove(ports::Call& call, std::string_view id) override;
  Result<bool> remove_category(ports::Call& call, std::string_view id) override;
  Status set_synonyms(ports::Call& call, std::span<const model::SynonymsView* const> synonyms) override;
  Result<model::Revision> commit(ports::Call& call) override;

 private:
  SqliteItemWriter(Transaction transaction, const ports::Clock& clock, ports::EventLog* log)
      : transaction_(std::move(transaction)), clock_(clock), log_(log) {}

  Connection& connection() { return **transaction_; }
  Status load_state();
  Status put_one(const model::ItemView& item);
  Result<bool> insert_item(const model::ItemView& item);
  Result<bool> delete_item(std::string_view id);
  Result<records::BatchCounts::Category*> load_counters(std::string_view category);
  Status insert_tombstone(TombstoneKind kind, std::string_view id);
  Status delete_tombstone(TombstoneKind kind, std::string_view id);
  Status write_counts();
  Status purge_tombstones();
  void checkpoint();

  std::optional<Transaction> transaction_;  // empty after commit
  const ports::Clock& clock_;
  ports::EventLog* log_;
  model::Revision committed_ = 0;
  model::Revision revision_ = 0;  // last assigned revision
  bool has_tombstones_ = false;
  records::BatchCounts counts_;
  std::array<std::vector<std::uint8_t>, 4> lists_;  // packed lists of the current record, as of list_members()
};

}  // namespace kbase::sqlite
