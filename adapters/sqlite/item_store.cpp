// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/item_store.hpp"

#include <algorithm>

#include "adapters/sqlite/changes_feed.hpp"
#include "adapters/sqlite/content_schema.hpp"
#include "adapters/sqlite/database.hpp"
#include "adapters/sqlite/instance.hpp"
#include "adapters/sqlite/item_writer.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/visit_rows.hpp"

namespace kbase::sqlite {
namespace {

constexpr char kFound[] = "INSERT INTO store VALUES (?1, 0, 0, 0, 0, 0)";
constexpr char kStoreId[] = "SELECT lineage FROM store";
constexpr char kRevision[] = "SELECT revision FROM store";
constexpr char kSummary[] =
    "SELECT revision, id, category, created, updated, views, title, lead, tags, author, further FROM items WHERE id = "
    "?1";
constexpr char kRecent[] =
    "SELECT revision, id, category, created, updated, views, title, lead, tags, author, further FROM items"
    " ORDER BY updated DESC, created DESC, id LIMIT ?1 OFFSET ?2";
constexpr char kRecentOfCategory[] =
    "SELECT revision, id, category, created, updated, views, title, lead, tags, author, further FROM items"
    " WHERE category = ?3 ORDER BY updated DESC, created DESC, id LIMIT ?1 OFFSET ?2";
constexpr char kCategories[] =
    "SELECT revision, id, name, description, icon, subcategories, items FROM categories"
    " ORDER BY name, id LIMIT ?1 OFFSET ?2";
constexpr char kTotals[] =
    "SELECT items, categories, views,"
    " (SELECT coalesce(sum(items), 0) FROM additions WHERE day BETWEEN ?1 AND ?2) FROM store";
constexpr char kCategoryViews[] = "SELECT id, name, views FROM categories";

constexpr std::chrono::days kRecentDays{6};  // days before today

/// Reads the single row of `store`. Corrupt: the table is empty.
model::Status read_store(Statement& store) {
  const auto row = store.step();
  if (!row) return row.error();
  if (!*row) return store.corrupt("the table store is empty");
  return {};
}

model::Status found(Connection& connection, ports::Random& random) {
  model::StoreId store_id{};
  random.fill(store_id);
  return connection.use(kFound).bind(Bytes(store_id)).run();
}

model::Result<model::StoreId> read_store_id(Database& database) {
  const ports::Call call;
  const auto reader = database.read(call);
  if (!reader) return reader.error();
  Statement store = (*reader)->use(kStoreId);
  if (const auto row = read_store(store); !row) return row.error();
  model::StoreId store_id{};
  const Bytes stored = store.bytes(0);
  if (stored.size() != store_id.size()) return store.corrupt("the lineage has a wrong length");
  std::copy(stored.begin(), stored.end(), store_id.begin());
  return store_id;
}

}  // namespace

model::Result<std::unique_ptr<SqliteItemStore>> SqliteItemStore::open(const Options& options, const ports::Clock& clock,
                                                                      ports::Random& random, ports::EventLog* log) {
  auto database =
      Database::open({.path = options.path,
                      .if_missing = options.if_missing,
                      .readers = options.readers,
                      .readers_cache_bytes = options.readers_cache_bytes,
                      .writer_cache_bytes = options.writer_cache_bytes},
                     content_schema(), clock, [&random](Connection& connection) { return found(connection, random); });
  if (!database) return database.error();
  if (auto claimed = claim(**database, options.instance, content_schema().noun); !claimed) return claimed.error();
  const auto store_id = read_store_id(**database);
  if (!store_id) return store_id.error();
  return std::unique_ptr<SqliteItemStore>(new SqliteItemStore(std::move(*database), options, *store_id, log));
}

SqliteItemStore::SqliteItemStore(std::unique_ptr<Database> database, const Options& options,
                                 const model::StoreId& store_id, ports::EventLog* log)
    : database_(std::move(database)),
      leases_(options.path.native() + ".leases", database_->clock()),
      store_id_(store_id),
      log_(log) {}

SqliteItemStore::~SqliteItemStore() = default;

bool SqliteItemStore::created() const {
  return database_->created();
}

model::Result<model::Revision> SqliteItemStore::revision(ports::Call& call) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  Statement store = (*reader)->use(kRevision);
  if (const auto row = read_store(store); !row) return row.error();
  return store.number(0);
}

model::Status SqliteItemStore::get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  return visit_item(**reader, id, visitor);
}

model::Status SqliteItemStore::summaries(ports::Call& call, std::span<const std::string_view> ids,
                                         ports::SummaryVisitor visitor) {
  const auto snapshot = database_->snapshot(call);
  if (!snapshot) return snapshot.error();
  return visit_each(**snapshot, kSummary, ids, SummaryRow(), visitor);
}

model::Status SqliteItemStore::recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                                      ports::SummaryVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  Statement rows = (*reader)->use(category ? kRecentOfCategory : kRecent);
  if (category)
    rows.bind(storable(slice.limit), storable(slice.offset), *category);
  else
    rows.bind(storable(slice.limit), storable(slice.offset));
  return visit_rows(rows, SummaryRow(), visitor);
}

model::Status SqliteItemStore::category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  return visit_category(**reader, id, visitor);
}

model::Status SqliteItemStore::categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  Statement rows = (*reader)->use(kCategories);
  rows.bind(storable(slice.limit), storable(slice.offset));
  return visit_rows(rows, CategoryRow(), visitor);
}

model::Result<ports::StoreTotals> SqliteItemStore::totals(ports::Call& call, model::Day today) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  Statement store = (*reader)->use(kTotals);
  store.bind(today - kRecentDays, today);
  if (const auto row = read_store(store); !row) return row.error();
  return ports::StoreTotals{.items = store.number(0),
                            .categories = store.number(1),
                            .views = store.number(2),
                            .recent_additions = store.number(3)};
}

model::Status SqliteItemStore::category_views(ports::Call& call, model::Visitor<ports::CategoryViews> visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  Statement rows = (*reader)->use(kCategoryViews);
  const auto read = [](const Statement& row) {
    return std::optional(ports::CategoryViews{row.text(0), row.text(1), row.number(2)});
  };
  return visit_rows(rows, read, visitor);
}

model::Result<model::Revision> SqliteItemStore::changes(ports::Call& call, model::Revision after,
                                                        ports::ChangeVisitor visitor) {
  const auto snapshot = database_->snapshot(call);
  if (!snapshot) return snapshot.error();
  return tell_changes(**snapshot, database_->clock().now(), after, visitor);
}

model::Result<std::unique_ptr<ports::ItemWriter>> SqliteItemStore::begin(ports::Call& call) {
  auto transaction = database_->write(call);
  if (!transaction) return transaction.error();
  auto writer = SqliteItemWriter::open(std::move(*transaction), database_->clock(), log_);
  if (!writer) return writer.error();
  return std::unique_ptr<ports::ItemWriter>(std::move(*writer));
}

model::Status SqliteItemStore::health(ports::Call& call) {
  const auto answered = revision(call);
  if (!answered) return answered.error();
  return {};
}

}  // namespace kbase::sqlite
