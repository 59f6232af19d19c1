// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/item_store.hpp"

#include <algorithm>

#include "adapters/postgres/changes.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/item_writer.hpp"
#include "adapters/postgres/rows.hpp"

namespace kbase::postgres {
namespace {

constexpr char kSummaries[] =
    "SELECT revision, id, category, created, updated, views, title, lead, tags, author, further"
    " FROM unnest($1) WITH ORDINALITY AS wanted (id, place) JOIN items USING (id) ORDER BY place";
constexpr char kRecent[] =
    "SELECT revision, id, category, created, updated, views, title, lead, tags, author, further FROM items"
    " ORDER BY updated DESC, created DESC, id LIMIT $1 OFFSET $2";
constexpr char kRecentOfCategory[] =
    "SELECT revision, id, category, created, updated, views, title, lead, tags, author, further FROM items"
    " WHERE category = $3 ORDER BY updated DESC, created DESC, id LIMIT $1 OFFSET $2";
constexpr char kCategories[] =
    "SELECT revision, id, name, description, icon, subcategories, items FROM categories"
    " ORDER BY name, id LIMIT $1 OFFSET $2";
constexpr char kTotals[] =
    "SELECT items, categories, views,"
    " (SELECT coalesce(sum(items), 0)::bigint FROM additions WHERE day BETWEEN $1 AND $2) FROM store";
constexpr char kCategoryViews[] = "SELECT id, name, views FROM categories";
constexpr char kAcquireLease[] =
    "INSERT INTO leases AS held VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')"
    " ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until"
    " WHERE held.owner = excluded.owner OR held.until <= clock_timestamp()";
constexpr char kReleaseLease[] = "DELETE FROM leases WHERE name = $1 AND owner = $2";

constexpr std::chrono::days kRecentDays{6};  // days before today

/// Minimum wait of begin() for the writer's connection, even if the deadline has passed: enough for one check of the
/// lock.
constexpr std::chrono::milliseconds kMinLockWait{25};

/// Maximum number of concurrent readers of all changes; more wait.
constexpr std::size_t kMaxFeeds = 2;

model::Error unavailable_error(const char* message) {
  return {model::ErrorCode::Unavailable, message, {}, {}, {}};
}

model::Error import_running_error() {
  return {model::ErrorCode::Conflict, "another import is running; try again when it has ended", {}, {}, {}};
}

}  // namespace

model::Result<std::unique_ptr<PostgresItemStore>> PostgresItemStore::open(const Options& options,
                                                                          const ports::Clock& clock,
                                                                          ports::Random& random) {
  auto database = Database::open(options, clock, random);
  if (!database) return database.error();
  return std::unique_ptr<PostgresItemStore>(new PostgresItemStore(std::move(*database)));
}

PostgresItemStore::PostgresItemStore(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      writers_(database_->make_pool(1, import_running_error())),
      feeds_(database_->make_pool(kMaxFeeds,
                                  unavailable_error("other readers of the changes feed are running; try again"))),
      leases_(database_->make_pool(1, unavailable_error("another lease is being acquired; try again"))),
      listener_(std::make_unique<ChangeListener>(*database_)) {}

PostgresItemStore::~PostgresItemStore() = default;

bool PostgresItemStore::created() const {
  return database_->created();
}

std::chrono::milliseconds PostgresItemStore::clock_ahead() const {
  return database_->clock_ahead();
}

model::StoreId PostgresItemStore::store_id() const {
  return database_->store_id();
}

model::Result<model::Revision> PostgresItemStore::revision(ports::Call& call) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  const auto newest = schema::read_commit(**reader);
  if (!newest) return newest.error();
  database_->record_commit(*newest);
  return newest->revision;
}

model::Status PostgresItemStore::wait(ports::Call& call, model::Revision after) {
  return listener_->wait(call, after);
}

model::Status PostgresItemStore::get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  return visit_item(**reader, id, visitor);
}

model::Status PostgresItemStore::summaries(ports::Call& call, std::span<const std::string_view> ids,
                                           ports::SummaryVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  wire::ArrayBuilder wanted(wire::Type::Bytea);
  for (const std::string_view id : ids) wanted.add(id);
  return visit_rows(**reader, kSummaries, Parameters(&wanted), SummaryRow(), visitor);
}

model::Status PostgresItemStore::recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                                        ports::SummaryVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  const std::uint64_t limit = storable(slice.limit), offset = storable(slice.offset);
  if (!category) return visit_rows(**reader, kRecent, Parameters(limit, offset), SummaryRow(), visitor);
  return visit_rows(**reader, kRecentOfCategory, Parameters(limit, offset, *category), SummaryRow(), visitor);
}

model::Status PostgresItemStore::category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  return visit_category(**reader, id, visitor);
}

model::Status PostgresItemStore::categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  return visit_rows(**reader, kCategories, Parameters(storable(slice.limit), storable(slice.offset)), CategoryRow(),
                    visitor);
}

model::Result<ports::StoreTotals> PostgresItemStore::totals(ports::Call& call, model::Day today) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  const auto result = (*reader)->query(kTotals, Parameters(today - kRecentDays, today));
  if (!result) return result.error();
  if (result->rows() != 1) return (*reader)->corrupt_error("the table store is empty");
  const Row store = result->row(0);
  return ports::StoreTotals{.items = store.number(0),
                            .categories = store.number(1),
                            .views = store.number(2),
                            .recent_additions = store.number(3)};
}

model::Status PostgresItemStore::category_views(ports::Call& call, model::Visitor<ports::CategoryViews> visitor) {
  const auto reader = database_->read(call);
  if (!reader) return reader.error();
  const auto read = [](const Row& row) {
    return std::optional(ports::CategoryViews{row.text(0), row.text(1), row.number(2)});
  };
  return visit_rows(**reader, kCategoryViews, {}, read, visitor);
}

model::Result<model::Revision> PostgresItemStore::changes(ports::Call& call, model::Revision after,
                                                          ports::ChangeVisitor visitor) {
  if (const auto active = check_call(call, database_->clock()); !active) return active.error();
  auto pooled = feeds_->acquire(call);
  if (!pooled) return pooled.error();
  const auto snapshot = Transaction::long_snapshot(std::move(*pooled));
  if (!snapshot) return snapshot.error();
  const auto up_to = emit_changes(**snapshot, database_->clock().now(), after, visitor);
  if (!up_to) return up_to.error();
  database_->record_commit(*up_to);
  return up_to->revision;
}

model::Result<std::unique_ptr<ports::ItemWriter>> PostgresItemStore::begin(ports::Call& call) {
  ports::Call extended_call = call;
  extended_call.deadline = std::max(call.deadline, database_->clock().steady() + kMinLockWait);
  auto pooled = writers_->acquire(extended_call);
  if (!pooled) return pooled.error();
  return PostgresItemWriter::open(call, std::move(*pooled), *database_);
}

model::Result<bool> PostgresItemStore::try_lease(ports::Call& call, std::string_view name, std::string_view owner,
                                                 std::chrono::milliseconds ttl) {
  if (const auto active = check_call(call, database_->clock()); !active) return active.error();
  const auto session = leases_->acquire(call);
  if (!session) return session.error();
  const bool acquires = ttl > ttl.zero();
  const auto result = acquires ? (*session)->query(kAcquireLease, Parameters(name, owner, std::int64_t{ttl.count()}))
                               : (*session)->query(kReleaseLease, Parameters(name, owner));
  if (!result) return result.error();
  return acquires && result->changed_rows() != 0;
}

model::Status PostgresItemStore::health(ports::Call& call) {
  const auto newest = revision(call);
  if (!newest) return newest.error();
  return {};
}

}  // namespace kbase::postgres
