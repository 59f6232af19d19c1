// SPDX-License-Identifier: Apache-2.0
// Checks of ActivityStore::snapshot, from which backups are made.
#include <atomic>
#include <map>
#include <thread>

#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {

using model::Day;
using ports::ActivityStore;
using ports::Call;
using ports::JournalId;
using ports::JournalMark;
using ports::ViewIncrement;
using std::chrono::days;
using std::chrono::year;

constexpr Day kDay = Day(year(2026) / 3 / 14);
constexpr JournalId kJournal{1, 2, 3};
constexpr JournalId kOther{1, 2, 4};

Status add(ActivityStore& store, const JournalId& journal, std::uint64_t sequence,
           const std::vector<ViewIncrement>& increments) {
  Call call;
  return store.add(call, journal, sequence, increments);
}

/// Returns "journal:sequence", with the last non-zero byte of the journal, then '|', then the counts as "id@days from
/// kDay=views".
std::string snapshot(ActivityStore& store) {
  Call call;
  std::map<std::string, std::uint64_t> marks;
  std::string counts;
  const auto status = store.snapshot(
      call,
      [&](const JournalMark& mark) {
        marks[std::to_string(mark.journal[2])] = mark.sequence;
        return Visit::Continue;
      },
      [&](const ViewIncrement& row) {
        counts += ' ' + std::string(row.item) + '@' + std::to_string((row.day - kDay).count()) + '=' +
                  std::to_string(row.views);
        return Visit::Continue;
      });
  std::string result;
  for (const auto& [journal, sequence] : marks) result += journal + ':' + std::to_string(sequence) + ' ';
  return status ? result + '|' + counts : "error " + std::string(name_of(status.error().code));
}

/// Whether the store reports its journals, which is optional. If not, skips the check.
bool supports_journals(ActivityStore& store, Report& report) {
  Call call;
  const auto status = store.snapshot(
      call, [](const JournalMark&) { return Visit::Continue; }, [](const ViewIncrement&) { return Visit::Continue; });
  if (status || status.error().code != ErrorCode::Unsupported) return true;
  report.skip("the store does not list its journals");
  return false;
}

}  // namespace

void a_snapshot_lists_journals_then_counts(ActivityStoreFixture& fixture, Report& report) {
  if (!supports_journals(fixture.port(), report)) return;
  report.equal(snapshot(fixture.port()), "|", "a snapshot of an empty store");
  report.ok(add(fixture.port(), kJournal, 7, {{"b", kDay, 2}, {"a", kDay, 1}}), "add");
  report.ok(add(fixture.port(), kJournal, 1ULL << 40U, {{"a", kDay - days(1), 5}}), "add");
  report.ok(add(fixture.port(), kOther, 1, {}), "an add without increments");
  Call call;
  const std::vector<ports::DayViews> nine{{kDay, 9}};
  report.ok(fixture.port().set(call, "c", nine), "set");
  const std::string_view wanted = "3:1099511627776 4:1 | a@-1=5 a@0=1 b@0=2 c@0=9";
  report.equal(snapshot(fixture.port()), wanted,
               "a snapshot has each journal with its last sequence, and every count by item id, then day");
  if (fixture.reopen()) report.equal(snapshot(fixture.port()), wanted, "journals survive the process");
  int rows = 0;
  const auto stop = [&rows](const auto&) {
    ++rows;
    return Visit::Stop;
  };
  report.ok(fixture.port().snapshot(call, stop, stop), "a visitor that stops ends the call without an error");
  report.equal(rows, 1, "after a stop no further row is visited, of either kind");
}

/// Each add counts one view, so the views in a consistent state equal the sequence of its journal.
void a_snapshot_is_consistent(ActivityStoreFixture& fixture, Report& report) {
  constexpr std::uint64_t kAdds = 200;
  ActivityStore& store = fixture.port();
  if (!supports_journals(store, report)) return;
  std::atomic<bool> done{false};
  int failures = 0;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kAdds; ++i) failures += add(store, kJournal, i, {{"a", kDay, 1}}) ? 0 : 1;
    done = true;
  });
  std::string torn;
  while (!done && torn.empty()) {
    const std::string result = snapshot(store);
    const std::size_t end = result.find(' ');
    const std::string sequence = result == "|" ? "" : result.substr(2, end - 2);
    if (result != "|" && result != "3:" + sequence + " | a@0=" + sequence) torn = result;
  }
  writer.join();
  report.equal(failures, 0, "adds succeed while others read");
  report.expect(torn.empty(), "a snapshot's journals and counts are of one state", torn);
}

/// Repeats what a restore does, and a server that afterwards adds increments again that the backup may already contain.
void continues_from_a_snapshot(ActivityStoreFixture& fixture, Report& report) {
  constexpr JournalId kRestore{1, 2, 9};
  ActivityStore& store = fixture.port();
  if (!supports_journals(store, report)) return;
  report.ok(add(store, kRestore, 1, {{"a", kDay, 10}}), "the counts of a backup");
  report.ok(add(store, kJournal, 5, {}), "the mark of a journal, as an add of nothing");
  report.ok(add(store, kJournal, 5, {{"a", kDay, 1}}), "what the backup has already");
  report.ok(add(store, kJournal, 6, {{"a", kDay, 1}}), "what it has not");
  report.equal(snapshot(store), "3:6 9:1 | a@0=11", "a journal goes on after its mark, and repeats nothing before it");
}

}  // namespace kbase::conformance
