// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <thread>

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {
using ports::Call;
using std::chrono::milliseconds;

model::ItemView titled(std::string_view id, std::string_view title, std::string_view category = "shelf") {
  model::ItemView item = item_of(id, category);
  item.title = title;
  return item;
}

void each_changed_record_increments_the_revision(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto revision_after = [&](const Batch& batch) {
    const auto revision = commit(store, batch);
    report.ok(revision, "a batch is committed");
    report.equal(revision ? *revision : 0, revision_of(store), "commit returns the store's revision afterwards");
    return revision_of(store);
  };
  report.equal(revision_after({{category_of("shelf")}, {item_of("a"), item_of("b")}, {}, {}}), 3U,
               "the first batch counts from 1, one for each record");
  report.equal(revision_after({{}, {titled("a", "changed")}, {}, {}}), 4U, "a replaced item is one change");
  report.equal(revision_after({{category_of("x")}, {item_of("c")}, {"a"}, {"x"}}), 8U, "a removal is one change");
  report.equal(revision_after({}), 8U, "an empty batch changes nothing");

  const auto revision_is = [&](std::string_view id, model::Revision wanted) {
    Call call;
    report.ok(store.get(call, id,
                        [&](const model::ItemView& item) {
                          report.equal(item.revision, wanted, "an item keeps the revision of its own last change");
                          return Visit::Continue;
                        }),
              "an item is found");
  };
  revision_is("b", 3);
  revision_is("c", 6);
}

void a_batch_is_visible_after_commit(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  report.ok(commit(store, {{category_of("shelf"), category_of("old")}, {titled("a", "old"), item_of("b")}, {}, {}}),
            "a batch is committed");
  const model::Revision before = revision_of(store);
  Call call;
  auto writer = store.begin(call);
  if (!report.ok(writer, "a batch begins")) return;
  report.ok(apply(**writer, {{category_of("new")}, {titled("a", "new"), item_of("c", "new")}, {"b"}, {"old"}}),
            "the batch takes changes");

  report.equal(title_of(store, "a"), "old", "readers see the old item until commit");
  report.equal(title_of(store, "c"), "none", "readers see no new item until commit");
  report.equal(recent_ids(store, std::nullopt, {0, 10}), "a|b", "lists show the old state until commit");
  report.equal(category_ids(store, {0, 10}), "old|shelf", "categories show the old state until commit");
  report.equal(revision_of(store), before, "the revision is that of the last commit");
  report.equal(feed_text_after(store, before), "", "the feed contains no uncommitted change");

  report.ok((*writer)->commit(call), "the batch is committed");
  writer = Error{};
  report.equal(title_of(store, "a"), "new", "after commit readers see the new item");
  report.equal(recent_ids(store, std::nullopt, {0, 10}), "a|c", "after commit lists show the new state");
  report.equal(category_ids(store, {0, 10}), "new|shelf", "after commit categories show the new state");
}

void an_aborted_batch_changes_nothing(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  report.ok(commit(store, {{category_of("shelf"), category_of("empty")}, {titled("a", "old"), item_of("b")}, {}, {}}),
            "a batch is committed");
  const model::Revision before = revision_of(store);
  {
    Call call;
    auto writer = store.begin(call);
    if (!report.ok(writer, "a batch begins")) return;
    report.ok(apply(**writer, {{category_of("new")}, {titled("a", "new"), item_of("c", "new")}, {"b"}, {"empty"}}),
              "the batch takes changes");
  }
  const auto is_untouched = [&] {
    report.equal(revision_of(fixture.port()), before, "a batch destroyed uncommitted leaves the revision");
    report.equal(title_of(fixture.port(), "a"), "old", "a batch destroyed uncommitted leaves replaced items");
    report.equal(recent_ids(fixture.port(), std::nullopt, {0, 10}), "a|b",
                 "a batch destroyed uncommitted leaves lists");
    report.equal(category_ids(fixture.port(), {0, 10}), "empty|shelf",
                 "a batch destroyed uncommitted leaves categories");
    report.equal(feed_text_after(fixture.port(), before), "",
                 "the feed contains no change of a batch that was destroyed without a commit");
  };
  is_untouched();
  if (fixture.reopen()) is_untouched();
  const auto next = commit(fixture.port(), {{}, {item_of("c")}, {}, {}});
  if (report.ok(next, "another batch may follow"))
    report.equal(*next, before + 1, "an aborted batch uses up no revision");
}

/// Returns the titles that the batch reads for `ids`, joined by '|'.
std::string titles_in(ports::ItemWriter& writer, const std::vector<std::string_view>& ids, Report& report) {
  Call call;
  std::string titles;
  report.ok(writer.read(call, ids,
                        [&](const model::ItemView& item) {
                          titles += (titles.empty() ? "" : "|") + std::string(item.title);
                          return Visit::Continue;
                        }),
            "a batch can be read");
  return titles;
}

void a_batch_reads_its_own_writes(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  report.ok(commit(store, {{category_of("shelf"), category_of("old")},
                           {titled("a", "old a"), titled("b", "old b"), titled("c", "old c")},
                           {},
                           {}}),
            "a batch is committed");
  Call call;
  auto begun = store.begin(call);
  if (!report.ok(begun, "a batch begins")) return;
  ports::ItemWriter& writer = **begun;
  const std::vector<std::string_view> ids{"d", "c", "x", "b", "a", "c"};
  report.equal(titles_in(writer, ids, report), "old c|old b|old a|old c",
               "a batch reads the committed state, in the order asked for");

  model::CategoryView renamed = category_of("shelf");
  renamed.name = "renamed";
  report.ok(
      apply(writer, {{renamed, category_of("new")}, {titled("a", "new a"), titled("d", "new d")}, {"b"}, {"old"}}),
      "the batch takes changes");
  report.equal(titles_in(writer, ids, report), "new d|old c|new a|old c", "a batch reads what it put and removed");
  const std::array<std::string_view, 1> one{"a"};
  report.ok(writer.read(call, one,
                        [&](const model::ItemView& seen) {
                          report.expect(difference(seen, titled("a", "new a")).empty(),
                                        "a batch reads every member of what it put",
                                        difference(seen, titled("a", "new a")));
                          return Visit::Continue;
                        }),
            "a batch can be read");
  report.ok(writer.read_category(call, "shelf",
                                 [&](const model::CategoryView& seen) {
                                   report.expect(difference(seen, renamed).empty(), "a batch reads the category it put",
                                                 difference(seen, renamed));
                                   return Visit::Continue;
                                 }),
            "a batch reads its categories");
  const auto ignore = [](const model::CategoryView&) { return Visit::Continue; };
  report.ok(writer.read_category(call, "new", ignore), "a batch reads the category it added");
  report.fails(writer.read_category(call, "old", ignore), ErrorCode::NotFound, "a removed category is NotFound");
  report.fails(writer.read_category(call, "x", ignore), ErrorCode::NotFound, "an unknown category is NotFound");

  report.ok(apply(writer, {{}, {titled("b", "back"), titled("a", "newer a")}, {"d"}, {}}), "it takes more changes");
  report.equal(titles_in(writer, ids, report), "old c|back|newer a|old c", "the last write of a batch counts");
  report.ok(writer.commit(call), "the batch is committed");
  report.equal(title_of(store, "a"), "newer a", "the last write of a batch is kept");
  report.equal(title_of(store, "b"), "back", "an item that was removed and put again in a batch is kept");
  report.equal(title_of(store, "d"), "none", "an item that was put and removed in a batch is gone");
}

void removing_a_missing_record_changes_nothing(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto written = commit(store, {{category_of("shelf"), category_of("empty")}, {item_of("a")}, {}, {}});
  if (!report.ok(written, "a batch is committed")) return;
  Call call;
  auto writer = store.begin(call);
  if (!report.ok(writer, "a batch begins")) return;
  const auto removes = [&](const Result<bool>& removed, bool wanted, std::string_view rule) {
    if (report.ok(removed, "a removal answers")) report.expect(*removed == wanted, rule);
  };
  removes((*writer)->remove(call, "x"), false, "removing an unknown item is false");
  removes((*writer)->remove_category(call, "x"), false, "removing an unknown category is false");
  removes((*writer)->remove(call, "shelf"), false, "a category is not an item");
  removes((*writer)->remove_category(call, "a"), false, "an item is not a category");
  removes((*writer)->remove(call, "a"), true, "removing an item is true");
  removes((*writer)->remove(call, "a"), false, "removing an item again is false");
  removes((*writer)->remove_category(call, "empty"), true, "removing a category is true");
  removes((*writer)->remove_category(call, "empty"), false, "removing a category again is false");
  const auto revision = (*writer)->commit(call);
  if (report.ok(revision, "the batch is committed"))
    report.equal(*revision, *written + 2, "a removal that removed nothing takes no revision");
}

void a_category_with_items_is_not_removed(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto written = commit(store, {{category_of("a"), category_of("b")}, {item_of("1", "a")}, {}, {}});
  if (!report.ok(written, "a batch is committed")) return;
  Call call;
  {
    auto writer = store.begin(call);
    if (!report.ok(writer, "a batch begins")) return;
    report.fails((*writer)->remove_category(call, "a"), ErrorCode::InvalidArgument,
                 "removing a category that still has items fails");
  }
  {
    auto writer = store.begin(call);
    if (!report.ok(writer, "a batch begins after one that failed")) return;
    report.ok(apply(**writer, {{}, {item_of("2", "b")}, {}, {}}), "an item is put");
    report.fails((*writer)->remove_category(call, "b"), ErrorCode::InvalidArgument,
                 "removing a category that this batch gave an item fails");
  }
  report.equal(category_ids(store, {0, 10}), "a|b", "a batch that failed left both categories");
  report.ok(commit(store, {{}, {item_of("1", "b")}, {}, {"a"}}), "a category that this batch emptied can be removed");
  report.equal(category_ids(store, {0, 10}), "b", "a removed category is gone");
}

void one_batch_is_open_at_a_time(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  Call call;
  Call impatient;
  impatient.deadline = fixture.clock.steady() - milliseconds(1);
  {
    auto first = store.begin(call);
    if (!report.ok(first, "a batch begins")) return;
    const auto second = store.begin(impatient);
    report.fails(second, ErrorCode::Conflict, "a second batch waits for the first until its deadline, then Conflict");
    if (!second) report.expect(!second.error().message.empty(), "Conflict has a sentence for the operator");
  }
  {
    auto second = store.begin(call);
    if (!report.ok(second, "a batch begins after the first was destroyed")) return;
    report.ok((*second)->commit(call), "it is committed");
  }
  report.ok(store.begin(call), "a batch begins after the first was committed");
}

void a_cancelled_batch_changes_nothing(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto written = commit(store, {{category_of("shelf")}, {item_of("a")}, {}, {}});
  if (!report.ok(written, "a batch is committed")) return;
  const std::atomic<bool> cancelled{true};
  Call call;
  Call unwanted;
  unwanted.cancel = &cancelled;
  {
    auto writer = store.begin(call);
    if (!report.ok(writer, "a batch begins")) return;
    report.ok(apply(**writer, {{}, {item_of("b")}, {}, {}}), "an item is put");
    const auto revision = (*writer)->commit(unwanted);
    if (revision)
      return report.equal(title_of(store, "b"), "A title", "a commit that succeeded kept the batch"), void();
    report.fails(revision, ErrorCode::Cancelled, "a cancelled commit may only fail with Cancelled");
  }
  report.equal(title_of(store, "b"), "none", "a commit that failed kept nothing");
  report.equal(revision_of(store), *written, "a commit that failed left the revision");
  report.ok(commit(store, {{}, {item_of("b")}, {}, {}}), "a batch can follow one that failed");
}

// Items of the next check: each batch gives all of them the same title.
constexpr std::array<std::string_view, 5> kTwins{"a", "b", "c", "d", "e"};
constexpr int kBatches = 30;

Batch twins(std::string_view title) {
  Batch batch;
  for (const std::string_view id : kTwins) batch.items.push_back(titled(id, title));
  return batch;
}

/// Reads until `done`. Returns a description of a torn read; empty: there was none.
std::string watch_twins(ports::ItemStore& store, model::Revision first, const std::atomic<bool>& done) {
  while (!done) {
    Call call;
    const model::Revision seen = revision_of(store);
    const model::Revision batches_seen = (seen - first) / kTwins.size();
    if ((seen - first) % kTwins.size() != 0) return "a revision in the middle of a batch: " + std::to_string(seen);
    std::string titles;
    model::Revision oldest = kBatches;
    const auto note = [&](const model::ItemSummaryView& item) {
      titles += std::string(item.title) + ' ';
      oldest = std::min<model::Revision>(oldest, std::stoull(std::string(item.title)));
      return Visit::Continue;
    };
    const auto is_whole = [&titles] {
      const std::string one = titles.substr(0, titles.find(' ') + 1);
      std::string wanted;
      for (std::size_t i = 0; i < kTwins.size(); ++i) wanted += one;
      return titles == wanted;
    };
    if (!store.summaries(call, kTwins, note)) return "summaries failed";
    if (!is_whole()) return "half a batch in summaries: " + titles;
    if (oldest < batches_seen) return "an older state than revision() had returned before";
    titles.clear();
    if (!store.recent(call, std::nullopt, {0, 10}, note)) return "recent failed";
    if (!is_whole()) return "half a batch in recent: " + titles;
    titles.clear();
    const auto up_to = store.changes(call, first, [&](const ports::Change& change) {
      if (change.item != nullptr) return note(*change.item);
      return Visit::Continue;
    });
    if (!up_to) return "changes failed";
    if (!titles.empty() && !is_whole()) return "half a batch in changes: " + titles;
    if (!titles.empty() && std::stoull(titles) != (*up_to - first) / kTwins.size())
      return "changes up to " + std::to_string(*up_to) + " contained " + titles;
  }
  return {};
}

void readers_see_whole_batches(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  Batch start = twins("0");
  start.categories.push_back(category_of("shelf"));
  const auto first = commit(store, start);
  if (!report.ok(first, "a batch is committed")) return;

  std::atomic<bool> done{false};
  std::array<std::string, 8> seen;
  std::vector<std::thread> readers;
  for (std::string& complaint : seen)
    readers.emplace_back([&complaint, &store, &done, first] { complaint = watch_twins(store, *first, done); });
  for (int batch = 1; batch <= kBatches; ++batch)
    if (!report.ok(commit(store, twins(std::to_string(batch))), "a batch is committed while others read")) break;
  done = true;
  for (std::thread& reader : readers) reader.join();
  for (const std::string& complaint : seen)
    report.expect(complaint.empty(), "readers see whole batches only, and never an older one than before", complaint);
  report.equal(title_of(store, "e"), std::to_string(kBatches), "the last batch is seen in the end");
}

}  // namespace

Suite<ItemStoreFixture> item_store_batches() {
  return {
      {"EachChangedRecordIncrementsTheRevision", "put", each_changed_record_increments_the_revision},
      {"ABatchIsVisibleAfterCommit", "commit", a_batch_is_visible_after_commit},
      {"AnAbortedBatchChangesNothing", "abort", an_aborted_batch_changes_nothing},
      {"ABatchReadsItsOwnWrites", "read", a_batch_reads_its_own_writes},
      {"RemovingAMissingRecordChangesNothing", "remove", removing_a_missing_record_changes_nothing},
      {"ACategoryWithItemsIsNotRemoved", "remove_category", a_category_with_items_is_not_removed},
      {"OneBatchIsOpenAtATime", "begin", one_batch_is_open_at_a_time},
      {"ACancelledBatchChangesNothing", "commit", a_cancelled_batch_changes_nothing},
      {"ReadersSeeWholeBatches", "", readers_see_whole_batches},
  };
}

}  // namespace kbase::conformance
