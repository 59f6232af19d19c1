// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/item_writer.hpp"

#include <algorithm>
#include <thread>
#include <unordered_set>

#include "adapters/base/waiting.hpp"
#include "adapters/postgres/session.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

constexpr char kBegin[] = "BEGIN ISOLATION LEVEL READ COMMITTED";
constexpr char kLockTimeout[] = "SELECT set_config('lock_timeout', convert_from($1, 'UTF8'), true)";
constexpr char kLock[] = "SELECT pg_advisory_xact_lock(hashtextextended(convert_from($1, 'UTF8'), 0))";
constexpr char kTryLock[] = "SELECT pg_try_advisory_xact_lock(hashtextextended(convert_from($1, 'UTF8'), 0))";
constexpr char kLoad[] =
    "SELECT revision, EXISTS (SELECT 1 FROM tombstones), pg_current_xact_id()::text::bigint,"
    " uuid_send(gen_random_uuid()) FROM store";
constexpr char kItem[] = "SELECT " KBASE_ITEM_COLUMNS " FROM items WHERE id = $1";
constexpr char kItems[] = "SELECT " KBASE_ITEM_COLUMNS
                          " FROM unnest($1) WITH ORDINALITY AS wanted (id, place) JOIN items USING (id) ORDER BY place";
constexpr char kCategory[] = "SELECT " KBASE_CATEGORY_COLUMNS " FROM categories WHERE id = $1";
constexpr char kDeleteItems[] = "DELETE FROM items WHERE id = ANY ($1) RETURNING category, created, views";
constexpr char kCopyItems[] = "COPY items (" KBASE_ITEM_COLUMNS ") FROM STDIN (FORMAT binary)";
constexpr char kPutCategory[] =
    "INSERT INTO categories (revision, id, name, description, icon, subcategories) VALUES ($1, $2, $3, $4, $5, $6)"
    " ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, name = excluded.name,"
    " description = excluded.description, icon = excluded.icon, subcategories = excluded.subcategories";
constexpr char kCountCategory[] = "SELECT items FROM categories WHERE id = $1";
constexpr char kDeleteCategory[] = "DELETE FROM categories WHERE id = $1";
constexpr char kDeleteSynonyms[] = "DELETE FROM synonyms";
constexpr char kInsertSynonyms[] = "INSERT INTO synonyms (number, " KBASE_SYNONYMS_COLUMNS ") VALUES ($1, $2, $3, $4)";
constexpr char kInsertTombstone[] = "INSERT INTO tombstones VALUES ($1, $2, $3, $4)";
constexpr char kDeleteTombstones[] = "DELETE FROM tombstones WHERE id = ANY ($1) AND kind = $2";
constexpr char kAddToCategories[] =
    "UPDATE categories AS c SET items = c.items + added.items, views = c.views + added.views"
    " FROM unnest($1, $2, $3) AS added (id, items, views) WHERE c.id = added.id";
constexpr char kAddToDays[] =
    "INSERT INTO additions AS a SELECT * FROM unnest($1, $2) ON CONFLICT (day) DO UPDATE SET items = a.items + "
    "excluded.items";
constexpr char kAddToStore[] =
    "UPDATE store SET revision = $1, proof = $2, items = items + $3, categories = categories + $4, views = views + $5";
// The clocks of machines differ, so an older tombstone can be dropped after a newer one.
constexpr char kPurgeTombstones[] =
    "WITH old AS (DELETE FROM tombstones WHERE removed < $1 RETURNING revision)"
    " UPDATE store SET dropped = greatest(dropped, newest.revision) FROM (SELECT max(revision) AS revision FROM old) "
    "AS newest"
    " WHERE newest.revision IS NOT NULL";
// Read by schema::has_commit. Keeps the previous commit, which other processes may have seen last, however old it is.
constexpr char kInsertProof[] = "INSERT INTO batches VALUES ($1, $2, now())";
constexpr char kDeleteOldProofs[] =
    "WITH old AS (DELETE FROM batches WHERE committed < now() - interval '30 days' AND revision < $1"
    " RETURNING revision)"
    " UPDATE store SET unproved = newest.revision FROM (SELECT max(revision) AS revision FROM old) AS newest"
    " WHERE newest.revision IS NOT NULL";
constexpr char kNotify[] = "SELECT pg_notify(convert_from($1, 'UTF8'), '')";
constexpr char kIsRunning[] = "SELECT coalesce(pg_xact_status(($1::bigint::text)::xid8) = 'in progress', false)";

/// Rows are sent when they reach this size: few round trips, little memory.
constexpr std::size_t kRowBytes = std::size_t{1} << 20;

/// Extra time for the server's reply after the lock timeout.
constexpr std::chrono::seconds kReplyGrace{2};

/// How long a commit that got no reply queries its outcome on new connections.
constexpr std::chrono::seconds kOutcomeTimeout{10};

Error not_found(std::string message) { return {ErrorCode::NotFound, std::move(message)}; }

Error import_running_error() { return {ErrorCode::Conflict, "another import is running; try again when it has ended"}; }

/// Acquires the writer's lock until the end of the transaction. Conflict: another import holds it. A `timeout` of 0
/// tries once.
Status lock_writer(Session& session, const std::string& name, std::chrono::milliseconds timeout) {
  if (timeout <= timeout.zero()) {
    const auto acquired = KBASE_TRY(session.query(kTryLock, Parameters(std::string_view(name))));
    return acquired.row(0).flag(0) ? Status() : import_running_error();
  }
  const std::string limit = std::to_string(timeout.count());
  KBASE_TRY(session.run(kLockTimeout, Parameters(std::string_view(limit))));
  if (auto locked = session.run(kLock, Parameters(std::string_view(name))); !locked)
    return locked.error().code == ErrorCode::Conflict ? import_running_error() : locked;
  return session.run(kLockTimeout, Parameters(std::string_view("0")));
}

}  // namespace

Status visit_item(Session& session, std::string_view id, ports::ItemVisitor visitor) {
  const auto found = visit_one<model::ItemView>(session, kItem, Parameters(id), ItemRow(), visitor);
  if (found && !*found) return not_found("There is no such item.");
  return found ? Status() : found.error();
}

Status visit_category(Session& session, std::string_view id, ports::CategoryVisitor visitor) {
  const auto found = visit_one<model::CategoryView>(session, kCategory, Parameters(id), CategoryRow(), visitor);
  if (found && !*found) return not_found("There is no such category.");
  return found ? Status() : found.error();
}

Result<std::unique_ptr<ports::ItemWriter>> PostgresItemWriter::open(const ports::Call& call, PooledSession pooled,
                                                                    Database& database) {
  const auto timeout = time_left(call, database.clock());
  // The lock timeout comes first, so that the caller gets Conflict (another import is running) instead of Deadline. The
  // call fails a little later if the server does not reply at all.
  ports::Call waiting;
  waiting.cancel = call.cancel;
  const auto max_deadline = ports::Call::SteadyTime::max() - kReplyGrace;
  waiting.deadline = std::max(std::min(call.deadline, max_deadline), database.clock().steady() + timeout) + kReplyGrace;
  pooled->set_call(&waiting);
  auto transaction = KBASE_TRY(Transaction::begin(std::move(pooled), kBegin));
  KBASE_TRY(lock_writer(*transaction, database.names().writer_lock(), timeout));
  std::unique_ptr<PostgresItemWriter> writer(new PostgresItemWriter(std::move(transaction), database));
  KBASE_TRY(writer->load_state());
  writer->session().set_call(nullptr);  // the call of begin() ends before the batch does
  return std::unique_ptr<ports::ItemWriter>(std::move(writer));
}

Status PostgresItemWriter::load_state() {
  const auto result = KBASE_TRY(session().query(kLoad));
  if (result.rows() != 1) return session().corrupt_error("the table store is empty");
  committed_ = revision_ = result.row(0).number(0);
  has_tombstones_ = result.row(0).flag(1);
  transaction_number_ = result.row(0).integer(2);
  proof_ = result.row(0).text(3);
  return {};
}

Status PostgresItemWriter::read(ports::Call& call, std::span<const std::string_view> ids, ports::ItemVisitor visitor) {
  const CallScope scope(session(), call);
  wire::ArrayBuilder wanted(wire::Type::Bytea);
  for (const std::string_view id : ids) wanted.add(id);
  return visit_rows(session(), kItems, Parameters(&wanted), ItemRow(), visitor);
}

Status PostgresItemWriter::read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  const CallScope scope(session(), call);
  const auto counters = counts_.by_category.find(id);
  return visit_category(session(), id, [&](const model::CategoryView& stored) {
    model::CategoryView category = stored;
    if (counters != counts_.by_category.end()) category.item_count += counters->second.items;
    return visitor(category);
  });
}

Status PostgresItemWriter::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  const CallScope scope(session(), call);
  std::unordered_set<std::string_view> ids;
  for (const model::ItemView* item : items) {
    const auto category = KBASE_TRY(load_counters(item->category));
    if (!category->exists)
      return invalid_argument("category", "the item " + std::string(item->id) +
                                              " has a category that does not exist: " + std::string(item->category));
    ids.insert(item->id);
  }
  const std::vector<std::string_view> distinct(ids.begin(), ids.end());
  KBASE_TRY(delete_items(distinct));
  KBASE_TRY(insert_items(items));
  return delete_tombstone(TombstoneKind::Item, distinct);
}

/// Deletes the rows of items and inserts no tombstones. Returns the number of deleted rows.
Result<std::uint64_t> PostgresItemWriter::delete_items(std::span<const std::string_view> ids) {
  wire::ArrayBuilder list(wire::Type::Bytea);
  for (const std::string_view id : ids) list.add(id);
  const auto deleted = KBASE_TRY(session().query(kDeleteItems, Parameters(&list)));
  for (int i = 0; i < deleted.rows(); ++i) {
    const Row item = deleted.row(i);
    const auto category = KBASE_TRY(load_counters(item.text(0)));
    counts_.add_items(*category, item.day(1), records::kMinusOne, 0 - item.number(2));
  }
  return static_cast<std::uint64_t>(deleted.rows());
}

/// If an id occurs more than once, only the last item is stored. Each occurrence uses up a revision.
Status PostgresItemWriter::insert_items(std::span<const model::ItemView* const> items) {
  std::unordered_map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; i < items.size(); ++i) last[items[i]->id] = i;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const model::ItemView* const item = items[i];
    ++revision_;
    if (last[item->id] != i) continue;
    rows_.add(*item, revision_);
    counts_.add_items(counts_.by_category.find(item->category)->second, item->metadata.created, 1,
                      item->metadata.views);
    if (rows_.size() < kRowBytes) continue;
    KBASE_TRY(send_rows());
  }
  return rows_.empty() ? Status() : send_rows();
}

Status PostgresItemWriter::send_rows() { return session().copy(kCopyItems, rows_.finish()); }

/// Never null. Valid for the whole batch.
Result<records::BatchCounts::Category*> PostgresItemWriter::load_counters(std::string_view category) {
  if (const auto known = counts_.by_category.find(category); known != counts_.by_category.end()) return &known->second;
  const auto found = KBASE_TRY(session().query(kCountCategory, Parameters(category)));
  records::BatchCounts::Category& counters = counts_.by_category[std::string(category)];
  counters.exists = found.rows() != 0;
  return &counters;
}

Status PostgresItemWriter::put_category(ports::Call& call, const model::CategoryView& category) {
  const CallScope scope(session(), call);
  const auto counters = KBASE_TRY(load_counters(category.id));
  wire::ArrayBuilder subcategories(wire::Type::Bytea);
  for (const std::string_view name : category.subcategories) subcategories.add(name);
  const Parameters parameters(++revision_, category.id, category.name, category.description, category.icon,
                              &subcategories);
  KBASE_TRY(session().run(kPutCategory, parameters));
  if (counters->exists) return {};
  counters->exists = true;
  ++counts_.categories;
  return delete_tombstone(TombstoneKind::Category, {&category.id, 1});
}

Result<bool> PostgresItemWriter::remove(ports::Call& call, std::string_view id) {
  const CallScope scope(session(), call);
  const auto deleted = KBASE_TRY(delete_items({&id, 1}));
  if (deleted == 0) return false;
  KBASE_TRY(insert_tombstone(TombstoneKind::Item, id));
  return true;
}

Result<bool> PostgresItemWriter::remove_category(ports::Call& call, std::string_view id) {
  const CallScope scope(session(), call);
  const auto stored = KBASE_TRY(session().query(kCountCategory, Parameters(id)));
  if (stored.rows() == 0) return false;
  const auto counters = KBASE_TRY(load_counters(id));
  const std::uint64_t items = stored.row(0).number(0) + counters->items;
  if (items != 0)
    return invalid_argument("id", "the category " + std::string(id) + " still has " + std::to_string(items) +
                                      " items; remove or move them first");
  KBASE_TRY(session().run(kDeleteCategory, Parameters(id)));
  *counters = {};
  --counts_.categories;
  KBASE_TRY(insert_tombstone(TombstoneKind::Category, id));
  return true;
}

Status PostgresItemWriter::set_synonyms(ports::Call& call, std::span<const model::SynonymsView* const> synonyms) {
  const CallScope scope(session(), call);
  ++revision_;
  KBASE_TRY(session().run(kDeleteSynonyms));
  std::int64_t number = 0;
  for (const model::SynonymsView* each : synonyms) {
    wire::ArrayBuilder words(wire::Type::Bytea);
    for (const std::string_view word : each->words) words.add(word);
    KBASE_TRY(session().run(kInsertSynonyms, Parameters(++number, each->from, &words, each->source)));
  }
  return {};
}

Status PostgresItemWriter::insert_tombstone(TombstoneKind kind, std::string_view id) {
  has_tombstones_ = true;
  return session().run(kInsertTombstone, Parameters(++revision_, static_cast<std::int16_t>(kind), id, clock().now()));
}

/// Deletes the tombstones of records that exist again.
Status PostgresItemWriter::delete_tombstone(TombstoneKind kind, std::span<const std::string_view> ids) {
  if (!has_tombstones_) return {};
  wire::ArrayBuilder list(wire::Type::Bytea);
  for (const std::string_view id : ids) list.add(id);
  return session().run(kDeleteTombstones, Parameters(&list, static_cast<std::int16_t>(kind)));
}

Result<model::Revision> PostgresItemWriter::commit(ports::Call& call) {
  if (revision_ != committed_) {
    {
      const CallScope scope(session(), call);
      KBASE_TRY(write_counts());
      KBASE_TRY(insert_proof());
      KBASE_TRY(purge_tombstones());
      KBASE_TRY(notify_waiters());
      KBASE_TRY(check_call(call, clock()));
    }
    // No call is set from here on: a cancelled call must not report failure for a commit that can still succeed.
    if (const auto committed = transaction_->commit(); !committed) KBASE_TRY(resolve_commit(committed.error()));
    database_.record_commit({revision_, proof_});
  }
  transaction_.reset();
  return revision_;
}

Status PostgresItemWriter::write_counts() {
  KBASE_TRY(write_category_counts());
  wire::ArrayBuilder days(wire::Type::Date), items(wire::Type::Bigint);
  for (const auto& [day, added] : counts_.additions) {
    days.add(day);
    items.add(static_cast<std::int64_t>(added));
  }
  KBASE_TRY(session().run(kAddToDays, Parameters(&days, &items)));
  return session().run(kAddToStore, Parameters(revision_, std::string_view(proof_), counts_.store.items,
                                               counts_.categories, counts_.store.views));
}

Status PostgresItemWriter::write_category_counts() {
  wire::ArrayBuilder ids(wire::Type::Bytea), items(wire::Type::Bigint), views(wire::Type::Bigint);
  for (const auto& [id, counters] : counts_.by_category) {
    if (counters.items == 0 && counters.views == 0) continue;
    ids.add(std::string_view(id));
    items.add(static_cast<std::int64_t>(counters.items));
    views.add(static_cast<std::int64_t>(counters.views));
  }
  return session().run(kAddToCategories, Parameters(&ids, &items, &views));
}

/// Stores the random proof that distinguishes this commit from another one with the same revision.
Status PostgresItemWriter::insert_proof() {
  KBASE_TRY(session().run(kDeleteOldProofs, Parameters(committed_)));
  return session().run(kInsertProof, Parameters(revision_, std::string_view(proof_)));
}

Status PostgresItemWriter::purge_tombstones() {
  if (!has_tombstones_) return {};
  return session().run(kPurgeTombstones, Parameters(clock().now() - kTombstoneRetention));
}

/// Notifies the waiters for changes when the transaction commits.
Status PostgresItemWriter::notify_waiters() {
  const std::string channel = database_.names().channel();
  return session().run(kNotify, Parameters(std::string_view(channel)));
}

/// Finds out whether a commit succeeded whose connection was lost before the reply. Once the transaction is no longer
/// running, its proof exists or never will. PostgreSQL's transaction status is not enough: a promoted replica that
/// lacks the transaction gives its number to another one.
Status PostgresItemWriter::resolve_commit(const Error& lost) {
  if (session().is_connected()) return lost;  // the server replied with an error
  for (const auto until = waiting::after(kOutcomeTimeout); waiting::now() < until;
       std::this_thread::sleep_for(waiting::kPollInterval)) {
    ports::Call call;
    call.deadline = clock().steady() + kOutcomeTimeout;
    const auto session = database_.connect(call);
    if (!session) continue;
    const CallScope scope(**session, call);
    const auto running = (*session)->query(kIsRunning, Parameters(transaction_number_));
    // To a promoted replica that lacks the transaction, its number is in the future; the query then fails.
    if (!running && (*session)->is_connected()) return lost;
    if (!running || running->row(0).flag(0)) continue;
    const auto is_committed = schema::has_commit(**session, {revision_, proof_});
    if (!is_committed) continue;
    return *is_committed ? Status() : lost;
  }
  Error error = lost;
  error.message =
      "the connection to the database was lost during the commit, and it is unknown whether the batch was stored; "
      "import again (items that are stored already do not change)";
  return error;
}

}  // namespace kbase::postgres
