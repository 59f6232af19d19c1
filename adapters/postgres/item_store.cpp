// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/item_store.hpp"

#include <algorithm>

#include "adapters/base/waiting.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/item_writer.hpp"
#include "adapters/postgres/session.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

constexpr char kSummaries[] =
    "SELECT " KBASE_SUMMARY_COLUMNS
    " FROM unnest($1) WITH ORDINALITY AS wanted (id, place) JOIN items USING (id) ORDER BY place";
constexpr char kRecent[] = "SELECT " KBASE_SUMMARY_COLUMNS
                           " FROM items"
                           " ORDER BY updated DESC, created DESC, id LIMIT $1 OFFSET $2";
constexpr char kRecentOfCategory[] = "SELECT " KBASE_SUMMARY_COLUMNS
                                     " FROM items"
                                     " WHERE category = $3 ORDER BY updated DESC, created DESC, id LIMIT $1 OFFSET $2";
constexpr char kCategories[] = "SELECT " KBASE_CATEGORY_COLUMNS
                               " FROM categories"
                               " ORDER BY name, id LIMIT $1 OFFSET $2";
constexpr char kTotals[] =
    "SELECT items, categories, views,"
    " (SELECT coalesce(sum(items), 0)::bigint FROM additions WHERE day BETWEEN $1 AND $2) FROM store";
constexpr char kSynonyms[] = "SELECT " KBASE_SYNONYMS_COLUMNS " FROM synonyms ORDER BY number";
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

Error unavailable_error(const char* message) { return {ErrorCode::Unavailable, message}; }

Error import_running_error() { return {ErrorCode::Conflict, "another import is running; try again when it has ended"}; }

using ports::Change;

constexpr char kState[] =
    "SELECT revision, proof, dropped, EXISTS (SELECT 1 FROM tombstones WHERE revision > $1 AND removed < $2) FROM "
    "store";

// The planner merges the three tables from their revision indexes. The columns are in the order that ItemRow and
// FeedCategory read; the last column is the kind. A reader that starts at 0 has no records to delete, so it gets no
// tombstones. A sort would write all contents to disk again before the first row. With the condition outside the union,
// the planner finds that it needs no sort.
constexpr char kForceIndexOrder[] =
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off";
const std::string kChanges = [] {
  const auto nulls = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += "NULL, ";
    return list;
  };
  return "SELECT * FROM (SELECT " KBASE_ITEM_COLUMNS
         ", 0::smallint AS kind FROM items"
         " UNION ALL "
         "SELECT revision, id, name, NULL, NULL, items, description, icon, subcategories, " +
         nulls(records::kItemColumns - 9) +
         "2::smallint FROM categories"
         " UNION ALL "
         "SELECT revision, id, " +
         nulls(records::kItemColumns - 2) +
         "CASE kind WHEN 0 THEN 1::smallint ELSE 3::smallint END FROM tombstones"
         ") AS feed WHERE revision > $1 AND (kind IN (0, 2) OR $1 > 0) ORDER BY revision";
}();
constexpr int kKindColumn = records::kItemColumns;

constexpr Change::Kind kKinds[] = {Change::Kind::ItemPut, Change::Kind::ItemRemoved, Change::Kind::CategoryPut,
                                   Change::Kind::CategoryRemoved};

/// Reads a category from the feed's columns.
class FeedCategory {
 public:
  const model::CategoryView* operator()(const Row& row) {
    if (!wire::read_list(row.text(8), subcategories_)) return nullptr;
    view_.revision = row.number(0);
    view_.id = row.text(1);
    view_.name = row.text(2);
    view_.item_count = row.number(5);
    view_.description = row.text(6);
    view_.icon = row.text(7);
    view_.subcategories = subcategories_;
    return &view_;
  }

 private:
  model::CategoryView view_;
  std::vector<std::string_view> subcategories_;
};

class ChangeReader {
 public:
  /// Returns null if the row is damaged.
  const Change* operator()(const Row& row) {
    change_ = {};
    change_.kind = kKinds[row.integer(kKindColumn) & 3];
    change_.revision = row.number(0);
    change_.id = row.text(1);
    if (change_.kind == Change::Kind::ItemPut && (change_.item = item_(row)) == nullptr) return nullptr;
    if (change_.kind == Change::Kind::CategoryPut && (change_.category = category_(row)) == nullptr) return nullptr;
    return &change_;
  }

 private:
  Change change_;
  ItemRow item_;
  FeedCategory category_;
};

constexpr std::chrono::seconds kMaxNotificationWait{1};

/// Releases the semaphore at the end of a scope.
struct SemaphoreGuard {
  ~SemaphoreGuard() { semaphore.release(); }
  std::binary_semaphore& semaphore;
};

/// Maps Deadline to success: a wait that reaches its deadline has not failed.
Status ignore_deadline(const Status& status) {
  if (!status && status.error().code == ErrorCode::Deadline) return {};
  return status;
}

}  // namespace

Result<std::unique_ptr<PostgresItemStore>> PostgresItemStore::open(const Options& options, const ports::Clock& clock,
                                                                   ports::Random& random) {
  auto database = KBASE_TRY(Database::open(options, clock, random));
  return std::unique_ptr<PostgresItemStore>(new PostgresItemStore(std::move(database)));
}

PostgresItemStore::PostgresItemStore(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      writers_(database_->make_pool(1, import_running_error())),
      feeds_(database_->make_pool(kMaxFeeds,
                                  unavailable_error("other readers of the changes feed are running; try again"))),
      leases_(database_->make_pool(1, unavailable_error("another lease is being acquired; try again"))),
      listener_(std::make_unique<ChangeListener>(*database_)) {}

PostgresItemStore::~PostgresItemStore() = default;

bool PostgresItemStore::created() const { return database_->created(); }

std::chrono::milliseconds PostgresItemStore::clock_ahead() const { return database_->clock_ahead(); }

model::StoreId PostgresItemStore::store_id() const { return database_->store_id(); }

Result<model::Revision> PostgresItemStore::revision(ports::Call& call) {
  const auto reader = KBASE_TRY(database_->read(call));
  const auto newest = KBASE_TRY(schema::read_commit(*reader));
  database_->record_commit(newest);
  return newest.revision;
}

Status PostgresItemStore::wait(ports::Call& call, model::Revision after) { return listener_->wait(call, after); }

Status PostgresItemStore::get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  return visit_item(*reader, id, visitor);
}

Status PostgresItemStore::summaries(ports::Call& call, std::span<const std::string_view> ids,
                                    ports::SummaryVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  wire::ArrayBuilder wanted(wire::Type::Bytea);
  for (const std::string_view id : ids) wanted.add(id);
  return visit_rows(*reader, kSummaries, Parameters(&wanted), SummaryRow(), visitor);
}

Status PostgresItemStore::recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                                 ports::SummaryVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  const std::uint64_t limit = storable(slice.limit), offset = storable(slice.offset);
  if (!category) return visit_rows(*reader, kRecent, Parameters(limit, offset), SummaryRow(), visitor);
  return visit_rows(*reader, kRecentOfCategory, Parameters(limit, offset, *category), SummaryRow(), visitor);
}

Status PostgresItemStore::category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  return visit_category(*reader, id, visitor);
}

Status PostgresItemStore::categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  return visit_rows(*reader, kCategories, Parameters(storable(slice.limit), storable(slice.offset)), CategoryRow(),
                    visitor);
}

Result<ports::StoreTotals> PostgresItemStore::totals(ports::Call& call, model::Day today) {
  const auto reader = KBASE_TRY(database_->read(call));
  const auto result = KBASE_TRY(reader->query(kTotals, Parameters(today - kRecentDays, today)));
  if (result.rows() != 1) return reader->corrupt_error("the table store is empty");
  const Row store = result.row(0);
  return ports::StoreTotals{.items = store.number(0),
                            .categories = store.number(1),
                            .views = store.number(2),
                            .recent_additions = store.number(3)};
}

Status PostgresItemStore::category_views(ports::Call& call, Visitor<ports::CategoryViews> visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  const auto read = [](const Row& row) {
    return std::optional(ports::CategoryViews{row.text(0), row.text(1), row.number(2)});
  };
  return visit_rows(*reader, kCategoryViews, {}, read, visitor);
}

Result<model::Revision> PostgresItemStore::changes(ports::Call& call, model::Revision after,
                                                   ports::ChangeVisitor visitor) {
  KBASE_TRY(check_call(call, database_->clock()));
  auto pooled = KBASE_TRY(feeds_->acquire(call));
  const auto snapshot = KBASE_TRY(begin_long_snapshot(std::move(pooled)));
  const auto up_to = KBASE_TRY(emit_changes(*snapshot, database_->clock().now(), after, visitor));
  database_->record_commit(up_to);
  return up_to.revision;
}

Status PostgresItemStore::synonyms(ports::Call& call, ports::SynonymsVisitor visitor) {
  const auto reader = KBASE_TRY(database_->read(call));
  return visit_rows(*reader, kSynonyms, {}, records::SynonymsRow<Row>(), visitor);
}

Result<std::unique_ptr<ports::ItemWriter>> PostgresItemStore::begin(ports::Call& call) {
  ports::Call extended_call = call;
  extended_call.deadline = std::max(call.deadline, database_->clock().steady() + kMinLockWait);
  auto pooled = KBASE_TRY(writers_->acquire(extended_call));
  return PostgresItemWriter::open(call, std::move(pooled), *database_);
}

Result<bool> PostgresItemStore::try_lease(ports::Call& call, std::string_view name, std::string_view owner,
                                          std::chrono::milliseconds ttl) {
  KBASE_TRY(check_call(call, database_->clock()));
  const auto session = KBASE_TRY(leases_->acquire(call));
  const bool acquires = ttl > ttl.zero();
  const auto result =
      KBASE_TRY(acquires ? session->query(kAcquireLease, Parameters(name, owner, std::int64_t{ttl.count()}))
                         : session->query(kReleaseLease, Parameters(name, owner)));
  return acquires && result.changed_rows() != 0;
}

Status PostgresItemStore::health(ports::Call& call) {
  KBASE_TRY(revision(call));
  return {};
}

Result<schema::Commit> emit_changes(Session& snapshot, model::Instant now, model::Revision after,
                                    ports::ChangeVisitor visitor) {
  const auto state = KBASE_TRY(snapshot.query(kState, Parameters(storable(after), now - kTombstoneRetention)));
  if (state.rows() != 1) return snapshot.corrupt_error("the table store is empty");
  const schema::Commit up_to{state.row(0).number(0), std::string(state.row(0).text(1))};
  const model::Revision discarded = state.row(0).number(2);
  if (after != 0 && (after < discarded || state.row(0).flag(3)))
    return Error{ErrorCode::Gone, "the changes after revision " + std::to_string(after) +
                                      " are no longer available; read the feed from 0"};
  KBASE_TRY(snapshot.execute(kForceIndexOrder));
  bool is_stopped = false;
  const auto emitted = visit_rows<Change>(snapshot, kChanges.c_str(), Parameters(storable(after)), ChangeReader(),
                                          [&](const Change& change) {
                                            const Visit visit = visitor(change);
                                            is_stopped = visit == Visit::Stop;
                                            return visit;
                                          });
  if (!emitted) return emitted.error();
  if (is_stopped) return Error{ErrorCode::Cancelled, "the visitor stopped the changes feed"};
  return up_to;
}

Status ChangeListener::wait(const ports::Call& call, model::Revision after) {
  while (!semaphore_.try_acquire_for(waiting::kPollInterval))
    if (auto active = check_call(call, database_.clock()); !active) return ignore_deadline(active);
  const SemaphoreGuard guard{semaphore_};
  if (!session_ || !session_->is_usable())
    if (auto listening = listen(call); !listening) return ignore_deadline(listening);
  const CallScope scope(*session_, call);
  return ignore_deadline(wait_for_commit(call, after));
}

Status ChangeListener::listen(const ports::Call& call) {
  auto session = KBASE_TRY(database_.connect(call));
  const CallScope scope(*session, call);
  KBASE_TRY(session->execute("LISTEN \"" + database_.names().channel() + '"'));
  session_ = std::move(session);
  return {};
}

Status ChangeListener::wait_for_commit(const ports::Call& call, model::Revision after) {
  for (;;) {
    const auto newest = KBASE_TRY(schema::read_commit(*session_));
    database_.record_commit(newest);
    if (newest.revision > after) return {};
    KBASE_TRY(check_call(call, database_.clock()));
    KBASE_TRY(session_->await_notification(kMaxNotificationWait));
  }
}

}  // namespace kbase::postgres
