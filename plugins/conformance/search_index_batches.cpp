// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "plugins/conformance/search_index_checks.hpp"

// Checks of batches: when their changes become visible, and what the index persists.
namespace kbase::conformance {
namespace {

using Build = ports::SearchIndex::Build;

void answers_nothing_before_the_first_state(SearchIndexFixture& fixture, Report& report) {
  ports::Call call;
  const auto state = fixture.port().state(call);
  report.expect(state && !state->complete, "a new index has no complete state");
  const ports::SearchRequest request;
  report.fails(fixture.port().search(call, request, [](const ports::SearchHit&) { return Visit::Continue; }),
               ErrorCode::Unavailable, "and answers nothing");
  report.fails(fixture.port().begin(call, Build::Update, kStoreId), ErrorCode::Unsupported,
               "and has nothing to update");
  report.ok(commit(fixture.port(), Build::Rebuild, {}, 0), "an empty store makes a complete state too");
  report.equal(run_query(fixture.port(), {}).ids, "", "which has no items");
}

void reports_its_state(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, {{.id = "a"}, {.id = "b"}})) return;
  report.ok(commit(fixture.port(), Build::Update, {{.id = "c"}}, 9), "an update succeeds");
  ports::Call call;
  const auto state = fixture.port().state(call);
  if (!report.ok(state, "the state can be read")) return;
  report.expect(state->complete, "it is complete");
  report.expect(state->store_id == kStoreId, "it has the id of the store that it was built from");
  report.equal(state->revision, model::Revision{9}, "it has the revision of the last commit");
  report.equal(state->documents, std::uint64_t{3}, "it counts its documents");
  const QueryResult result = run_query(fixture.port(), {.q = "nothing"});
  report.equal(result.result.revision, model::Revision{9}, "answers name the revision");
  report.expect(result.result.store_id == kStoreId, "and the store id");
  report.expect(!fixture.port().fingerprint().empty(), "it has a fingerprint");
  report.ok(fixture.port().health(call), "it is well");
  report.ok(fixture.port().verify(call), "it is sound");
}

void replaces_and_removes(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "a", .title = "first", .content = "granite", .tags = {"stone"}},
             {.id = "b", .content = "granite"},
             {.id = "c", .content = "basalt"}}))
    return;
  ports::Call call;
  {
    const auto writer = fixture.port().begin(call, Build::Update, kStoreId);
    if (!report.ok(writer, "an update begins")) return;
    report.ok(put(**writer, {{.id = "a", .title = "second", .content = "marble"}, {.id = "d", .content = "granite"}}),
              "items are put");
    report.ok((*writer)->remove(call, "b"), "an item is removed");
    report.ok((*writer)->remove(call, "unknown"), "an unknown id is not an error");
    report.ok((*writer)->commit(call, 2), "the batch is committed");
  }
  report.equal(search_ids(fixture.port(), "granite"), "d", "what was replaced or removed is not found any more");
  report.equal(search_ids(fixture.port(), "stone OR first"), "", "in no field");
  report.equal(search_ids(fixture.port(), "marble"), "a", "what replaced it is found");
  report.equal(run_query(fixture.port(), {.q = "basalt"}).ids, "c", "the others are as they were");
  report.equal(run_query(fixture.port(), {}).result.total, std::uint64_t{3}, "the counts follow");
  report.ok(fixture.port().verify(call), "the index is sound");
}

void keeps_the_last_of_one_id(SearchIndexFixture& fixture, Report& report) {
  ports::Call call;
  {
    const auto writer = fixture.port().begin(call, Build::Rebuild, kStoreId);
    if (!report.ok(writer, "a rebuild begins")) return;
    report.ok(put(**writer, {{.id = "a", .content = "first"}, {.id = "a", .content = "second"}}), "items are put");
    report.ok(put(**writer, {{.id = "b", .content = "first"}, {.id = "c", .content = "first"}}), "items are put");
    report.ok(put(**writer, {{.id = "b", .content = "third"}}), "items are put");
    report.ok((*writer)->remove(call, "c"), "an item of the same batch is removed");
    report.ok((*writer)->commit(call, 2), "the batch is committed");
  }
  report.equal(search_ids(fixture.port(), "first"), "", "of several states in one batch only the last shows");
  report.equal(search_ids(fixture.port(), "second OR third"), "a|b", "the last one does");
  report.ok(fixture.port().verify(call), "the index is sound");
}

void hides_a_batch_until_its_commit(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, {{.id = "a", .content = "copper"}})) return;
  ports::Call call;
  {
    const auto writer = fixture.port().begin(call, Build::Update, kStoreId);
    if (!report.ok(writer, "an update begins")) return;
    report.ok(put(**writer, {{.id = "b", .content = "copper"}}), "an item is put");
    report.ok((*writer)->remove(call, "a"), "an item is removed");
    report.equal(search_ids(fixture.port(), "copper"), "a", "a batch does not show before its commit");
    report.fails(fixture.port().begin(call, Build::Update, kStoreId), ErrorCode::Conflict,
                 "there is one batch at a time");
  }
  report.equal(search_ids(fixture.port(), "copper"), "a", "a batch that was dropped left nothing");
  report.ok(commit(fixture.port(), Build::Update, {{.id = "c", .content = "copper"}}, 2),
            "and does not block the next one");
  report.equal(search_ids(fixture.port(), "copper"), "a|c", "a committed one shows");
}

void rebuilds_while_it_answers(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, {{.id = "old", .content = "cobalt"}})) return;
  ports::Call call;
  report.fails(fixture.port().begin(call, Build::Update, kOtherStoreId), ErrorCode::Unsupported,
               "another store's changes do not fit");
  for (const bool committed : {false, true}) {
    const auto writer = fixture.port().begin(call, Build::Rebuild, kOtherStoreId);
    if (!report.ok(writer, "a rebuild begins, also for another store id")) return;
    report.ok(put(**writer, {{.id = "new", .content = "cobalt"}}), "items are put");
    report.equal(search_ids(fixture.port(), "cobalt"), "old", "the old state answers until the commit");
    if (committed) report.ok((*writer)->commit(call, 5), "the rebuild is committed");
  }
  report.equal(search_ids(fixture.port(), "cobalt"), "new", "then only the new one does");
  const auto state = fixture.port().state(call);
  report.expect(state && state->store_id == kOtherStoreId && state->revision == 5, "with its own store id");
}

void shows_batches_whole(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, make_samples("n", 20, "round0"))) return;
  ports::SearchIndex& index = fixture.port();
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0;
  std::atomic<int> answers = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&] {
      while (!done) {
        const QueryResult result = run_query(index, {.q = "round*", .limit = 20});
        bool whole = result.result.total == 20;
        for (const std::string& excerpt : result.excerpts)
          whole = whole && excerpt == "round" + std::to_string(result.result.revision - 1);
        if (!whole) ++torn;
        ++answers;
      }
    });
  for (model::Revision revision = 2; revision < 12; ++revision) {
    // Every third batch is a rebuild. Each batch waits for a search, so that readers see many of the states.
    const int before = answers;
    const Build build = revision % 3 == 0 ? Build::Rebuild : Build::Update;
    report.ok(commit(index, build, make_samples("n", 20, "round" + std::to_string(revision - 1)), revision),
              "batches succeed under readers");
    while (answers == before && torn == 0) std::this_thread::yield();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  report.equal(torn.load(), 0, "an answer is of one batch, whole");
}

void persists_its_state(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, {{.id = "a", .content = "nickel"}})) return;
  report.ok(commit(fixture.port(), Build::Update, {{.id = "b", .content = "nickel"}}, 4), "an update succeeds");
  const bool persistent = fixture.port().capabilities().persistent;
  const bool reopened = fixture.reopen();
  report.expect(reopened == persistent, "an index that declares to be persistent can be opened again");
  if (!reopened) return report.skip("it keeps nothing by declaration");
  ports::Call call;
  const auto state = fixture.port().state(call);
  report.expect(
      state && state->complete && state->revision == 4 && state->store_id == kStoreId && state->documents == 2,
      "it comes back with the state it had");
  report.equal(search_ids(fixture.port(), "nickel"), "a|b", "and its items");
  report.ok(commit(fixture.port(), Build::Update, {{.id = "c", .content = "nickel"}}, 5), "and takes updates");
  report.equal(search_ids(fixture.port(), "nickel"), "a|b|c", "which show");
}

void keeps_views_over_batches(SearchIndexFixture& fixture, Report& report) {
  if (fixture.port().capabilities().popularity_lag) return report.skip("counted views may be late");
  if (!fill(fixture, report, {{.id = "a", .content = "tin"}, {.id = "b", .content = "tin"}})) return;
  ports::Call call;
  const ports::ItemViews views[] = {{"b", 3}, {"c", 7}};
  report.ok(fixture.port().set_views(call, views, 1), "counted views are taken");
  report.ok(commit(fixture.port(), Build::Update, {{.id = "c", .content = "tin"}}, 2), "an update succeeds");
  report.equal(run_query(fixture.port(), {.q = "tin", .sort = model::Sort::Popularity}).ids, "c|b|a",
               "counted views outlast batches and wait for their items");
}

}  // namespace

Suite<SearchIndexFixture> search_index_batches() {
  return {{"ReturnsNothingBeforeItsFirstState", "search", answers_nothing_before_the_first_state},
          {"ReportsItsState", "state", reports_its_state},
          {"ReplacesAndRemovesItems", "put", replaces_and_removes},
          {"KeepsTheLastOfSeveralStatesInABatch", "put", keeps_the_last_of_one_id},
          {"HidesABatchUntilItsCommit", "put", hides_a_batch_until_its_commit},
          {"ServesTheOldStateDuringARebuild", "KB_BUILD_REBUILD", rebuilds_while_it_answers},
          {"BatchesAreAtomicForReaders", "", shows_batches_whole},
          {"PersistsItsState", "KB_SEARCH_INDEX_CAN_PERSIST", persists_its_state},
          {"KeepsCountedViewsOverBatches", "set_views", keeps_views_over_batches}};
}

}  // namespace kbase::conformance
