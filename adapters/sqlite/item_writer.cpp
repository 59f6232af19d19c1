// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/item_writer.hpp"

#include <array>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/rows.hpp"

namespace kbase::sqlite {
namespace {

constexpr char kItem[] =
    "SELECT revision, id, category, created, updated, views, title, lead, tags, author, further, related, content"
    " FROM items WHERE id = ?1";
constexpr char kCategory[] =
    "SELECT revision, id, name, description, icon, subcategories, items FROM categories WHERE id = ?1";
constexpr char kLoad[] = "SELECT revision, EXISTS (SELECT 1 FROM tombstones) FROM store";
constexpr char kInsertItem[] =
    "INSERT INTO items VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (id) DO NOTHING";
constexpr char kFindItem[] = "SELECT revision, category, created, views FROM items WHERE id = ?1";
constexpr char kDeleteItem[] = "DELETE FROM items WHERE revision = ?1";
constexpr char kUpdateCategory[] =
    "UPDATE categories SET revision = ?1, name = ?3, description = ?4, icon = ?5, subcategories = ?6 WHERE id = ?2";
constexpr char kInsertCategory[] = "INSERT INTO categories VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0)";
constexpr char kCountCategory[] = "SELECT items FROM categories WHERE id = ?1";
constexpr char kDeleteCategory[] = "DELETE FROM categories WHERE id = ?1";
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

constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};  // as a change of a count

model::Error not_found(std::string message) {
  return {model::ErrorCode::NotFound, std::move(message), {}, {}, {}};
}

}  // namespace

model::Status visit_item(Connection& connection, std::string_view id, ports::ItemVisitor visitor) {
  bool found = false;
  const auto visited =
      visit_rows_by_id<model::ItemView>(connection, kItem, {&id, 1}, ItemRow(), [&](const model::ItemView& item) {
        found = true;
        return visitor(item);
      });
  if (visited && !found) return not_found("There is no such item.");
  return visited;
}

model::Status visit_category(Connection& connection, std::string_view id, ports::CategoryVisitor visitor) {
  bool found = false;
  const auto visited = visit_rows_by_id<model::CategoryView>(connection, kCategory, {&id, 1}, CategoryRow(),
                                                             [&](const model::CategoryView& category) {
                                                               found = true;
                                                               return visitor(category);
                                                             });
  if (visited && !found) return not_found("There is no such category.");
  return visited;
}

model::Result<std::unique_ptr<SqliteItemWriter>> SqliteItemWriter::open(Transaction transaction,
                                                                        const ports::Clock& clock,
                                                                        ports::EventLog* log) {
  std::unique_ptr<SqliteItemWriter> writer(new SqliteItemWriter(std::move(transaction), clock, log));
  if (const model::Status loaded = writer->load_state(); !loaded) return loaded.error();
  writer->connection().set_call(nullptr);  // the call of begin() ends before the batch does
  return writer;
}

SqliteItemWriter::~SqliteItemWriter() {
  if (!transaction_) return;
  connection().roll_back();
  connection().release_memory();
}

model::Status SqliteItemWriter::load_state() {
  Statement store = connection().prepare(kLoad);
  const auto row = store.step();
  if (!row) return row.error();
  if (!*row) return store.corrupt("the table store is empty");
  committed_ = revision_ = store.number(0);
  has_tombstones_ = store.integer(1) != 0;
  return {};
}

model::Status SqliteItemWriter::read(ports::Call& call, std::span<const std::string_view> ids,
                                     ports::ItemVisitor visitor) {
  const CallScope scope(connection(), call);
  return visit_rows_by_id(connection(), kItem, ids, ItemRow(), visitor);
}

model::Status SqliteItemWriter::read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  const CallScope scope(connection(), call);
  const auto counters = by_category_.find(id);
  return visit_category(connection(), id, [&](const model::CategoryView& stored) {
    model::CategoryView category = stored;
    if (counters != by_category_.end()) category.item_count += counters->second.items;
    return visitor(category);
  });
}

model::Status SqliteItemWriter::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  const CallScope scope(connection(), call);
  for (const model::ItemView* item : items) {
    if (auto active = check_call(call, clock_); !active) return active;
    if (auto put = put_one(*item); !put) return put;
  }
  return {};
}

/// Inserts first, because most items of a large batch are new. Deletes the old row only if the id exists.
model::Status SqliteItemWriter::put_one(const model::ItemView& item) {
  const auto category = load_counters(item.category);
  if (!category) return category.error();
  if (!(*category)->exists)
    return model::invalid_argument(
        "category",
        "the item " + std::string(item.id) + " has a category that does not exist: " + std::string(item.category));
  ++revision_;
  text_list::pack(item.tags, tags_);
  text_list::pack(item.related, related_);
  auto inserted = insert_item(item);
  if (inserted && !*inserted) {
    if (const auto deleted = delete_item(item.id); !deleted) return deleted.error();
    inserted = insert_item(item);
  }
  if (!inserted) return inserted.error();
  add_counts(**category, item.metadata.created, 1, item.metadata.views);
  return delete_tombstone(TombstoneKind::Item, item.id);
}

/// False: the id exists already.
model::Result<bool> SqliteItemWriter::insert_item(const model::ItemView& item) {
  const model::MetadataView& metadata = item.metadata;
  const auto ran =
      connection()
          .prepare(kInsertItem)
          .bind(revision_, item.id, item.category, metadata.created, metadata.updated, metadata.views, item.title,
                item.excerpt, Bytes(tags_), metadata.author, metadata.extra, Bytes(related_), item.content)
          .run();
  if (!ran) return ran.error();
  return connection().changed_rows() != 0;
}

/// Deletes the row of an item and inserts no tombstone. False: no such item.
model::Result<bool> SqliteItemWriter::delete_item(std::string_view id) {
  model::Revision revision = 0;
  {
    Statement item = connection().prepare(kFindItem);
    item.bind(id);
    const auto found = item.step();
    if (!found || !*found) return found;
    revision = item.number(0);
    const auto category = load_counters(item.text(1));
    if (!category) return category.error();
    add_counts(**category, item.day(2), kMinusOne, 0 - item.number(3));
  }
  if (const auto deleted = connection().prepare(kDeleteItem).bind(revision).run(); !deleted) return deleted.error();
  return true;
}

/// Never null. Valid for the whole batch.
model::Result<SqliteItemWriter::CategoryCounters*> SqliteItemWriter::load_counters(std::string_view category) {
  if (const auto known = by_category_.find(category); known != by_category_.end()) return &known->second;
  Statement row = connection().prepare(kCountCategory);
  const auto found = row.bind(category).step();
  if (!found) return found.error();
  CategoryCounters& counters = by_category_[std::string(category)];
  counters.exists = *found;
  return &counters;
}

void SqliteItemWriter::add_counts(CategoryCounters& category, model::Day created, std::uint64_t items,
                                  std::uint64_t views) {
  category.items += items;
  category.views += views;
  store_.items += items;
  store_.views += views;
  additions_[created] += items;
}

model::Status SqliteItemWriter::put_category(ports::Call& call, const model::CategoryView& category) {
  const CallScope scope(connection(), call);
  const auto counters = load_counters(category.id);
  if (!counters) return counters.error();
  ++revision_;
  text_list::pack(category.subcategories, tags_);
  const auto put = connection()
                       .prepare((*counters)->exists ? kUpdateCategory : kInsertCategory)
                       .bind(revision_, category.id, category.name, category.description, category.icon, Bytes(tags_))
                       .run();
  if (!put) return put;
  if ((*counters)->exists) return {};
  (*counters)->exists = true;
  ++categories_;
  return delete_tombstone(TombstoneKind::Category, category.id);
}

model::Result<bool> SqliteItemWriter::remove(ports::Call& call, std::string_view id) {
  const CallScope scope(connection(), call);
  if (const auto active = check_call(call, clock_); !active) return active.error();
  const auto deleted = delete_item(id);
  if (!deleted || !*deleted) return deleted;
  if (const auto has_tombstone = insert_tombstone(TombstoneKind::Item, id); !has_tombstone)
    return has_tombstone.error();
  return true;
}

model::Result<bool> SqliteItemWriter::remove_category(ports::Call& call, std::string_view id) {
  const CallScope scope(connection(), call);
  std::uint64_t items = 0;
  {
    Statement row = connection().prepare(kCountCategory);
    const auto found = row.bind(id).step();
    if (!found || !*found) return found;
    items = row.number(0);
  }
  const auto counters = load_counters(id);
  if (!counters) return counters.error();
  items += (*counters)->items;
  if (items != 0)
    return model::invalid_argument("id", "the category " + std::string(id) + " still has " + std::to_string(items) +
                                             " items; remove or move them first");
  if (const auto deleted = connection().prepare(kDeleteCategory).bind(id).run(); !deleted) return deleted.error();
  **counters = {};
  --categories_;
  if (const auto has_tombstone = insert_tombstone(TombstoneKind::Category, id); !has_tombstone)
    return has_tombstone.error();
  return true;
}

model::Status SqliteItemWriter::insert_tombstone(TombstoneKind kind, std::string_view id) {
  has_tombstones_ = true;
  return connection()
      .prepare(kInsertTombstone)
      .bind(++revision_, static_cast<std::int64_t>(kind), id, clock_.now())
      .run();
}

/// Deletes the tombstone of a record that exists again.
model::Status SqliteItemWriter::delete_tombstone(TombstoneKind kind, std::string_view id) {
  if (!has_tombstones_) return {};
  return connection().prepare(kDeleteTombstone).bind(id, static_cast<std::int64_t>(kind)).run();
}

model::Result<model::Revision> SqliteItemWriter::commit(ports::Call& call) {
  if (revision_ == committed_) {
    transaction_.reset();
    return revision_;
  }
  {
    const CallScope scope(connection(), call);
    if (const auto active = check_call(call, clock_); !active) return active.error();
    if (const auto counted = write_counts(); !counted) return counted.error();
    if (const auto purged = purge_tombstones(); !purged) return purged.error();
  }
  if (const auto committed = transaction_->commit(); !committed) return committed.error();
  checkpoint();
  connection().release_memory();
  transaction_.reset();
  return revision_;
}

model::Status SqliteItemWriter::write_counts() {
  for (const auto& [id, counters] : by_category_) {
    if (counters.items == 0 && counters.views == 0) continue;
    if (auto added =
            connection().prepare(kAddToCategory).bind(std::string_view(id), counters.items, counters.views).run();
        !added)
      return added;
  }
  for (const auto& [day, items] : additions_)
    if (auto added = connection().prepare(kAddToDay).bind(day, items).run(); !added) return added;
  return connection().prepare(kAddToStore).bind(revision_, store_.items, categories_, store_.views).run();
}

model::Status SqliteItemWriter::purge_tombstones() {
  if (!has_tombstones_) return {};
  const model::Instant before = clock_.now() - kTombstoneRetention;
  model::Revision newest = 0;
  {
    Statement old = connection().prepare(kOldTombstones);
    const auto found = old.bind(before).step();
    if (!found) return found.error();
    if (old.is_null(0)) return {};
    newest = old.number(0);
  }
  if (auto recorded = connection().prepare(kSetPurgedRevision).bind(newest).run(); !recorded) return recorded;
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
