// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <thread>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {

using model::Day;
using model::Feedback;
using model::QueryCount;
using ports::Call;
using ports::InsightStore;
using std::chrono::days;

constexpr Day kDay = std::chrono::sys_days(std::chrono::year(2026) / 3 / 14);
constexpr Day kFirst = kDay - days(3650);
constexpr Day kLast = kDay + days(3650);
constexpr model::ClientId kAda{1, 2, 3};
constexpr model::ClientId kBob{4, 5, 6, 0, 255};

std::string text_of(const QueryCount& count) {
  return std::string(count.query) + '@' + std::to_string((count.day - kDay).count()) + ':' +
         std::to_string(count.searches) + ',' + std::to_string(count.without_result) + ',' +
         std::to_string(count.with_click);
}

std::string text_of(const Feedback& feedback) {
  return std::string(feedback.item) + '@' + std::to_string((feedback.day - kDay).count()) +
         (feedback.is_helpful ? '+' : '-') + std::string(feedback.comment);
}

template <class Row> auto append_to(std::string& all) {
  return [&all](const Row& row) {
    all += (all.empty() ? "" : "|") + text_of(row);
    return Visit::Continue;
  };
}

std::string queries(InsightStore& store, Day first = kFirst, Day last = kLast) {
  Call call;
  std::string all;
  const Status status = store.queries(call, first, last, append_to<QueryCount>(all));
  return status ? all : "error " + std::string(name_of(status.error().code));
}

std::string feedback(InsightStore& store, Day first = kFirst, Day last = kLast) {
  Call call;
  std::string all;
  const Status status = store.feedback(call, first, last, append_to<Feedback>(all));
  return status ? all : "error " + std::string(name_of(status.error().code));
}

void add(InsightStore& store, Report& report, const std::vector<QueryCount>& counts,
         SourceLine where = SourceLine::current()) {
  Call call;
  report.ok(store.add_queries(call, counts), "add_queries succeeds", where);
}

void put(InsightStore& store, Report& report, const Feedback& given, SourceLine where = SourceLine::current()) {
  Call call;
  report.ok(store.put_feedback(call, given), "put_feedback succeeds", where);
}

void starts_empty(InsightStoreFixture& fixture, Report& report) {
  Call call;
  report.equal(queries(fixture.port()), "", "an empty store has no queries");
  report.equal(feedback(fixture.port()), "", "an empty store has no feedback");
  add(fixture.port(), report, {});
  report.ok(fixture.port().forget(call, kDay, kDay), "forget succeeds in an empty store");
}

void counts_add_up(InsightStoreFixture& fixture, Report& report) {
  InsightStore& store = fixture.port();
  add(store, report, {{"red fox", kDay, 3, 1, 2}, {"blue", kDay, 1, 0, 0}});
  add(store, report, {{"red fox", kDay, 4, 0, 1}, {"red fox", kDay + days(1), 1, 1, 0}, {"red fox", kDay, 1, 0, 0}});
  report.equal(queries(store), "blue@0:1,0,0|red fox@0:8,1,3|red fox@1:1,1,0",
               "counts of a query and day add up, and are visited by query, then day");
}

void queries_are_those_of_the_days(InsightStoreFixture& fixture, Report& report) {
  InsightStore& store = fixture.port();
  add(store, report, {{"a", kDay - days(1), 1, 0, 0}, {"b", kDay, 1, 0, 0}, {"c", kDay + days(1), 1, 0, 0}});
  report.equal(queries(store, kDay, kDay + days(1)), "b@0:1,0,0|c@1:1,0,0", "both days are included");
  report.equal(queries(store, kDay, kDay), "b@0:1,0,0", "one day");
  report.equal(queries(store, kDay + days(2), kLast), "", "no day");
}

void queries_are_kept_as_they_are(InsightStoreFixture& fixture, Report& report) {
  const std::string longest(200, 'x');
  for (const std::string& query : {std::string("größe"), std::string("検索"), std::string("%_'\"\\"), longest}) {
    add(fixture.port(), report, {{query, kDay, 1, 0, 0}});
    report.expect(queries(fixture.port()).find(query + "@0:1,0,0") != std::string::npos, "a query is kept as it is",
                  query);
  }
}

void a_visitor_stops_the_queries(InsightStoreFixture& fixture, Report& report) {
  Call call;
  add(fixture.port(), report, {{"a", kDay, 1, 0, 0}, {"b", kDay, 1, 0, 0}});
  int visits = 0;
  report.ok(fixture.port().queries(call, kFirst, kLast,
                                   [&visits](const QueryCount&) {
                                     ++visits;
                                     return Visit::Stop;
                                   }),
            "a visit that is stopped succeeds");
  report.equal(visits, 1, "a visitor that stops is not called again");
}

void feedback_of_a_reader_counts_once_a_day(InsightStoreFixture& fixture, Report& report) {
  InsightStore& store = fixture.port();
  put(store, report, {"a", kDay, kAda, true, ""});
  put(store, report, {"a", kDay, kAda, false, "outdated"});
  report.equal(feedback(store), "a@0-outdated", "the last word of a reader counts");
  put(store, report, {"a", kDay, kBob, true, "good"});
  put(store, report, {"b", kDay, kAda, true, ""});
  put(store, report, {"a", kDay + days(1), kAda, true, ""});
  report.equal(feedback(store), "a@1+|a@0-outdated|a@0+good|b@0+", "the latest day comes first, then the items by id");
  report.equal(feedback(store, kDay, kDay), "a@0-outdated|a@0+good|b@0+", "feedback of one day");
}

void feedback_has_its_reader(InsightStoreFixture& fixture, Report& report) {
  Call call;
  put(fixture.port(), report, {"a", kDay, kBob, true, "yes"});
  model::ClientId reader{};
  report.ok(fixture.port().feedback(call, kDay, kDay,
                                    [&reader](const Feedback& given) {
                                      reader = given.reader;
                                      return Visit::Continue;
                                    }),
            "feedback is visited");
  report.expect(reader == kBob, "feedback has the reader who gave it");
}

void forgets_old_days_and_readers(InsightStoreFixture& fixture, Report& report) {
  Call call;
  InsightStore& store = fixture.port();
  add(store, report, {{"old", kDay - days(1), 1, 0, 0}, {"kept", kDay, 1, 0, 0}});
  put(store, report, {"old", kDay - days(1), kAda, true, ""});
  put(store, report, {"kept", kDay, kAda, true, ""});
  put(store, report, {"kept", kDay, kBob, false, ""});
  report.ok(store.forget(call, kDay, kDay + days(1)), "forget succeeds");
  report.equal(queries(store), "kept@0:1,0,0", "older queries are deleted");
  report.equal(feedback(store), "kept@0+|kept@0-", "older feedback is deleted");
  bool has_reader = false;
  report.ok(store.feedback(call, kFirst, kLast,
                           [&has_reader](const Feedback& given) {
                             has_reader = has_reader || given.reader != model::ClientId{};
                             return Visit::Continue;
                           }),
            "feedback is visited");
  report.expect(!has_reader, "readers of days that are over are forgotten");
  put(store, report, {"kept", kDay + days(1), kAda, true, ""});
  put(store, report, {"kept", kDay + days(1), kAda, false, ""});
  report.equal(feedback(store), "kept@1-|kept@0+|kept@0-", "feedback of today counts once, as before");
}

void concurrent_counts_add_up(InsightStoreFixture& fixture, Report& report) {
  constexpr int kThreads = 4, kCalls = 25;
  InsightStore& store = fixture.port();
  std::vector<std::thread> threads;
  std::vector<Status> results(kThreads);
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&store, &result = results[static_cast<std::size_t>(thread)], thread] {
      for (int i = 0; i < kCalls && result; ++i) {
        Call call;
        const QueryCount forward[] = {{"a", kDay, 1, 0, 0}, {"b", kDay, 1, 0, 0}};
        const QueryCount backward[] = {{"b", kDay, 1, 0, 0}, {"a", kDay, 1, 0, 0}};
        result = store.add_queries(call, thread % 2 == 0 ? std::span(forward) : std::span(backward));
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const Status& result : results) report.ok(result, "concurrent calls succeed");
  report.equal(queries(store), "a@0:100,0,0|b@0:100,0,0", "no count is lost");
}

void persists_across_reopen(InsightStoreFixture& fixture, Report& report) {
  add(fixture.port(), report, {{"a", kDay, 3, 2, 1}});
  put(fixture.port(), report, {"b", kDay, kAda, true, "yes"});
  if (!fixture.reopen()) return report.skip("the store is not persistent by declaration");
  report.equal(queries(fixture.port()), "a@0:3,2,1", "queries survive the process");
  report.equal(feedback(fixture.port()), "b@0+yes", "feedback survives the process");
}

}  // namespace

Suite<InsightStoreFixture> insight_store_suite() {
  return {
      {"StartsEmpty", "", starts_empty},
      {"CountsAddUp", "add_queries", counts_add_up},
      {"QueriesAreThoseOfTheDays", "queries", queries_are_those_of_the_days},
      {"QueriesAreKeptAsTheyAre", "kb_query_count", queries_are_kept_as_they_are},
      {"AVisitorStopsTheQueries", "queries", a_visitor_stops_the_queries},
      {"FeedbackOfAReaderCountsOnceADay", "put_feedback", feedback_of_a_reader_counts_once_a_day},
      {"FeedbackHasItsReader", "kb_feedback", feedback_has_its_reader},
      {"ForgetsOldDaysAndReaders", "forget", forgets_old_days_and_readers},
      {"ConcurrentCountsAddUp", "add_queries", concurrent_counts_add_up},
      {"PersistsAcrossReopen", "add_queries", persists_across_reopen},
  };
}

}  // namespace kbase::conformance
