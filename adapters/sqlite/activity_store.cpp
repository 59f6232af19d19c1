// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/state_database.hpp"

#include <algorithm>
#include <map>

#include "adapters/sqlite/database.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

constexpr char kRevision[] = "SELECT views_revision FROM state";
constexpr char kNextRevision[] = "UPDATE state SET views_revision = ?1";
constexpr char kSequence[] = "SELECT sequence FROM journals WHERE id = ?1";
constexpr char kRecordSequence[] =
    "INSERT INTO journals VALUES (?1, ?2, ?3)"
    " ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, used = excluded.used";
constexpr char kDeleteOldJournals[] = "DELETE FROM journals WHERE used < ?1";
constexpr char kAddToItem[] =
    "INSERT INTO viewed (id, views, revision) VALUES (?1, ?2, ?3)"
    " ON CONFLICT (id) DO UPDATE SET views = views + excluded.views, revision = excluded.revision RETURNING number";
constexpr char kAddToItemDay[] =
    "INSERT INTO item_days VALUES (?1, ?2, ?3) ON CONFLICT (item, day) DO UPDATE SET views = views + excluded.views";
constexpr char kAddToDay[] =
    "INSERT INTO days VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET views = views + excluded.views";
constexpr char kItemDays[] =
    "SELECT d.day, d.views FROM viewed v JOIN item_days d ON d.item = v.number WHERE v.id = ?1";
constexpr char kClearItemDay[] =
    "DELETE FROM item_days WHERE item = (SELECT number FROM viewed WHERE id = ?1) AND day = ?2";
constexpr char kTotals[] = "SELECT id, views FROM viewed WHERE revision > ?1 AND (views > 0 OR ?1 > 0)";
constexpr char kTop[] =
    "SELECT v.id, s.views FROM (SELECT item, sum(views) AS views FROM item_days WHERE day BETWEEN ?1 AND ?2 GROUP BY "
    "item)"
    " s JOIN viewed v ON v.number = s.item ORDER BY s.views DESC, v.id";
constexpr char kDaily[] = "SELECT day, views FROM days WHERE day BETWEEN ?1 AND ?2 AND views > 0 ORDER BY day";
constexpr char kDays[] =
    "SELECT v.id, d.day, d.views FROM viewed v JOIN item_days d ON d.item = v.number ORDER BY v.id, d.day";

constexpr char kJournals[] = "SELECT id, sequence FROM journals ORDER BY id";

constexpr std::chrono::days kJournalRetention{30};

using DayCounts = std::map<model::Day, std::uint64_t>;

/// Returns the first column of the query's first row, or 0 if there is no row.
Result<std::uint64_t> query_number(Statement query) {
  const auto row = KBASE_TRY(query.step());
  return row ? query.number(0) : 0;
}

/// Adds views of an item on a day to every counter. A negative number is passed modulo 2^64 and wraps around.
Status add_views(Connection& connection, const ports::ViewIncrement& increment, model::ViewsRevision revision) {
  auto item = KBASE_TRY(query_number(connection.prepare(kAddToItem).bind(increment.item, increment.views, revision)));
  KBASE_TRY(connection.prepare(kAddToItemDay).bind(item, increment.day, increment.views).run());
  return connection.prepare(kAddToDay).bind(increment.day, increment.views).run();
}

Status record_sequence(Connection& connection, const ports::JournalId& journal, std::uint64_t sequence,
                       model::Instant now) {
  KBASE_TRY(connection.prepare(kRecordSequence).bind(Bytes(journal), sequence, now).run());
  return connection.prepare(kDeleteOldJournals).bind(now - kJournalRetention).run();
}

Result<DayCounts> read_days(Connection& connection, std::string_view item) {
  DayCounts days;
  Statement rows = connection.prepare(kItemDays);
  rows.bind(item);
  for (;;) {
    const auto row = rows.step();
    if (!row) return row.error();
    if (!*row) return days;
    days[rows.day(0)] = rows.number(1);
  }
}

DayCounts sum_by_day(std::span<const ports::DayViews> days) {
  DayCounts counts;
  for (const ports::DayViews& day : days)
    if (day.views != 0) counts[day.day] += day.views;
  return counts;
}

/// Replaces the counts of `stored` by those of `wanted`.
Status replace_days(Connection& connection, std::string_view item, const DayCounts& stored, const DayCounts& wanted,
                    model::ViewsRevision revision) {
  for (const auto& [day, views] : stored) {
    if (auto counted = add_views(connection, {item, day, 0 - views}, revision); !counted) return counted;
    KBASE_TRY(connection.prepare(kClearItemDay).bind(item, day).run());
  }
  for (const auto& [day, views] : wanted)
    if (auto counted = add_views(connection, {item, day, views}, revision); !counted) return counted;
  return {};
}

std::optional<ports::ItemViews> read_item_views(const Statement& row) {
  return ports::ItemViews{row.text(0), row.number(1)};
}

std::optional<ports::DayViews> read_day_views(const Statement& row) {
  return ports::DayViews{row.day(0), row.number(1)};
}

std::optional<ports::ViewIncrement> read_view_increment(const Statement& row) {
  return ports::ViewIncrement{row.text(0), row.day(1), row.number(2)};
}

std::optional<ports::JournalMark> read_journal_mark(const Statement& row) {
  const Bytes id = row.bytes(0);
  ports::JournalMark mark{{}, row.number(1)};
  if (id.size() != mark.journal.size()) return std::nullopt;
  std::copy(id.begin(), id.end(), mark.journal.begin());
  return mark;
}

/// View counts in state.db. add() deletes journals that have not been written for 30 days: their process no longer
/// exists.
class SqliteActivityStore final : public ports::ActivityStore {
 public:
  explicit SqliteActivityStore(Database& database) : database_(database) {}

  Status add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
             std::span<const ports::ViewIncrement> increments) override {
    auto transaction = KBASE_TRY(database_.write(call));
    Connection& connection = *transaction;
    {
      Statement known = connection.prepare(kSequence);
      const auto row = KBASE_TRY(known.bind(Bytes(journal)).step());
      if (row && known.number(0) >= sequence) return {};
    }
    const auto revision = KBASE_TRY(query_number(connection.prepare(kRevision)));
    bool counted_any = false;
    for (const ports::ViewIncrement& increment : increments) {
      if (increment.views == 0) continue;
      KBASE_TRY(add_views(connection, increment, revision + 1));
      counted_any = true;
    }
    if (counted_any) KBASE_TRY(connection.prepare(kNextRevision).bind(revision + 1).run());
    KBASE_TRY(record_sequence(connection, journal, sequence, database_.clock().now()));
    return transaction.commit();
  }
  Status set(ports::Call& call, std::string_view item, std::span<const ports::DayViews> days) override {
    auto transaction = KBASE_TRY(database_.write(call));
    Connection& connection = *transaction;
    const auto stored = KBASE_TRY(read_days(connection, item));
    const DayCounts wanted = sum_by_day(days);
    if (stored == wanted) return {};
    const auto revision = KBASE_TRY(query_number(connection.prepare(kRevision)));
    KBASE_TRY(replace_days(connection, item, stored, wanted, revision + 1));
    KBASE_TRY(connection.prepare(kNextRevision).bind(revision + 1).run());
    return transaction.commit();
  }
  Result<model::ViewsRevision> revision(ports::Call& call) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return query_number(reader->prepare(kRevision));
  }
  Result<model::ViewsRevision> totals(ports::Call& call, model::ViewsRevision after,
                                      Visitor<ports::ItemViews> visitor) override {
    const auto snapshot = KBASE_TRY(database_.snapshot(call));
    const auto up_to = KBASE_TRY(query_number(snapshot->prepare(kRevision)));
    Statement rows = snapshot->prepare(kTotals);
    rows.bind(storable(after));
    KBASE_TRY(visit_rows(rows, read_item_views, visitor));
    return up_to;
  }
  Status top(ports::Call& call, model::Day first, model::Day last, Visitor<ports::ItemViews> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kTop);
    rows.bind(first, last);
    return visit_rows(rows, read_item_views, visitor);
  }
  Status daily(ports::Call& call, model::Day first, model::Day last, Visitor<ports::DayViews> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kDaily);
    rows.bind(first, last);
    return visit_rows(rows, read_day_views, visitor);
  }
  Status days(ports::Call& call, Visitor<ports::ViewIncrement> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kDays);
    return visit_rows(rows, read_view_increment, visitor);
  }
  Status snapshot(ports::Call& call, Visitor<ports::JournalMark> journals,
                  Visitor<ports::ViewIncrement> counts) override {
    const auto snapshot = KBASE_TRY(database_.snapshot(call));
    bool is_stopped = false;
    Statement marks = snapshot->prepare(kJournals);
    const auto visit_mark = [&](const ports::JournalMark& mark) {
      const Visit visit = journals(mark);
      is_stopped = visit == Visit::Stop;
      return visit;
    };
    if (auto visited = visit_rows<ports::JournalMark>(marks, read_journal_mark, visit_mark); !visited || is_stopped)
      return visited;
    Statement rows = snapshot->prepare(kDays);
    return visit_rows(rows, read_view_increment, counts);
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::ActivityStore> make_activity_store(Database& database) {
  return std::make_unique<SqliteActivityStore>(database);
}

}  // namespace kbase::sqlite
