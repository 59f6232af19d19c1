// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/item_store.hpp"

#include <algorithm>
#include <array>

#include "adapters/sqlite/changes_feed.hpp"
#include "adapters/sqlite/content_1_sql.hpp"
#include "adapters/sqlite/database.hpp"
#include "adapters/sqlite/item_writer.hpp"
#include "adapters/sqlite/rows.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

constexpr std::array<const char*, 2> kMigrations = {kContent1Sql, kInstanceTable};

constexpr Schema kContentSchema = {
    "content store",
    0x6B624374,  // "kbCt"
    16384,       // a bulk load is 25 % faster than with 4096, reads are not slower
    kMigrations,     {ErrorCode::Conflict, "another import is running"},
};

constexpr char kCreateStore[] = "INSERT INTO store VALUES (?1, 0, 0, 0, 0, 0)";
constexpr char kStoreId[] = "SELECT lineage FROM store";
constexpr char kRevision[] = "SELECT revision FROM store";
constexpr char kSummary[] = "SELECT " KBASE_SUMMARY_COLUMNS " FROM items WHERE id = ?1";
constexpr char kRecent[] = "SELECT " KBASE_SUMMARY_COLUMNS
                           " FROM items"
                           " ORDER BY updated DESC, created DESC, id LIMIT ?1 OFFSET ?2";
constexpr char kRecentOfCategory[] = "SELECT " KBASE_SUMMARY_COLUMNS
                                     " FROM items"
                                     " WHERE category = ?3 ORDER BY updated DESC, created DESC, id LIMIT ?1 OFFSET ?2";
constexpr char kCategories[] = "SELECT " KBASE_CATEGORY_COLUMNS
                               " FROM categories"
                               " ORDER BY name, id LIMIT ?1 OFFSET ?2";
constexpr char kTotals[] =
    "SELECT items, categories, views,"
    " (SELECT coalesce(sum(items), 0) FROM additions WHERE day BETWEEN ?1 AND ?2) FROM store";
constexpr char kCategoryViews[] = "SELECT id, name, views FROM categories";

constexpr std::chrono::days kRecentDays{6};  // days before today

/// Reads the single row of `store`. Corrupt: the table is empty.
Status read_store(Statement& store) {
  const auto row = KBASE_TRY(store.step());
  if (!row) return store.corrupt("the table store is empty");
  return {};
}

Status create_store(Connection& connection, ports::Random& random) {
  model::StoreId store_id{};
  random.fill(store_id);
  return connection.prepare(kCreateStore).bind(Bytes(store_id)).run();
}

Result<model::StoreId> read_store_id(Database& database) {
  const ports::Call call;
  const auto reader = KBASE_TRY(database.read(call));
  Statement store = reader->prepare(kStoreId);
  KBASE_TRY(read_store(store));
  model::StoreId store_id{};
  const Bytes stored = store.bytes(0);
  if (stored.size() != store_id.size()) return store.corrupt("the store id (column lineage) has a wrong length");
  std::copy(stored.begin(), stored.end(), store_id.begin());
  return store_id;
}

}  // namespace

Result<std::unique_ptr<SqliteItemStore>> SqliteItemStore::open(const Options& options, const ports::Clock& clock,
                                                               ports::Random& random, ports::EventLog* log) {
  auto database = Database::open({.path = options.path,
                                  .if_missing = options.if_missing,
                                  .readers = options.readers,
                                  .readers_cache_bytes = options.readers_cache_bytes,
                                  .writer_cache_bytes = options.writer_cache_bytes},
                                 kContentSchema, clock,
                                 [&random](Connection& connection) { return create_store(connection, random); });
  if (!database) return database.error();
  KBASE_TRY(claim_instance(**database, options.instance, kContentSchema.noun));
  const auto store_id = KBASE_TRY(read_store_id(**database));
  return std::unique_ptr<SqliteItemStore>(new SqliteItemStore(std::move(*database), options, store_id, log));
}

SqliteItemStore::SqliteItemStore(std::unique_ptr<Database> database, const Options& options,
                                 const model::StoreId& store_id, ports::EventLog* log)
    : database_(std::move(database)),
      leases_(options.path.native() + ".leases", database_->clock()),
      store_id_(store_id),
      log_(log) {}

SqliteItemStore::~SqliteItemStore() = default;

bool SqliteItemStore::created() const { return database_->created(); }

Result<model::Revision> SqliteItemStore::revision(ports::Call& call) {
  const auto reader = KBASE_TRY(database_->read(call));
  Statement store = reader->prepare(kRevision);
  KBASE_TRY(read_store(store));
  return store.number(0);
}

Status SqliteItemStore::get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  return visit_item(*reader, id, visitor);
}

Status SqliteItemStore::summaries(ports::Call& call, std::span<const std::string_view> ids,
                                  ports::SummaryVisitor visitor) {
  const auto snapshot = KBASE_TRY(database_->snapshot(call));
  return visit_rows_by_id(*snapshot, kSummary, ids, SummaryRow(), visitor);
}

Status SqliteItemStore::recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                               ports::SummaryVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  Statement rows = reader->prepare(category ? kRecentOfCategory : kRecent);
  if (category)
    rows.bind(storable(slice.limit), storable(slice.offset), *category);
  else
    rows.bind(storable(slice.limit), storable(slice.offset));
  return visit_rows(rows, SummaryRow(), visitor);
}

Status SqliteItemStore::category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  return visit_category(*reader, id, visitor);
}

Status SqliteItemStore::categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  Statement rows = reader->prepare(kCategories);
  rows.bind(storable(slice.limit), storable(slice.offset));
  return visit_rows(rows, CategoryRow(), visitor);
}

Result<ports::StoreTotals> SqliteItemStore::totals(ports::Call& call, model::Day today) {
  const auto reader = KBASE_TRY(database_->read(call));
  Statement store = reader->prepare(kTotals);
  store.bind(today - kRecentDays, today);
  KBASE_TRY(read_store(store));
  return ports::StoreTotals{.items = store.number(0),
                            .categories = store.number(1),
                            .views = store.number(2),
                            .recent_additions = store.number(3)};
}

Status SqliteItemStore::category_views(ports::Call& call, Visitor<ports::CategoryViews> visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  Statement rows = reader->prepare(kCategoryViews);
  const auto read = [](const Statement& row) {
    return std::optional(ports::CategoryViews{row.text(0), row.text(1), row.number(2)});
  };
  return visit_rows(rows, read, visitor);
}

Result<model::Revision> SqliteItemStore::changes(ports::Call& call, model::Revision after,
                                                 ports::ChangeVisitor visitor) {
  const auto snapshot = KBASE_TRY(database_->snapshot(call));
  return emit_changes(*snapshot, database_->clock().now(), after, visitor);
}

Result<std::unique_ptr<ports::ItemWriter>> SqliteItemStore::begin(ports::Call& call) {
  auto transaction = KBASE_TRY(database_->write(call));
  auto writer = KBASE_TRY(SqliteItemWriter::open(std::move(transaction), database_->clock(), log_));
  return std::unique_ptr<ports::ItemWriter>(std::move(writer));
}

Status SqliteItemStore::health(ports::Call& call) {
  KBASE_TRY(revision(call));
  return {};
}

}  // namespace kbase::sqlite
