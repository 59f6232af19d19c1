// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/throwing_visitors.hpp"

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/search_index_checks.hpp"

namespace kbase::plugin_check {
namespace {

using conformance::Report;
using model::Visit;

struct Thrown {};

/// `ask` takes a visitor and returns whether the call succeeded. Calls it with a visitor that throws, then with one
/// that does not.
template <class Row, class Ask>
void throw_once(Report& report, Ask ask) {
  bool came = false;
  try {
    ask([](const Row&) -> Visit { throw Thrown(); });
  } catch (const Thrown&) {
    came = true;
  }
  report.expect(came, "what a visitor throws comes out of the call", "the call returned");
  int rows = 0;
  const bool succeeded = ask([&rows](const Row&) {
    ++rows;
    return Visit::Continue;
  });
  report.expect(succeeded && rows > 0, "the next call is answered as if nothing had happened",
                succeeded ? "it has no row" : "it failed");
}

}  // namespace

void a_visitor_that_throws_does_no_harm(conformance::ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  const auto put = [&](std::string_view id) {
    report.ok(conformance::commit(store, {{conformance::category_of("shelf")}, {conformance::item_of(id)}, {}, {}}),
              "a batch is committed");
  };
  put("a");
  ports::Call call;
  throw_once<model::ItemView>(report, [&](auto visitor) { return store.get(call, "a", visitor).has_value(); });
  throw_once<model::ItemSummaryView>(report, [&](auto visitor) {
    return store.recent(call, std::nullopt, {0, 10}, visitor).has_value();
  });
  throw_once<ports::Change>(report, [&](auto visitor) { return store.changes(call, 0, visitor).has_value(); });
  put("b");
}

void a_visitor_that_throws_does_no_harm(conformance::ActivityStoreFixture& fixture, Report& report) {
  ports::ActivityStore& store = fixture.port();
  ports::Call call;
  const model::Day day{std::chrono::days(20'000)};
  const ports::ViewIncrement increments[] = {{"a", day, 3}};
  report.ok(store.add(call, {1}, 1, increments), "views are added");
  throw_once<ports::ItemViews>(report, [&](auto visitor) { return store.top(call, day, day, visitor).has_value(); });
  throw_once<ports::ItemViews>(report, [&](auto visitor) { return store.totals(call, 0, visitor).has_value(); });
  report.ok(store.add(call, {1}, 2, increments), "views are added");
}

void a_visitor_that_throws_does_no_harm(conformance::ApiKeyStoreFixture& fixture, Report& report) {
  ports::ApiKeyStore& store = fixture.port();
  ports::Call call;
  model::ApiKey key;
  key.id = key.name = key.plan = "a";
  report.ok(store.create(call, key), "a key is created");
  throw_once<model::ApiKey>(report, [&](auto visitor) { return store.list(call, visitor).has_value(); });
  const model::Day day{std::chrono::days(20'000)};
  const ports::KeyUsage usage[] = {{"a", day, 3}};
  if (store.add_usage(call, usage))
    throw_once<ports::KeyUsage>(report, [&](auto visitor) { return store.usage(call, day, day, visitor).has_value(); });
}

void a_visitor_that_throws_does_no_harm(conformance::SearchIndexFixture& fixture, Report& report) {
  ports::SearchIndex& index = fixture.port();
  if (!conformance::fill(fixture, report, {{.id = "a", .content = "nickel"}, {.id = "b", .content = "nickel"}})) return;
  ports::Call call;
  ports::SearchRequest everything;
  everything.limit = 10;
  throw_once<ports::SearchHit>(report,
                               [&](auto visitor) { return index.search(call, everything, visitor).has_value(); });
  report.equal(conformance::search_ids(index, "nickel"), "a|b", "the index answers as before");
}

void a_visitor_that_throws_does_no_harm(conformance::CacheFixture& fixture, Report& report) {
  ports::Cache& cache = fixture.port();
  ports::Call call;
  report.ok(cache.put(call, "a", "value", std::chrono::hours(1)), "put succeeds");
  bool is_hit = false;
  (void)cache.get(call, "a", [&](std::string_view) {
    is_hit = true;
    return Visit::Continue;
  });
  if (!is_hit) return report.skip("the cache keeps nothing");
  throw_once<std::string_view>(report, [&](auto visitor) { return cache.get(call, "a", visitor).has_value(); });
  report.ok(cache.put(call, "b", "value", std::chrono::hours(1)), "put succeeds");
}

void a_visitor_that_throws_does_no_harm(conformance::LanguageModelFixture& fixture, Report& report) {
  if (!fixture.can_answer()) return report.skip("no answer comes in which a visitor could throw");
  fixture.play({});
  ports::Call call;
  ports::Prompt prompt;
  prompt.text = "Why?";
  prompt.model = conformance::kAskedModel;
  prompt.max_tokens = 16;
  prompt.is_stream = true;
  throw_once<std::string_view>(
      report, [&](auto visitor) { return fixture.port().complete(call, prompt, visitor).has_value(); });
}

}  // namespace kbase::plugin_check
