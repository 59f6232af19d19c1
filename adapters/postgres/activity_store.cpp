// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/activity_store.hpp"

#include <algorithm>
#include <map>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/rows.hpp"

namespace kbase::postgres {
namespace {

constexpr char kRevision[] = "SELECT revision FROM views_state";
constexpr char kNextRevision[] = "UPDATE views_state SET revision = revision + 1 RETURNING revision";
constexpr char kLock[] = "SELECT revision FROM views_state FOR UPDATE";
constexpr char kNoteSequence[] =
    "INSERT INTO journals AS known VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE"
    " SET sequence = excluded.sequence, used = excluded.used WHERE known.sequence < excluded.sequence";
constexpr char kDropJournals[] =
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
constexpr char kTakeFromDays[] =
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

constexpr std::chrono::days kJournalsLive{30};

using DayCounts = std::map<model::Day, std::uint64_t>;

model::Status run(Session& session, const char* sql, const Parameters& parameters = {}) {
  const auto answer = session.ask(sql, parameters);
  return answer ? model::Status() : answer.error();
}

model::Result<Answer> one_row(Session& session, const char* sql) {
  auto answer = session.ask(sql);
  if (answer && answer->rows() != 1) return session.corrupt("the table views_state is empty");
  return answer;
}

/// Returns the number in the single row of the result.
model::Result<std::uint64_t> number_of(Session& session, const char* sql) {
  const auto answer = one_row(session, sql);
  if (!answer) return answer.error();
  return answer->row(0).number(0);
}

/// Adds the increments under a new revision. Concurrent calls wait here for the row lock, so they cannot deadlock.
model::Status count(Session& session, std::span<const ports::ViewIncrement> increments) {
  const auto revision = number_of(session, kNextRevision);
  if (!revision) return revision.error();
  wire::List ids(wire::Type::Bytea), days(wire::Type::Date), views(wire::Type::Bigint);
  for (const ports::ViewIncrement& increment : increments) {
    if (increment.views == 0) continue;
    ids.add(increment.item);
    days.add(increment.day);
    views.add(static_cast<std::int64_t>(increment.views));
  }
  return run(session, kAdd, Parameters(&ids, &days, &views, *revision));
}

model::Result<DayCounts> stored_days(Session& session, std::string_view item) {
  const auto answer = session.ask(kItemDays, Parameters(item));
  if (!answer) return answer.error();
  DayCounts days;
  for (int i = 0; i < answer->rows(); ++i) days[answer->row(i).day(0)] = answer->row(i).number(1);
  return days;
}

DayCounts counts_of(std::span<const ports::DayViews> days) {
  DayCounts counts;
  for (const ports::DayViews& day : days)
    if (day.views != 0) counts[day.day] += day.views;
  return counts;
}

model::Status clear(Session& session, std::string_view item) {
  if (auto taken = run(session, kTakeFromDays, Parameters(item)); !taken) return taken;
  return run(session, kClearItem, Parameters(item));
}

std::optional<ports::ItemViews> item_views(const Row& row) {
  return ports::ItemViews{row.text(0), row.number(1)};
}

std::optional<ports::DayViews> day_views(const Row& row) {
  return ports::DayViews{row.day(0), row.number(1)};
}

std::optional<ports::JournalMark> journal_mark(const Row& row) {
  ports::JournalMark mark;
  const wire::Bytes id = row.bytes(0);
  if (id.size() != mark.journal.size()) return std::nullopt;
  std::copy(id.begin(), id.end(), mark.journal.begin());
  mark.sequence = row.number(1);
  return mark;
}

std::optional<ports::ViewIncrement> view_increment(const Row& row) {
  return ports::ViewIncrement{row.text(0), row.day(1), row.number(2)};
}

}  // namespace

model::Status PostgresActivityStore::add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
                                         std::span<const ports::ViewIncrement> increments) {
  auto transaction = database_.write(call);
  if (!transaction) return transaction.error();
  Session& session = **transaction;
  const model::Instant now = database_.clock().now();
  const auto noted = session.ask(kNoteSequence, Parameters(wire::Bytes(journal), storable(sequence), now));
  if (!noted) return noted.error();
  if (noted->changed_rows() == 0) return {};
  const auto has_views = [](const ports::ViewIncrement& increment) { return increment.views != 0; };
  if (std::any_of(increments.begin(), increments.end(), has_views))
    if (auto counted = count(session, increments); !counted) return counted;
  if (auto dropped = run(session, kDropJournals, Parameters(now - kJournalsLive)); !dropped) return dropped;
  return transaction->commit();
}

model::Status PostgresActivityStore::set(ports::Call& call, std::string_view item,
                                         std::span<const ports::DayViews> days) {
  auto transaction = database_.write(call);
  if (!transaction) return transaction.error();
  Session& session = **transaction;
  if (auto locked = run(session, kLock); !locked) return locked;
  const auto stored = stored_days(session, item);
  if (!stored) return stored.error();
  const DayCounts wanted = counts_of(days);
  if (*stored == wanted) return {};
  if (auto cleared = clear(session, item); !cleared) return cleared;
  const auto revision = number_of(session, kNextRevision);
  if (!revision) return revision.error();
  if (auto zeroed = run(session, kZeroItem, Parameters(item, *revision)); !zeroed) return zeroed;
  std::vector<ports::ViewIncrement> increments;
  for (const auto& [day, views] : wanted) increments.push_back({item, day, views});
  if (!increments.empty())
    if (auto counted = count(session, increments); !counted) return counted;
  return transaction->commit();
}

model::Result<model::ViewsRevision> PostgresActivityStore::revision(ports::Call& call) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  const auto revision = number_of(**reader, kRevision);
  if (revision) database_.note_views(*revision);
  return revision;
}

model::Result<model::ViewsRevision> PostgresActivityStore::totals(ports::Call& call, model::ViewsRevision after,
                                                                  model::Visitor<ports::ItemViews> visitor) {
  const auto snapshot = database_.snapshot(call);
  if (!snapshot) return snapshot.error();
  const auto state = one_row(**snapshot, kState);
  if (!state) return state.error();
  const model::ViewsRevision up_to = state->row(0).number(0), anew = state->row(0).number(1);
  const Parameters bounds(after < anew ? 0 : storable(after), storable(after));
  if (auto visited = visit_rows(**snapshot, kTotals, bounds, item_views, visitor); !visited) return visited.error();
  database_.note_views(up_to);
  return up_to;
}

model::Status PostgresActivityStore::top(ports::Call& call, model::Day first, model::Day last,
                                         model::Visitor<ports::ItemViews> visitor) {
  const auto snapshot = database_.snapshot(call);  // its end closes the cursor
  if (!snapshot) return snapshot.error();
  if (auto declared = run(**snapshot, kDeclareTop, Parameters(first, last)); !declared) return declared;
  for (;;) {
    const auto page = (*snapshot)->ask(kNextOfTop);
    if (!page) return page.error();
    if (page->rows() == 0) return {};
    for (int i = 0; i < page->rows(); ++i)
      if (visitor(*item_views(page->row(i))) == model::Visit::Stop) return {};
  }
}

model::Status PostgresActivityStore::daily(ports::Call& call, model::Day first, model::Day last,
                                           model::Visitor<ports::DayViews> visitor) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  return visit_rows(**reader, kDaily, Parameters(first, last), day_views, visitor);
}

model::Status PostgresActivityStore::days(ports::Call& call, model::Visitor<ports::ViewIncrement> visitor) {
  const auto snapshot = database_.long_snapshot(call);
  if (!snapshot) return snapshot.error();
  return visit_rows(**snapshot, kDays, {}, view_increment, visitor);
}

model::Status PostgresActivityStore::snapshot(ports::Call& call, model::Visitor<ports::JournalMark> journals,
                                              model::Visitor<ports::ViewIncrement> counts) {
  const auto snapshot = database_.long_snapshot(call);
  if (!snapshot) return snapshot.error();
  bool is_stopped = false;
  const auto visit_mark = [&](const ports::JournalMark& mark) {
    const model::Visit visit = journals(mark);
    is_stopped = visit == model::Visit::Stop;
    return visit;
  };
  if (auto visited = visit_rows<ports::JournalMark>(**snapshot, kJournals, {}, journal_mark, visit_mark);
      !visited || is_stopped)
    return visited;
  return visit_rows(**snapshot, kDays, {}, view_increment, counts);
}

}  // namespace kbase::postgres
