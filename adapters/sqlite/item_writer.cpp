// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/item_writer.hpp"

#include <array>
#include <string>
#include <tuple>
#include <type_traits>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/database.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

constexpr char kItem[] = "SELECT " KBASE_ITEM_COLUMNS " FROM items WHERE id = ?1";
constexpr char kCategory[] = "SELECT " KBASE_CATEGORY_COLUMNS " FROM categories WHERE id = ?1";
constexpr char kLoad[] = "SELECT revision, EXISTS (SELECT 1 FROM tombstones) FROM store";
const std::string kInsertItem = [] {
  std::string values;
  for (int i = 0; i < records::kItemColumns; ++i) values += i == 0 ? "?" : ", ?";
  return "INSERT INTO items (" KBASE_ITEM_COLUMNS ") VALUES (" + values + ") ON CONFLICT (id) DO NOTHING";
}();
constexpr char kFindItem[] = "SELECT revision, category, created, views FROM items WHERE id = ?1";
constexpr char kDeleteItem[] = "DELETE FROM items WHERE revision = ?1";
constexpr char kUpdateCategory[] =
    "UPDATE categories SET revision = ?1, name = ?3, description = ?4, icon = ?5, subcategories = ?6 WHERE id = ?2";
constexpr char kInsertCategory[] = "INSERT INTO categories VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0)";
constexpr char kCountCategory[] = "SELECT items FROM categories WHERE id = ?1";
constexpr char kDeleteCategory[] = "DELETE FROM categories WHERE id = ?1";
constexpr char kDeleteSynonyms[] = "DELETE FROM synonyms";
constexpr char kInsertSynonyms[] = "INSERT INTO synonyms (" KBASE_SYNONYMS_COLUMNS ") VALUES (?1, ?2, ?3)";
constexpr char kInsertTombstone[] = "INSERT INTO tombstones VALUES (?1, ?2, ?3, ?4)";
constexpr char kDeleteTombstone[] = "DELETE FROM tombstones WHERE id = ?1 AND kind = ?2";
constexpr char kAddToCategory[] = "UPDATE categories SET items = items + ?2, views = views + ?3 WHERE id = ?1";
constexpr char kAddToDay[] =
    "INSERT INTO additions VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET items = items + excluded.items";
constexpr char kAddToStore[] =
    "UPDATE store SET revision = ?1, items = items + ?2, categories = categories + ?3, views = views + ?4";
constexpr char kOldTombstones[] = "SELECT max(revision) FROM tombstones WHERE removed < ?1";
constexpr char kSetPurgedRevision[] = "UPDATE store SET dropped = ?1";
constexpr char kPurgeTombstones[] = "DELETE FROM tombstones WHERE removed < ?1";

Error not_found(std::string message) { return {ErrorCode::NotFound, std::move(message)}; }

}  // namespace

Status visit_item(Connection& connection, std::string_view id, ports::ItemVisitor visitor) {
  bool found = false;
  const auto visited =
      visit_rows_by_id<model::ItemView>(connection, kItem, {&id, 1}, ItemRow(), [&](const model::ItemView& item) {
        found = true;
        return visitor(item);
      });
  if (visited && !found) return not_found("There is no such item.");
  return visited;
}

Status visit_category(Connection& connection, std::string_view id, ports::CategoryVisitor visitor) {
  bool found = false;
  const auto visited = visit_rows_by_id<model::CategoryView>(connection, kCategory, {&id, 1}, CategoryRow(),
                                                             [&](const model::CategoryView& category) {
                                                               found = true;
                                                               return visitor(category);
                                                             });
  if (visited && !found) return not_found("There is no such category.");
  return visited;
}

Result<std::unique_ptr<SqliteItemWriter>> SqliteItemWriter::open(Transaction transaction, const ports::Clock& clock,
                                                                 ports::EventLog* log) {
  std::unique_ptr<SqliteItemWriter> writer(new SqliteItemWriter(std::move(transaction), clock, log));
  KBASE_TRY(writer->load_state());
  writer->connection().set_call(nullptr);  // the call of begin() ends before the batch does
  return writer;
}

SqliteItemWriter::~SqliteItemWriter() {
  if (!transaction_) return;
  connection().roll_back();
  connection().release_memory();
}

Status SqliteItemWriter::load_state() {
  Statement store = connection().prepare(kLoad);
  const auto row = KBASE_TRY(store.step());
  if (!row) return store.corrupt("the table store is empty");
  committed_ = revision_ = store.number(0);
  has_tombstones_ = store.integer(1) != 0;
  return {};
}

Status SqliteItemWriter::read(ports::Call& call, std::span<const std::string_view> ids, ports::ItemVisitor visitor) {
  const CallScope scope(connection(), call);
  return visit_rows_by_id(connection(), kItem, ids, ItemRow(), visitor);
}

Status SqliteItemWriter::read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  const CallScope scope(connection(), call);
  const auto counters = counts_.by_category.find(id);
  return visit_category(connection(), id, [&](const model::CategoryView& stored) {
    model::CategoryView category = stored;
    if (counters != counts_.by_category.end()) category.item_count += counters->second.items;
    return visitor(category);
  });
}

Status SqliteItemWriter::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  const CallScope scope(connection(), call);
  for (const model::ItemView* item : items) {
    KBASE_TRY(check_call(call, clock_));
    KBASE_TRY(put_one(*item));
  }
  return {};
}

/// Inserts first, because most items of a large batch are new. Deletes the old row only if the id exists.
Status SqliteItemWriter::put_one(const model::ItemView& item) {
  const auto category = KBASE_TRY(load_counters(item.category));
  if (!category->exists)
    return invalid_argument("category", "the item " + std::string(item.id) +
                                            " has a category that does not exist: " + std::string(item.category));
  ++revision_;
  const auto lists = model::list_members(item);
  static_assert(std::tuple_size_v<decltype(lists)> == std::tuple_size_v<decltype(lists_)>);
  for (std::size_t i = 0; i < lists.size(); ++i) text_list::pack(*lists[i], lists_[i]);
  auto inserted = insert_item(item);
  if (inserted && !*inserted) {
    KBASE_TRY(delete_item(item.id));
    inserted = insert_item(item);
  }
  if (!inserted) return inserted.error();
  counts_.add_items(*category, item.metadata.created, 1, item.metadata.views);
  return delete_tombstone(TombstoneKind::Item, item.id);
}

/// False: the id exists already.
Result<bool> SqliteItemWriter::insert_item(const model::ItemView& item) {
  std::size_t list = 0;  // the lists are in the order of their columns
  const auto column = [&](const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const model::TextList&>)
      return Bytes(lists_[list++]);
    else
      return value;
  };
  Statement insert = connection().prepare(kInsertItem.c_str());
  // The braces of the tuple evaluate its members in their order; the arguments of a call have none.
  std::apply(
      [&](const auto&... values) {
        std::apply([&](const auto&... columns) { insert.bind(columns...); }, std::tuple{column(values)...});
      },
      records::item_values(item, revision_));
  KBASE_TRY(insert.run());
  return connection().changed_rows() != 0;
}

/// Deletes the row of an item and inserts no tombstone. False: no such item.
Result<bool> SqliteItemWriter::delete_item(std::string_view id) {
  model::Revision revision = 0;
  {
    Statement item = connection().prepare(kFindItem);
    item.bind(id);
    const auto found = item.step();
    if (!found || !*found) return found;
    revision = item.number(0);
    const auto category = KBASE_TRY(load_counters(item.text(1)));
    counts_.add_items(*category, item.day(2), records::kMinusOne, 0 - item.number(3));
  }
  KBASE_TRY(connection().prepare(kDeleteItem).bind(revision).run());
  return true;
}

/// Never null. Valid for the whole batch.
Result<records::BatchCounts::Category*> SqliteItemWriter::load_counters(std::string_view category) {
  if (const auto known = counts_.by_category.find(category); known != counts_.by_category.end()) return &known->second;
  Statement row = connection().prepare(kCountCategory);
  const auto found = KBASE_TRY(row.bind(category).step());
  records::BatchCounts::Category& counters = counts_.by_category[std::string(category)];
  counters.exists = found;
  return &counters;
}

Status SqliteItemWriter::put_category(ports::Call& call, const model::CategoryView& category) {
  const CallScope scope(connection(), call);
  const auto counters = KBASE_TRY(load_counters(category.id));
  ++revision_;
  text_list::pack(category.subcategories, lists_[0]);
  const auto put =
      connection()
          .prepare(counters->exists ? kUpdateCategory : kInsertCategory)
          .bind(revision_, category.id, category.name, category.description, category.icon, Bytes(lists_[0]))
          .run();
  if (!put) return put;
  if (counters->exists) return {};
  counters->exists = true;
  ++counts_.categories;
  return delete_tombstone(TombstoneKind::Category, category.id);
}

Result<bool> SqliteItemWriter::remove(ports::Call& call, std::string_view id) {
  const CallScope scope(connection(), call);
  KBASE_TRY(check_call(call, clock_));
  const auto deleted = delete_item(id);
  if (!deleted || !*deleted) return deleted;
  KBASE_TRY(insert_tombstone(TombstoneKind::Item, id));
  return true;
}

Result<bool> SqliteItemWriter::remove_category(ports::Call& call, std::string_view id) {
  const CallScope scope(connection(), call);
  std::uint64_t items = 0;
  {
    Statement row = connection().prepare(kCountCategory);
    const auto found = row.bind(id).step();
    if (!found || !*found) return found;
    items = row.number(0);
  }
  const auto counters = KBASE_TRY(load_counters(id));
  items += counters->items;
  if (items != 0)
    return invalid_argument("id", "the category " + std::string(id) + " still has " + std::to_string(items) +
                                      " items; remove or move them first");
  KBASE_TRY(connection().prepare(kDeleteCategory).bind(id).run());
  *counters = {};
  --counts_.categories;
  KBASE_TRY(insert_tombstone(TombstoneKind::Category, id));
  return true;
}

Status SqliteItemWriter::set_synonyms(ports::Call& call, std::span<const model::SynonymsView* const> synonyms) {
  const CallScope scope(connection(), call);
  ++revision_;
  KBASE_TRY(connection().prepare(kDeleteSynonyms).run());
  for (const model::SynonymsView* each : synonyms) {
    text_list::pack(each->words, lists_[0]);
    KBASE_TRY(connection().prepare(kInsertSynonyms).bind(each->from, Bytes(lists_[0]), each->source).run());
  }
  return {};
}

Status SqliteItemWriter::insert_tombstone(TombstoneKind kind, std::string_view id) {
  has_tombstones_ = true;
  return connection()
      .prepare(kInsertTombstone)
      .bind(++revision_, static_cast<std::int64_t>(kind), id, clock_.now())
      .run();
}

/// Deletes the tombstone of a record that exists again.
Status SqliteItemWriter::delete_tombstone(TombstoneKind kind, std::string_view id) {
  if (!has_tombstones_) return {};
  return connection().prepare(kDeleteTombstone).bind(id, static_cast<std::int64_t>(kind)).run();
}

Result<model::Revision> SqliteItemWriter::commit(ports::Call& call) {
  if (revision_ == committed_) {
    transaction_.reset();
    return revision_;
  }
  {
    const CallScope scope(connection(), call);
    KBASE_TRY(check_call(call, clock_));
    KBASE_TRY(write_counts());
    KBASE_TRY(purge_tombstones());
  }
  KBASE_TRY(transaction_->commit());
  checkpoint();
  connection().release_memory();
  transaction_.reset();
  return revision_;
}

Status SqliteItemWriter::write_counts() {
  for (const auto& [id, counters] : counts_.by_category) {
    if (counters.items == 0 && counters.views == 0) continue;
    if (auto added =
            connection().prepare(kAddToCategory).bind(std::string_view(id), counters.items, counters.views).run();
        !added)
      return added;
  }
  for (const auto& [day, items] : counts_.additions) KBASE_TRY(connection().prepare(kAddToDay).bind(day, items).run());
  return connection()
      .prepare(kAddToStore)
      .bind(revision_, counts_.store.items, counts_.categories, counts_.store.views)
      .run();
}

Status SqliteItemWriter::purge_tombstones() {
  if (!has_tombstones_) return {};
  const model::Instant before = clock_.now() - kTombstoneRetention;
  model::Revision newest = 0;
  {
    Statement old = connection().prepare(kOldTombstones);
    KBASE_TRY(old.bind(before).step());
    if (old.is_null(0)) return {};
    newest = old.number(0);
  }
  KBASE_TRY(connection().prepare(kSetPurgedRevision).bind(newest).run());
  return connection().prepare(kPurgeTombstones).bind(before).run();
}

/// Logs a failed checkpoint and does not fail: the batch is already durable.
void SqliteItemWriter::checkpoint() {
  const auto done = connection().checkpoint();
  if (done || log_ == nullptr) return;
  const std::array<ports::LogField, 1> fields{{{"cause", done.error().detail}}};
  log_->log(ports::LogLevel::Warning, "store.checkpoint_failed",
            "the batch is committed, but its write-ahead log could not be copied into the store; the next commit tries "
            "again",
            fields);
}

}  // namespace kbase::sqlite
