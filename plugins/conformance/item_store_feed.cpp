// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {
using ports::Call;
using std::chrono::hours;

constexpr hours kTombstonesLive{30 * 24};

void lists_each_changed_record_once_in_its_newest_state(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto first = commit(store, {{category_of("shelf"), category_of("x")}, {item_of("b"), item_of("a")}, {}, {}});
  if (!report.ok(first, "a batch is committed")) return;
  report.equal(feed_text_after(store, 0), "+[shelf] +[x] +b +a", "changes come in the order of their revisions");

  model::ItemView changed = item_of("b");
  changed.title = "changed";
  report.ok(commit(store, {{}, {changed, item_of("c")}, {}, {}}), "a second batch");
  report.ok(commit(store, {{category_of("shelf")}, {item_of("c")}, {"a"}, {"x"}}), "a third batch");
  const auto feed = feed_after(store, *first);
  if (!report.ok(feed, "the feed answers")) return;
  report.equal(feed->text, "+b +[shelf] +c -a -[x]", "the feed contains each changed record once, in its newest state");
  report.equal(feed->up_to, revision_of(store), "the feed returns the revision of its snapshot");
  report.expect(std::is_sorted(feed->revisions.begin(), feed->revisions.end()) &&
                    std::adjacent_find(feed->revisions.begin(), feed->revisions.end()) == feed->revisions.end(),
                "each change has a higher revision than the one before");
  report.expect(!feed->revisions.empty() && feed->revisions.back() == feed->up_to,
                "the newest change has the store's revision");
  for (const model::Revision after : feed->revisions) {
    const auto rest = feed_after(store, after);
    if (report.ok(rest, "the feed continues from the revision of each change"))
      report.expect(
          std::equal(rest->revisions.begin(), rest->revisions.end(),
                     std::upper_bound(feed->revisions.begin(), feed->revisions.end(), after), feed->revisions.end()),
          "after a revision the feed contains exactly the changes with higher ones", rest->text);
  }
  report.equal(feed_text_after(store, feed->up_to), "", "after the newest revision the feed is empty");
}

void changes_contain_the_whole_record(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto written = commit(store, {{category_of("shelf")}, {item_of("a")}, {}, {}});
  if (!report.ok(written, "a batch is committed")) return;
  const auto removed = commit(store, {{category_of("y")}, {item_of("b")}, {"b"}, {"y"}});
  if (!report.ok(removed, "a batch is committed")) return;
  Call call;
  const auto up_to = store.changes(call, 0, [&](const ports::Change& change) {
    report.expect((change.item != nullptr) == (change.kind == ports::Change::Kind::ItemPut),
                  "a change has an item where one was put, and nowhere else");
    report.expect((change.category != nullptr) == (change.kind == ports::Change::Kind::CategoryPut),
                  "a change has a category where one was put, and nowhere else");
    if (change.item != nullptr) {
      report.expect(difference(*change.item, item_of("a")).empty(), "the feed contains every member of an item",
                    difference(*change.item, item_of("a")));
      report.equal(change.item->revision, change.revision, "an item has the revision of its change");
    }
    if (change.category != nullptr) {
      report.expect(difference(*change.category, category_of("shelf")).empty(),
                    "the feed contains every member of a category", difference(*change.category, category_of("shelf")));
      report.equal(change.category->revision, change.revision, "a category has the revision of its change");
    }
    return Visit::Continue;
  });
  report.ok(up_to, "the feed answers");
  report.equal(feed_text_after(store, 0), "+[shelf] +a",
               "the feed from 0 does not contain what was put and removed in one batch");
}

void changes_from_zero_have_no_tombstones(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto first = commit(store, {{category_of("shelf"), category_of("x")}, {item_of("a"), item_of("b")}, {}, {}});
  const auto second = commit(store, {{}, {}, {"a"}, {"x"}});
  if (!report.ok(first, "a batch is committed") || !report.ok(second, "removals are committed")) return;
  report.equal(feed_text_after(store, 0), "+[shelf] +b", "from 0 the feed contains what exists, and no tombstones");
  const auto from_0 = feed_after(store, 0);
  if (report.ok(from_0, "the feed answers"))
    report.equal(from_0->up_to, *second, "from 0 too the feed returns the revision of its snapshot");
  report.equal(feed_text_after(store, *first), "-a -[x]", "a removal leaves a tombstone");
  report.equal(feed_text_after(store, 1), "+b -a -[x]", "tombstones are ordered by revision");

  report.ok(commit(store, {{category_of("x")}, {item_of("a")}, {}, {}}), "both come back");
  report.equal(feed_text_after(store, *first), "+[x] +a", "a recreated record is a put without a tombstone");
  report.ok(commit(store, {{}, {}, {"a"}, {}}), "an item goes again");
  report.equal(feed_text_after(store, *first), "+[x] -a", "a record removed again is removed once");
}

void an_item_and_a_category_may_share_an_id(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto first = commit(store, {{category_of("same")}, {item_of("same", "same")}, {}, {}});
  if (!report.ok(first, "a batch is committed")) return;
  report.equal(feed_text_after(store, 0), "+[same] +same", "an item and a category of one id are two records");
  report.ok(commit(store, {{}, {}, {"same"}, {}}), "the item goes");
  report.equal(feed_text_after(store, *first), "-same", "removing the item leaves the category");
  report.ok(commit(store, {{}, {}, {}, {"same"}}), "the category goes");
  report.equal(feed_text_after(store, *first), "-same -[same]", "each leaves a tombstone of its own");
}

void moving_an_item_does_not_change_its_categories(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  report.ok(commit(store, {{category_of("a"), category_of("b")}, {item_of("1", "a")}, {}, {}}), "a batch is committed");
  const model::Revision before = revision_of(store);
  report.ok(commit(store, {{}, {item_of("1", "b")}, {}, {}}), "an item moves");
  report.equal(feed_text_after(store, before), "+1",
               "a category changes with its own record alone, not with its count");
}

void a_stopped_feed_returns_cancelled(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  report.ok(commit(store, {{category_of("shelf")}, {item_of("a"), item_of("b")}, {}, {}}), "a batch is committed");
  Call call;
  int rows = 0;
  const auto stop_at_second = [&rows](const ports::Change&) { return ++rows == 2 ? Visit::Stop : Visit::Continue; };
  report.fails(store.changes(call, 0, stop_at_second), ErrorCode::Cancelled, "a visitor that stops gives Cancelled");
  report.equal(rows, 2, "after a stop no further change is visited");
}

void a_cancelled_feed_ends(ItemStoreFixture& fixture, Report& report) {
  constexpr std::size_t kMany = 5000;
  ports::ItemStore& store = fixture.port();
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < kMany; ++i) ids.push_back(std::to_string(i));
  Batch batch{{category_of("shelf")}, {}, {}, {}};
  for (const std::string& id : ids) batch.items.push_back(item_of(id));
  if (!report.ok(commit(store, batch), "a batch is committed")) return;
  std::atomic<bool> cancelled{false};
  Call call;
  call.cancel = &cancelled;
  std::size_t rows = 0;
  const auto feed = store.changes(call, 0, [&](const ports::Change&) {
    cancelled = true;
    ++rows;
    return Visit::Continue;
  });
  report.fails(feed, ErrorCode::Cancelled, "long loops look at the call's cancel and fail with Cancelled");
  report.expect(rows < kMany, "a cancelled feed ends before its last change");
}

void tombstones_are_kept_for_30_days(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto put =
      commit(store, {{category_of("shelf"), category_of("x")}, {item_of("a"), item_of("b"), item_of("c")}, {}, {}});
  const auto old = commit(store, {{}, {}, {"a"}, {"x"}});
  if (!report.ok(put, "a batch is committed") || !report.ok(old, "removals are committed")) return;

  fixture.clock.advance(kTombstonesLive - hours(1));
  const auto younger = commit(store, {{}, {}, {"b"}, {}});
  report.ok(younger, "another removal");
  report.equal(feed_text_after(store, *put), "-a -[x] -b", "tombstones younger than 30 days are in the feed");

  fixture.clock.advance(hours(2));
  report.ok(commit(store, {{}, {item_of("d")}, {}, {}}), "a commit when the first tombstones are too old");
  report.equal(feed_text_after(store, *put), "error Gone",
               "after tombstones were dropped the feed before them is Gone");
  report.equal(feed_text_after(store, *old - 1), "error Gone", "one dropped tombstone after the revision is enough");
  report.equal(feed_text_after(store, *old), "-b +d", "after the dropped tombstones the feed goes on");
  report.equal(feed_text_after(store, 0), "+[shelf] +c +d", "from 0 the feed needs no tombstones, so it is never Gone");

  if (!fixture.reopen()) return;
  report.equal(feed_text_after(fixture.port(), *put), "error Gone", "a reopened store knows what it dropped");
  report.equal(feed_text_after(fixture.port(), *old), "-b +d", "a reopened store continues the feed");
}

void a_recreated_record_leaves_no_gap(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto put = commit(store, {{category_of("shelf")}, {item_of("a")}, {}, {}});
  report.ok(commit(store, {{}, {}, {"a"}, {}}), "an item goes");
  report.ok(commit(store, {{}, {item_of("a")}, {}, {}}), "and comes back");
  fixture.clock.advance(kTombstonesLive + hours(24));
  report.ok(commit(store, {{}, {item_of("b")}, {}, {}}), "a commit much later");
  if (report.ok(put, "a batch is committed"))
    report.equal(feed_text_after(store, *put), "+a +b",
                 "a tombstone that its record's return replaced makes nothing Gone");
}

using std::chrono::seconds;

/// Limit in real time for an event that should happen at once, so that a wait which never ends fails the check.
constexpr seconds kTimeout{10};

/// A call of ItemStore::wait on its own thread.
class WaitThread {
 public:
  WaitThread(ports::ItemStore& store, model::Revision after, Call::SteadyTime deadline) {
    call_.deadline = deadline;
    call_.cancel = &cancelled_;
    ended_ = std::async(std::launch::async, [this, &store, after] { return store.wait(call_, after); });
  }
  ~WaitThread() { cancel(); }

  void cancel() { cancelled_ = true; }

  /// Whether the wait ends by itself, with success.
  bool ends() { return ended_.wait_for(kTimeout) == std::future_status::ready && ended_.get().has_value(); }

  /// Returns the result of the wait; Internal if it does not end.
  Status outcome() {
    if (ended_.wait_for(kTimeout) == std::future_status::ready) return ended_.get();
    return Error{ErrorCode::Internal, "it still waits"};
  }

 private:
  Call call_;
  std::atomic<bool> cancelled_{false};
  std::future<Status> ended_;  // last member: its destructor waits for the thread
};

/// Whether the store supports wait(). If not, expects Unsupported and skips the check.
bool waits(ports::ItemStore& store, Report& report) {
  if (store.capabilities().waits) return true;
  Call call;
  report.fails(store.wait(call, 0), ErrorCode::Unsupported, "a store that declares no wait says Unsupported");
  report.skip("the store does not wait by declaration");
  return false;
}

void a_wait_for_an_earlier_revision_returns_at_once(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!waits(store, report)) return;
  const auto written = commit(store, {{category_of("shelf")}, {item_of("a")}, {}, {}});
  if (!report.ok(written, "a batch is committed")) return;
  report.expect(WaitThread(store, *written - 1, Call::SteadyTime::max()).ends(),
                "a wait for a revision that is there already ends at once");
  report.expect(WaitThread(store, 0, Call::SteadyTime::max()).ends(), "so does one for the first revision");
}

void a_wait_ends_with_a_commit(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!waits(store, report)) return;
  for (int times = 0; times < 3; ++times) {
    WaitThread waiting(store, revision_of(store), Call::SteadyTime::max());
    report.ok(commit(store, {{category_of("shelf")}, {item_of("a")}, {}, {}}), "a batch is committed");
    report.expect(waiting.ends(), "a commit ends the wait for it");
  }
}

void a_wait_ends_with_its_deadline(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!waits(store, report)) return;
  const model::Revision newest = revision_of(store);
  report.expect(WaitThread(store, newest, fixture.clock.steady()).ends(), "a wait whose deadline is over ends at once");
  WaitThread waiting(store, newest, fixture.clock.steady() + seconds(5));
  fixture.clock.advance(seconds(5));
  report.expect(waiting.ends(), "a wait ends with its deadline, and that is a success");
}

void a_cancelled_wait_ends(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!waits(store, report)) return;
  WaitThread waiting(store, revision_of(store), Call::SteadyTime::max());
  waiting.cancel();
  report.fails(waiting.outcome(), ErrorCode::Cancelled, "a cancelled wait ends with Cancelled");
}

}  // namespace

Suite<ItemStoreFixture> item_store_feed() {
  return {
      {"ListsEachChangedRecordOnceInItsNewestState", "changes", lists_each_changed_record_once_in_its_newest_state},
      {"ChangesContainTheWholeRecord", "changes", changes_contain_the_whole_record},
      {"ChangesFromZeroHaveNoTombstones", "changes", changes_from_zero_have_no_tombstones},
      {"AnItemAndACategoryMayShareAnId", "changes", an_item_and_a_category_may_share_an_id},
      {"MovingAnItemDoesNotChangeItsCategories", "kb_category", moving_an_item_does_not_change_its_categories},
      {"AStoppedFeedReturnsCancelled", "kb_item_sink", a_stopped_feed_returns_cancelled},
      {"ACancelledFeedEnds", "changes", a_cancelled_feed_ends},
      {"TombstonesAreKeptFor30Days", "changes", tombstones_are_kept_for_30_days},
      {"ARecreatedRecordLeavesNoGap", "changes", a_recreated_record_leaves_no_gap},
  };
}

Suite<ItemStoreFixture> item_store_waits() {
  return {
      {"AWaitForAnEarlierRevisionReturnsAtOnce", "wait", a_wait_for_an_earlier_revision_returns_at_once},
      {"AWaitEndsWithACommit", "wait", a_wait_ends_with_a_commit},
      {"AWaitEndsWithItsDeadline", "wait", a_wait_ends_with_its_deadline},
      {"ACancelledWaitEnds", "wait", a_cancelled_wait_ends},
  };
}

}  // namespace kbase::conformance
