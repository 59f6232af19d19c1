// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/database.hpp"

#include <algorithm>
#include <map>

#include "adapters/postgres/session.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

constexpr char kRevision[] = "SELECT revision FROM views_state";
constexpr char kNextRevision[] = "UPDATE views_state SET revision = revision + 1 RETURNING revision";
constexpr char kLock[] = "SELECT revision FROM views_state FOR UPDATE";
constexpr char kRecordSequence[] =
    "INSERT INTO journals AS known VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE"
    " SET sequence = excluded.sequence, used = excluded.used WHERE known.sequence < excluded.sequence";
constexpr char kDeleteOldJournals[] =
    "DELETE FROM journals WHERE id IN (SELECT id FROM journals WHERE used < $1 FOR UPDATE SKIP LOCKED)";
constexpr char kAdd[] =
    "WITH given AS (SELECT id, day, sum(views)::bigint AS views FROM unnest($1, $2, $3) AS g (id, day, views)"
    "  GROUP BY id, day),"
    " by_item AS (INSERT INTO viewed AS v (id, views, revision)"
    "  SELECT id, sum(views)::bigint, $4 FROM given GROUP BY id"
    "  ON CONFLICT (id) DO UPDATE SET views = v.views + excluded.views, revision = excluded.revision"
    "  RETURNING number, id),"
    " by_day AS (INSERT INTO days AS d SELECT day, sum(views)::bigint FROM given GROUP BY day"
    "  ON CONFLICT (day) DO UPDATE SET views = d.views + excluded.views)"
    " INSERT INTO item_days AS i SELECT number, day, views FROM given JOIN by_item USING (id)"
    "  ON CONFLICT (item, day) DO UPDATE SET views = i.views + excluded.views";
constexpr char kItemDays[] =
    "SELECT d.day, d.views FROM viewed AS v JOIN item_days AS d ON d.item = v.number WHERE v.id = $1";
constexpr char kSubtractFromDays[] =
    "UPDATE days AS d SET views = d.views - gone.views"
    " FROM (SELECT i.day, i.views FROM viewed AS v JOIN item_days AS i ON i.item = v.number WHERE v.id = $1) AS gone"
    " WHERE d.day = gone.day";
constexpr char kClearItem[] = "DELETE FROM item_days WHERE item = (SELECT number FROM viewed WHERE id = $1)";
constexpr char kZeroItem[] = "UPDATE viewed SET views = 0, revision = $2 WHERE id = $1";
constexpr char kState[] = "SELECT revision, anew FROM views_state";
constexpr char kTotals[] = "SELECT id, views FROM viewed WHERE revision > $1 AND (views > 0 OR $2 > 0)";
// Read in pages with a cursor: the result can have very many rows, and callers stop after a few.
constexpr char kDeclareTop[] =
    "DECLARE top NO SCROLL CURSOR FOR"
    " SELECT v.id, s.views FROM (SELECT item, sum(views)::bigint AS views FROM item_days WHERE day BETWEEN $1 AND $2"
    "  GROUP BY item) AS s JOIN viewed AS v ON v.number = s.item ORDER BY s.views DESC, v.id";
constexpr char kNextOfTop[] = "FETCH 200 FROM top";
constexpr char kDaily[] = "SELECT day, views FROM days WHERE day BETWEEN $1 AND $2 AND views > 0 ORDER BY day";
constexpr char kDays[] =
    "SELECT v.id, d.day, d.views FROM viewed AS v JOIN item_days AS d ON d.item = v.number ORDER BY v.id, d.day";
constexpr char kJournals[] = "SELECT id, sequence FROM journals ORDER BY id";

constexpr std::chrono::days kJournalRetention{30};

using DayCounts = std::map<model::Day, std::uint64_t>;

Result<QueryResult> query_row(Session& session, const char* sql) {
  auto result = session.query(sql);
  if (result && result->rows() != 1) return session.corrupt_error("the table views_state is empty");
  return result;
}

/// Returns the number in the single row of the result.
Result<std::uint64_t> query_number(Session& session, const char* sql) {
  const auto result = KBASE_TRY(query_row(session, sql));
  return result.row(0).number(0);
}

/// Adds the increments under a new revision. Concurrent calls wait here for the row lock, so they cannot deadlock.
Status add_views(Session& session, std::span<const ports::ViewIncrement> increments) {
  const auto revision = KBASE_TRY(query_number(session, kNextRevision));
  wire::ArrayBuilder ids(wire::Type::Bytea), days(wire::Type::Date), views(wire::Type::Bigint);
  for (const ports::ViewIncrement& increment : increments) {
    if (increment.views == 0) continue;
    ids.add(increment.item);
    days.add(increment.day);
    views.add(static_cast<std::int64_t>(increment.views));
  }
  return session.run(kAdd, Parameters(&ids, &days, &views, revision));
}

Result<DayCounts> read_days(Session& session, std::string_view item) {
  const auto result = KBASE_TRY(session.query(kItemDays, Parameters(item)));
  DayCounts days;
  for (int i = 0; i < result.rows(); ++i) days[result.row(i).day(0)] = result.row(i).number(1);
  return days;
}

DayCounts sum_by_day(std::span<const ports::DayViews> days) {
  DayCounts counts;
  for (const ports::DayViews& day : days)
    if (day.views != 0) counts[day.day] += day.views;
  return counts;
}

Status clear_item(Session& session, std::string_view item) {
  KBASE_TRY(session.run(kSubtractFromDays, Parameters(item)));
  return session.run(kClearItem, Parameters(item));
}

std::optional<ports::ItemViews> read_item_views(const Row& row) { return ports::ItemViews{row.text(0), row.number(1)}; }

std::optional<ports::DayViews> read_day_views(const Row& row) { return ports::DayViews{row.day(0), row.number(1)}; }

std::optional<ports::JournalMark> read_journal_mark(const Row& row) {
  ports::JournalMark mark;
  const wire::Bytes id = row.bytes(0);
  if (id.size() != mark.journal.size()) return std::nullopt;
  std::copy(id.begin(), id.end(), mark.journal.begin());
  mark.sequence = row.number(1);
  return mark;
}

std::optional<ports::ViewIncrement> read_view_increment(const Row& row) {
  return ports::ViewIncrement{row.text(0), row.day(1), row.number(2)};
}

/// View counts. A row lock on `views_state` serializes add() and set(), so revisions become visible in the order in
/// which they were assigned.
class PostgresActivityStore final : public ports::ActivityStore {
 public:
  explicit PostgresActivityStore(Database& database) : database_(database) {}

  Status add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
             std::span<const ports::ViewIncrement> increments) override {
    auto transaction = KBASE_TRY(database_.write(call));
    Session& session = *transaction;
    const model::Instant now = database_.clock().now();
    const auto recorded =
        KBASE_TRY(session.query(kRecordSequence, Parameters(wire::Bytes(journal), storable(sequence), now)));
    if (recorded.changed_rows() == 0) return {};
    const auto has_views = [](const ports::ViewIncrement& increment) { return increment.views != 0; };
    if (std::any_of(increments.begin(), increments.end(), has_views)) KBASE_TRY(add_views(session, increments));
    KBASE_TRY(session.run(kDeleteOldJournals, Parameters(now - kJournalRetention)));
    return transaction.commit();
  }
  Status set(ports::Call& call, std::string_view item, std::span<const ports::DayViews> days) override {
    auto transaction = KBASE_TRY(database_.write(call));
    Session& session = *transaction;
    KBASE_TRY(session.run(kLock));
    const auto stored = KBASE_TRY(read_days(session, item));
    const DayCounts wanted = sum_by_day(days);
    if (stored == wanted) return {};
    KBASE_TRY(clear_item(session, item));
    const auto revision = KBASE_TRY(query_number(session, kNextRevision));
    KBASE_TRY(session.run(kZeroItem, Parameters(item, revision)));
    std::vector<ports::ViewIncrement> increments;
    for (const auto& [day, views] : wanted) increments.push_back({item, day, views});
    if (!increments.empty()) KBASE_TRY(add_views(session, increments));
    return transaction.commit();
  }
  Result<model::ViewsRevision> revision(ports::Call& call) override {
    const auto reader = KBASE_TRY(database_.read(call));
    const auto revision = query_number(*reader, kRevision);
    if (revision) database_.record_views_revision(*revision);
    return revision;
  }
  Result<model::ViewsRevision> totals(ports::Call& call, model::ViewsRevision after,
                                      Visitor<ports::ItemViews> visitor) override {
    const auto snapshot = KBASE_TRY(database_.snapshot(call));
    const auto state = KBASE_TRY(query_row(*snapshot, kState));
    const model::ViewsRevision up_to = state.row(0).number(0), reset_revision = state.row(0).number(1);
    const Parameters bounds(after < reset_revision ? 0 : storable(after), storable(after));
    KBASE_TRY(visit_rows(*snapshot, kTotals, bounds, read_item_views, visitor));
    database_.record_views_revision(up_to);
    return up_to;
  }
  Status top(ports::Call& call, model::Day first, model::Day last, Visitor<ports::ItemViews> visitor) override {
    const auto snapshot = database_.snapshot(call);  // its end closes the cursor
    if (!snapshot) return snapshot.error();
    KBASE_TRY((*snapshot)->run(kDeclareTop, Parameters(first, last)));
    for (;;) {
      const auto page = KBASE_TRY((*snapshot)->query(kNextOfTop));
      if (page.rows() == 0) return {};
      for (int i = 0; i < page.rows(); ++i)
        if (visitor(*read_item_views(page.row(i))) == Visit::Stop) return {};
    }
  }
  Status daily(ports::Call& call, model::Day first, model::Day last, Visitor<ports::DayViews> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return visit_rows(*reader, kDaily, Parameters(first, last), read_day_views, visitor);
  }
  Status days(ports::Call& call, Visitor<ports::ViewIncrement> visitor) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    return visit_rows(*snapshot, kDays, {}, read_view_increment, visitor);
  }
  Status snapshot(ports::Call& call, Visitor<ports::JournalMark> journals,
                  Visitor<ports::ViewIncrement> counts) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    bool is_stopped = false;
    const auto visit_mark = [&](const ports::JournalMark& mark) {
      const Visit visit = journals(mark);
      is_stopped = visit == Visit::Stop;
      return visit;
    };
    if (auto visited = visit_rows<ports::JournalMark>(*snapshot, kJournals, {}, read_journal_mark, visit_mark);
        !visited || is_stopped)
      return visited;
    return visit_rows(*snapshot, kDays, {}, read_view_increment, counts);
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::ActivityStore> make_activity_store(Database& database) {
  return std::make_unique<PostgresActivityStore>(database);
}

}  // namespace kbase::postgres
