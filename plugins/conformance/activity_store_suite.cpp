// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/suites.hpp"

#include <array>
#include <atomic>
#include <latch>
#include <map>
#include <thread>

namespace kbase::conformance {
namespace {

using model::Day;
using ports::ActivityStore;
using ports::Call;
using ports::DayViews;
using ports::ItemViews;
using ports::JournalId;
using ports::ViewIncrement;
using std::chrono::days;
using std::chrono::year;

constexpr Day kDay = Day(year(2026) / 3 / 14);
constexpr JournalId kJournal{1, 2, 3};
constexpr JournalId kOther{1, 2, 4};

/// Formats rows as "id=views", with days as numbers from kDay, joined by spaces.
void append(std::string& result, std::string_view what, std::uint64_t views) {
  if (!result.empty()) result += ' ';
  result += std::string(what) + '=' + std::to_string(views);
}

std::string number_of(Day day) { return std::to_string((day - kDay).count()); }

std::string result_or_error(const Status& status, const std::string& result) {
  return status ? result : "error " + std::string(name_of(status.error().code));
}

std::string top(ActivityStore& store, Day first, Day last) {
  Call call;
  std::string result;
  const auto status = store.top(call, first, last, [&](const ItemViews& row) {
    append(result, row.item, row.views);
    return Visit::Continue;
  });
  return result_or_error(status, result);
}

std::string daily(ActivityStore& store, Day first, Day last) {
  Call call;
  std::string result;
  const auto status = store.daily(call, first, last, [&](const DayViews& row) {
    append(result, number_of(row.day), row.views);
    return Visit::Continue;
  });
  return result_or_error(status, result);
}

std::string every_count(ActivityStore& store) {
  Call call;
  std::string result;
  const auto status = store.days(call, [&](const ViewIncrement& row) {
    append(result, std::string(row.item) + '@' + number_of(row.day), row.views);
    return Visit::Continue;
  });
  return result_or_error(status, result);
}

/// Returns the totals sorted by id, because their order is unspecified; "twice!" first if a total was reported twice.
std::string totals(ActivityStore& store, model::ViewsRevision after) {
  Call call;
  std::map<std::string, std::uint64_t> rows;
  bool twice = false;
  const auto up_to = store.totals(call, after, [&](const ItemViews& row) {
    twice = !rows.emplace(row.item, row.views).second || twice;
    return Visit::Continue;
  });
  if (!up_to) return "error " + std::string(name_of(up_to.error().code));
  std::string result = twice ? "twice!" : "";
  for (const auto& [item, views] : rows) append(result, item, views);
  return result;
}

model::ViewsRevision revision_of(ActivityStore& store) {
  Call call;
  const auto revision = store.revision(call);
  return revision ? *revision : ~model::ViewsRevision{0};
}

Status add(ActivityStore& store, const JournalId& journal, std::uint64_t sequence,
           const std::vector<ViewIncrement>& increments) {
  Call call;
  return store.add(call, journal, sequence, increments);
}

Status set(ActivityStore& store, std::string_view item, const std::vector<DayViews>& counts) {
  Call call;
  return store.set(call, item, counts);
}

void starts_empty(ActivityStoreFixture& fixture, Report& report) {
  ActivityStore& store = fixture.port();
  report.equal(revision_of(store), 0U, "before the first view the revision is 0");
  report.equal(totals(store, 0), "", "an empty store has no totals");
  report.equal(top(store, kDay - days(30), kDay), "", "an empty store has no top");
  report.equal(daily(store, kDay - days(30), kDay), "", "an empty store has no daily views");
  report.equal(every_count(store), "", "an empty store has no days");
}

void sums_views_by_item_and_day(ActivityStoreFixture& fixture, Report& report) {
  ActivityStore& store = fixture.port();
  report.ok(add(store, kJournal, 1, {{"b", kDay, 2}, {"a", kDay, 1}, {"b", kDay, 3}, {"b", kDay - days(1), 4}}), "add");
  report.equal(every_count(store), "a@0=1 b@-1=4 b@0=5", "days: every count there is, by item id, then day");
  report.ok(add(store, kJournal, 2, {{"a", kDay + days(1), 5'000'000'000}, {"a", kDay, 1}}), "add");
  report.equal(every_count(store), "a@0=2 a@1=5000000000 b@-1=4 b@0=5", "counts add up");
  report.equal(totals(store, 0), "a=5000000002 b=9", "a total is the sum over all days");
}

void a_sequence_counts_once(ActivityStoreFixture& fixture, Report& report) {
  ActivityStore& store = fixture.port();
  report.ok(add(store, kJournal, 7, {{"a", kDay, 1}, {"b", kDay, 1}}), "add");
  const model::ViewsRevision before = revision_of(store);
  const auto repeat = [&] {
    report.ok(add(fixture.port(), kJournal, 7, {{"a", kDay, 1}, {"b", kDay, 1}}), "a repeated sequence succeeds");
    report.ok(add(fixture.port(), kJournal, 6, {{"c", kDay, 1}}), "a sequence below the last one succeeds");
    report.equal(every_count(fixture.port()), "a@0=1 b@0=1", "a sequence not above the journal's last changes nothing");
    report.equal(revision_of(fixture.port()), before, "what changes nothing does not move the revision");
  };
  repeat();
  if (fixture.reopen()) repeat();
  report.ok(add(fixture.port(), kOther, 7, {{"a", kDay, 1}}), "another journal");
  report.equal(every_count(fixture.port()), "a@0=2 b@0=1", "each journal has a sequence of its own");
  report.ok(add(fixture.port(), kJournal, 1ULL << 40U, {{"a", kDay, 1}}), "a higher sequence, with a gap before it");
  report.ok(add(fixture.port(), kJournal, 8, {{"a", kDay, 1}}), "a sequence in the gap");
  report.equal(every_count(fixture.port()), "a@0=3 b@0=1", "the last sequence counts, whatever came between");
  report.ok(add(fixture.port(), kOther, 8, {}), "an add without increments");
  report.ok(add(fixture.port(), kOther, 8, {{"a", kDay, 1}}), "its repetition");
  report.equal(every_count(fixture.port()), "a@0=3 b@0=1", "an add without increments takes its sequence too");
}

void adds_are_atomic(ActivityStoreFixture& fixture, Report& report) {
  constexpr std::uint64_t kAdds = 50;
  ActivityStore& store = fixture.port();
  std::atomic<bool> done{false};
  std::array<std::string, 2> halves;
  std::vector<std::thread> readers;
  for (std::string& half : halves)
    readers.emplace_back([&store, &done, &half] {
      while (!done) {
        Call call;
        std::map<std::uint64_t, int> items_with;
        const auto status = store.top(call, kDay, kDay, [&](const ItemViews& row) {
          ++items_with[row.views];
          return Visit::Continue;
        });
        if (!status || (!items_with.empty() && (items_with.size() != 1 || items_with.begin()->second != 5)))
          half = status ? "a part of an add" : "top failed";
      }
    });
  for (std::uint64_t i = 1; i <= kAdds; ++i)
    report.ok(add(store, kJournal, i, {{"a", kDay, 1}, {"b", kDay, 1}, {"c", kDay, 1}, {"d", kDay, 1}, {"e", kDay, 1}}),
              "add while others read");
  done = true;
  for (std::thread& reader : readers) reader.join();
  for (const std::string& half : halves) report.expect(half.empty(), "an add shows all together or not at all", half);
}

void counts_of_many_threads_are_exact(ActivityStoreFixture& fixture, Report& report) {
  constexpr std::uint8_t kThreads = 8;
  constexpr std::uint64_t kAdds = 50;
  constexpr std::uint64_t kIncrements = 200;  // per add: 10,000 per thread
  const std::array<std::string_view, 4> items{"a", "b", "c", "d"};
  ActivityStore& store = fixture.port();
  std::atomic<int> failures{0};
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (std::uint8_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::vector<ViewIncrement> increments;
      for (std::size_t i = 0; i < kIncrements; ++i)
        increments.push_back({items[i % items.size()], kDay - days(i % 8 / 4), 1});
      start.arrive_and_wait();
      for (std::uint64_t sequence = 1; sequence <= kAdds; ++sequence)
        if (!add(store, {thread}, sequence, increments)) ++failures;
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(failures.load(), 0, "adds of different journals do not stand in each other's way");
  report.equal(totals(store, 0), "a=20000 b=20000 c=20000 d=20000", "80,000 increments of 8 threads count exactly");
  report.equal(daily(store, kDay - days(9), kDay), "-1=40000 0=40000", "and so they do by day");
}

void top_orders_by_views_then_id(ActivityStoreFixture& fixture, Report& report) {
  ActivityStore& store = fixture.port();
  report.ok(add(store, kJournal, 1,
                {{"é", kDay, 5},
                 {"z", kDay, 5},
                 {"B", kDay, 5},
                 {"a", kDay, 10},
                 {"few", kDay, 9},
                 {"few", kDay, 2},
                 {"old", kDay - days(6), 100},
                 {"older", kDay - days(7), 99},
                 {"a", kDay - days(7), 1000},
                 {"new", kDay + days(1), 1}}),
            "add");
  report.equal(top(store, kDay, kDay), "few=11 a=10 B=5 z=5 é=5", "top: most views first, then id by its bytes");
  report.equal(top(store, kDay - days(6), kDay), "old=100 few=11 a=10 B=5 z=5 é=5", "the first day is included");
  report.equal(top(store, kDay - days(7), kDay - days(6)), "a=1000 old=100 older=99", "the last day is included");
  report.equal(top(store, kDay + days(1), kDay + days(1)), "new=1", "one day can be asked for");
  report.equal(top(store, kDay + days(1), kDay), "", "no days, no views");
  report.equal(daily(store, kDay - days(7), kDay + days(1)), "-7=1099 -6=100 0=36 1=1",
               "daily: all items' views of each day that has any, oldest first");
  report.equal(daily(store, kDay - days(6), kDay), "-6=100 0=36", "daily includes both its first and its last day");
}

void set_replaces_all_days(ActivityStoreFixture& fixture, Report& report) {
  ActivityStore& store = fixture.port();
  report.ok(add(store, kJournal, 1, {{"a", kDay, 1}, {"a", kDay - days(1), 1}, {"b", kDay, 1}}), "add");
  report.ok(set(store, "a", {{kDay - days(2), 7}, {kDay, 8}}), "set");
  report.equal(every_count(store), "a@-2=7 a@0=8 b@0=1", "set replaces all counted days of the item, and of it alone");
  report.equal(totals(store, 0), "a=15 b=1", "set replaces the total");
  report.equal(daily(store, kDay - days(9), kDay), "-2=7 0=9", "set replaces the days' sums");
  const model::ViewsRevision before = revision_of(store);
  report.ok(set(store, "a", {{kDay - days(2), 7}, {kDay, 8}}), "the same set again");
  report.equal(revision_of(store), before, "a set that changes nothing does not move the revision");
  report.ok(add(store, kJournal, 2, {{"a", kDay, 1}}), "add after set");
  report.equal(every_count(store), "a@-2=7 a@0=9 b@0=1", "an add counts on top of a set");
  report.ok(set(store, "a", {}), "set to nothing");
  report.equal(every_count(store), "b@0=1", "a set of no days clears the item");
  report.equal(top(store, kDay - days(9), kDay), "b=1", "a cleared item has no views");
  report.ok(set(store, "new", {{kDay, 3}}), "set of an item never seen");
  report.equal(every_count(store), "b@0=1 new@0=3", "an item need not be known to be set");
}

void totals_return_changed_items(ActivityStoreFixture& fixture, Report& report) {
  ActivityStore& store = fixture.port();
  report.ok(add(store, kJournal, 1, {{"a", kDay, 1}, {"b", kDay - days(400), 2}, {"c", kDay, 3}}), "add");
  const model::ViewsRevision first = revision_of(store);
  report.expect(first > 0, "the revision grows with an add that changed something");
  report.equal(totals(store, first), "", "after the newest revision nothing changed");
  report.ok(add(store, kOther, 1, {{"b", kDay, 5}, {"d", kDay, 1}}), "add");
  const model::ViewsRevision second = revision_of(store);
  report.expect(second > first, "the revision grows with every add that changed something");
  report.equal(totals(store, first), "b=7 d=1", "totals after a revision: the changed items, with their whole totals");
  report.ok(set(store, "a", {{kDay, 9}}), "set");
  report.expect(revision_of(store) > second, "the revision grows with every set that changed something");
  report.equal(totals(store, second), "a=9", "a set changes its item's total");
  report.equal(totals(store, first), "a=9 b=7 d=1", "each changed item is returned once");
  report.ok(set(store, "d", {}), "set to nothing");
  report.equal(totals(store, second), "a=9 d=0", "a total that fell to 0 is returned as 0");
  report.equal(totals(store, 0).find("a=9 b=7 c=3"), 0U, "from 0 every viewed item is returned");
  Call call;
  const auto up_to = store.totals(call, 0, [](const ItemViews&) { return Visit::Continue; });
  if (report.ok(up_to, "totals answers"))
    report.equal(*up_to, revision_of(store), "totals returns the revision up to which the result is complete");
}

void accepts_any_id(ActivityStoreFixture& fixture, Report& report) {
  ActivityStore& store = fixture.port();
  const std::string longest(256, 'x');
  const std::array<std::string_view, 8> ids{"A", "a", "a ", "a/b c", "e\u0301", longest, "é", "'--"};
  std::uint64_t sequence = 0;
  for (const std::string_view id : ids) {
    ++sequence;
    report.ok(add(store, kJournal, sequence, {{id, kDay, sequence}}), "add");
  }
  report.equal(top(store, kDay, kDay), "'--=8 é=7 " + longest + "=6 e\u0301=5 a/b c=4 a =3 a=2 A=1",
               "ids are compared by their bytes");
  std::string id = "copied";
  report.ok(add(store, kJournal, ++sequence, {{id, kDay, 100}}), "add");
  id = "####";
  report.equal(top(store, kDay, kDay).substr(0, 10), "copied=100", "add copies its arguments before it returns");
}

void stops_when_the_visitor_stops(ActivityStoreFixture& fixture, Report& report) {
  ActivityStore& store = fixture.port();
  report.ok(add(store, kJournal, 1, {{"a", kDay, 1}, {"b", kDay - days(1), 2}}), "add");
  Call call;
  int rows = 0;
  const auto stop = [&rows](const auto&) {
    ++rows;
    return Visit::Stop;
  };
  const auto one_row = [&](const Status& status) {
    report.ok(status, "a visitor that stops ends the call without an error");
    report.equal(std::exchange(rows, 0), 1, "after a stop no further row is visited");
  };
  one_row(store.top(call, kDay - days(1), kDay, stop));
  one_row(store.daily(call, kDay - days(1), kDay, stop));
  one_row(store.days(call, stop));
}

void persists_across_reopen(ActivityStoreFixture& fixture, Report& report) {
  report.ok(add(fixture.port(), kJournal, 1, {{"a", kDay, 1}, {"b", kDay, 2}}), "add");
  report.ok(set(fixture.port(), "c", {{kDay - days(1), 3}}), "set");
  const model::ViewsRevision before = revision_of(fixture.port());
  if (!fixture.reopen()) return report.skip("the store is not persistent by declaration");
  report.equal(every_count(fixture.port()), "a@0=1 b@0=2 c@-1=3", "counts survive the process");
  report.equal(revision_of(fixture.port()), before, "the revision survives the process");
  report.ok(add(fixture.port(), kJournal, 2, {{"a", kDay, 1}}), "add");
  report.equal(totals(fixture.port(), before), "a=2", "a reopened store goes on where it was");
}

}  // namespace

Suite<ActivityStoreFixture> activity_store_suite() {
  return {
      {"StartsEmpty", "days", starts_empty},
      {"SumsViewsByItemAndDay", "", sums_views_by_item_and_day},
      {"ASequenceCountsOnce", "add", a_sequence_counts_once},
      {"AddsAreAtomic", "add", adds_are_atomic},
      {"CountsOfManyThreadsAreExact", "add", counts_of_many_threads_are_exact},
      {"TopOrdersByViewsThenId", "top", top_orders_by_views_then_id},
      {"SetReplacesAllDays", "set", set_replaces_all_days},
      {"TotalsReturnChangedItems", "totals", totals_return_changed_items},
      {"AcceptsAnyId", "", accepts_any_id},
      {"StopsWhenTheVisitorStops", "kb_view_count_sink", stops_when_the_visitor_stops},
      {"ASnapshotListsJournalsThenCounts", "snapshot", a_snapshot_lists_journals_then_counts},
      {"ASnapshotIsConsistent", "snapshot", a_snapshot_is_consistent},
      {"ContinuesFromASnapshot", "snapshot", continues_from_a_snapshot},
      {"PersistsAcrossReopen", "add", persists_across_reopen},
  };
}

}  // namespace kbase::conformance
