// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {

using model::Day;
using ports::Call;
using std::chrono::days;
using std::chrono::year;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
constexpr Day kToday = Day(year(2026) / 3 / 14);

model::ItemView dated(std::string_view id, Day updated, Day created, std::string_view category = "shelf") {
  model::ItemView item = item_of(id, category);
  item.metadata.updated = updated;
  item.metadata.created = created;
  return item;
}

void recent_is_newest_updated_then_newest_created_then_id(ItemStoreFixture& fixture, Report& report) {
  const Day d = kToday;
  const auto written = commit(
      fixture.port(),
      {{category_of("shelf")},
       {dated("a", d - days(1), d - days(9)), dated("b", d, d - days(9)), dated("c", d, d - days(2)),
        dated("d", d - days(1), d - days(9)), dated("e", d, d - days(9)), dated("f", Day(year(1969) / 12 / 31), d),
        dated("g", Day(year(0) / 1 / 1), d), dated("h", Day(year(9999) / 12 / 31), Day(year(0) / 1 / 1))},
       {},
       {}});
  if (!report.ok(written, "a batch is committed")) return;
  report.equal(recent_ids(fixture.port(), std::nullopt, {0, 100}), "h|c|b|e|a|d|f|g",
               "recent: newest updated, then newest created, then id");
  report.equal(recent_ids(fixture.port(), "shelf", {0, 100}), "h|c|b|e|a|d|f|g",
               "recent of a category has the same order");

  const auto changed =
      commit(fixture.port(),
             {{}, {dated("a", d + days(1), d), dated("h", d, d - days(9)), dated("B", d, d - days(9))}, {"c"}, {}});
  if (!report.ok(changed, "a second batch is committed")) return;
  report.equal(recent_ids(fixture.port(), std::nullopt, {0, 100}), "a|B|b|e|h|d|f|g",
               "a new and a replaced item stand where their dates and ids belong, a removed one nowhere");
}

void orders_ids_and_names_by_their_bytes(ItemStoreFixture& fixture, Report& report) {
  // Order of UTF-8 bytes: upper case first, U+FFFD before characters that UTF-16 encodes as surrogates, prefixes first.
  const std::vector<std::string_view> ordered{"10", "9", "B",  "a", "a ", "a!",     "a-",
                                              "aa", "b", "ss", "ß", "é",  "\uFFFD", "\U0001F600"};
  Batch batch{{category_of("shelf")}, {}, {}, {}};
  std::string wanted;
  for (const std::string_view id : ordered) wanted += (wanted.empty() ? "" : "|") + std::string(id);
  for (auto id = ordered.rbegin(); id != ordered.rend(); ++id) batch.items.push_back(item_of(*id));
  if (!report.ok(commit(fixture.port(), batch), "a batch is committed")) return;
  report.equal(recent_ids(fixture.port(), std::nullopt, {0, 100}), wanted,
               "items of one day order by their ids' bytes");

  Batch names;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < ordered.size(); ++i) ids.push_back("id " + std::to_string(ordered.size() - i));
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    names.categories.push_back(category_of(ids[i]));
    names.categories.back().name = ordered[i];
  }
  std::string wanted_ids;
  for (const std::string& id : ids) wanted_ids += id + '|';
  std::rotate(names.categories.begin(), names.categories.begin() + 5, names.categories.end());
  if (!report.ok(commit(fixture.port(), names), "a batch of categories is committed")) return;
  // "shelf", the category of the items above, is between "b" and "ss".
  wanted_ids.insert(wanted_ids.find(ids[9]), "shelf|");
  wanted_ids.pop_back();
  report.equal(category_ids(fixture.port(), {0, 100}), wanted_ids, "categories order by their names' bytes");
}

void categories_of_one_name_order_by_id(ItemStoreFixture& fixture, Report& report) {
  Batch batch;
  for (const std::string_view id : {"c", "é", "a", "B"}) {
    batch.categories.push_back(category_of(id));
    batch.categories.back().name = "the same";
  }
  if (!report.ok(commit(fixture.port(), batch), "a batch is committed")) return;
  report.equal(category_ids(fixture.port(), {0, 100}), "B|a|c|é", "categories of one name order by their ids' bytes");
  model::CategoryView renamed = category_of("a");
  renamed.name = "then this";
  if (!report.ok(commit(fixture.port(), {{renamed}, {}, {}, {}}), "a category is renamed")) return;
  report.equal(category_ids(fixture.port(), {0, 100}), "B|c|é|a", "a renamed category stands where its name belongs");
}

void slices_have_no_overlap_and_no_gap(ItemStoreFixture& fixture, Report& report) {
  std::vector<std::string> ids;
  for (int i = 0; i < 97; ++i) ids.push_back("item " + std::to_string(i * 37 % 97));
  Batch batch{{category_of("even"), category_of("odd")}, {}, {}, {}};
  for (std::size_t i = 0; i < ids.size(); ++i)
    batch.items.push_back(dated(ids[i], kToday - days(i % 5), kToday - days(i % 3), i % 2 == 0 ? "even" : "odd"));
  for (const std::string& id : ids) batch.categories.push_back(category_of(id));
  if (!report.ok(commit(fixture.port(), batch), "a batch is committed")) return;

  using List = std::string (*)(ports::ItemStore&, ports::Slice);
  const std::array<List, 3> lists{
      [](ports::ItemStore& store, ports::Slice slice) { return recent_ids(store, std::nullopt, slice); },
      [](ports::ItemStore& store, ports::Slice slice) { return recent_ids(store, "even", slice); },
      [](ports::ItemStore& store, ports::Slice slice) { return category_ids(store, slice); }};
  for (const List list : lists) {
    const std::string whole = list(fixture.port(), {0, 1000});
    for (const std::uint64_t step : {1U, 7U, 50U}) {
      std::string joined;
      for (std::uint64_t offset = 0; offset < 150; offset += step) {
        const std::string page = list(fixture.port(), {offset, step});
        if (!page.empty()) joined += (joined.empty() ? "" : "|") + page;
      }
      report.equal(joined, whole, "slices of " + std::to_string(step) + " join to the whole list");
    }
    report.equal(list(fixture.port(), {0, 0}), "", "a slice with limit 0 is empty");
    report.equal(list(fixture.port(), {1000, 10}), "", "a slice past the end is empty");
    report.equal(list(fixture.port(), {kLargest, 1}), "", "a slice far past the end is empty");
    report.equal(list(fixture.port(), {kLargest, kLargest}), "", "a slice may ask for any number past the end");
    report.equal(list(fixture.port(), {0, kLargest}), whole, "a slice may ask for more than there is");
    report.expect(whole.ends_with('|' + list(fixture.port(),
                                             {std::uint64_t(std::count(whole.begin(), whole.end(), '|')), kLargest})),
                  "the last slice is the end of the list");
  }
}

void stops_when_the_visitor_stops(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!report.ok(commit(store, {{category_of("a"), category_of("b")}, {item_of("1", "a"), item_of("2", "b")}, {}, {}}),
                 "a batch is committed"))
    return;
  Call call;
  int rows = 0;
  const auto stop = [&rows](const auto&) {
    ++rows;
    return Visit::Stop;
  };
  const std::array<std::string_view, 2> ids{"1", "2"};
  const auto one_row = [&](const Status& status) {
    report.ok(status, "a visitor that stops ends the call without an error");
    report.equal(std::exchange(rows, 0), 1, "after a stop no further row is visited");
  };
  one_row(store.recent(call, std::nullopt, {0, 10}, stop));
  one_row(store.summaries(call, ids, stop));
  one_row(store.categories(call, {0, 10}, stop));
  one_row(store.category_views(call, stop));
  one_row(store.get(call, "1", stop));
  one_row(store.category(call, "a", stop));
}

/// Returns category ids with their counts. Expects category() and categories() to return the same counts.
std::string counts_of(ports::ItemStore& store, Report& report) {
  Call call;
  std::string counts;
  std::vector<std::pair<std::string, std::uint64_t>> listed;
  report.ok(store.categories(call, {0, 100},
                             [&](const model::CategoryView& category) {
                               listed.emplace_back(category.id, category.item_count);
                               return Visit::Continue;
                             }),
            "categories are listed");
  for (const auto& [id, count] : listed) {
    counts += (counts.empty() ? "" : " ") + id + '=' + std::to_string(count);
    report.ok(store.category(call, id,
                             [&, wanted = count](const model::CategoryView& category) {
                               report.equal(category.item_count, wanted, "category counts what categories counts");
                               return Visit::Continue;
                             }),
              "a listed category is found");
  }
  return counts;
}

void category_counts_are_exact(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  model::CategoryView lying = category_of("a");
  lying.item_count = 77;
  report.ok(commit(store, {{lying, category_of("b"), category_of("empty")},
                           {item_of("1", "a"), item_of("2", "a"), item_of("3", "b")},
                           {},
                           {}}),
            "a batch is committed");
  report.equal(counts_of(store, report), "a=2 b=1 empty=0", "item_count counts the category's own items");
  report.ok(commit(store, {{}, {item_of("1", "b"), item_of("1", "b"), item_of("4", "a")}, {}, {}}), "an item moves");
  report.equal(counts_of(store, report), "a=2 b=2 empty=0", "a moved item counts in its new category alone");
  report.ok(commit(store, {{}, {item_of("2", "a")}, {"4"}, {}}), "an item is replaced and one removed");
  report.equal(counts_of(store, report), "a=1 b=2 empty=0", "a replaced item counts once, a removed one not at all");
  report.ok(commit(store, {{category_of("b")}, {}, {"2"}, {"a"}}), "a category goes with its last item");
  report.equal(counts_of(store, report), "b=2 empty=0", "a category that is put again keeps its items");
}

void totals_count_everything(ItemStoreFixture& fixture, Report& report) {
  const auto with_views = [](std::string_view id, Day created, std::uint64_t views, std::string_view category) {
    model::ItemView item = dated(id, kToday, created, category);
    item.metadata.views = views;
    return item;
  };
  ports::ItemStore& store = fixture.port();
  report.ok(
      commit(store,
             {{category_of("a"), category_of("b"), category_of("empty")},
              {with_views("today", kToday, 5'000'000'000, "a"), with_views("today - 6", kToday - days(6), 10, "a"),
               with_views("today - 7", kToday - days(7), 100, "b"), with_views("tomorrow", kToday + days(1), 1000, "b"),
               with_views("long ago", Day(year(0) / 1 / 1), 0, "b")},
              {},
              {}}),
      "a batch is committed");
  const auto totals_are = [&](Day today, std::string_view wanted, std::string_view rule,
                              SourceLine where = SourceLine::current()) {
    Call call;
    const auto totals = store.totals(call, today);
    if (!report.ok(totals, "totals answers", where)) return;
    report.equal(std::to_string(totals->items) + ' ' + std::to_string(totals->categories) + ' ' +
                     std::to_string(totals->views) + ' ' + std::to_string(totals->recent_additions),
                 wanted, rule, where);
  };
  totals_are(kToday, "5 3 5000001110 2", "recent additions are created from today - 6 to today, no later");
  totals_are(kToday + days(1), "5 3 5000001110 2", "recent additions follow the day that is asked about");
  totals_are(kToday + days(6), "5 3 5000001110 2", "an item created today - 6 counts");
  totals_are(kToday + days(7), "5 3 5000001110 1", "an item created today - 7 does not count");
  totals_are(kToday + days(8), "5 3 5000001110 0", "an item created today - 7 does not count");
  totals_are(kToday - days(1), "5 3 5000001110 2", "the same day again answers for another day");
  report.ok(commit(store, {{}, {with_views("today", kToday - days(30), 1, "b")}, {"tomorrow"}, {}}), "items change");
  totals_are(kToday, "4 3 111 1", "totals follow what was replaced and removed");
}

void category_views_are_exact(ItemStoreFixture& fixture, Report& report) {
  model::CategoryView named = category_of("a");
  named.name = "The name";
  model::ItemView large = item_of("large", "a");
  large.metadata.views = 5'000'000'000;
  ports::ItemStore& store = fixture.port();
  const auto view_counts = [&] {
    Call call;
    std::map<std::string, std::string> views;
    report.ok(store.category_views(call,
                                   [&](const ports::CategoryViews& row) {
                                     views[std::string(row.id)] +=
                                         std::string(row.name) + '=' + std::to_string(row.views) + ' ';
                                     return Visit::Continue;
                                   }),
              "category_views answers");
    std::string all;
    for (const auto& [id, text] : views)
      if (!text.ends_with("=0 ")) all += text;  // a store may report a category without views or not
    return all;
  };
  report.ok(commit(store, {{named, category_of("b"), category_of("empty")},
                           {large, item_of("1", "a"), item_of("2", "b"), item_of("3", "b")},
                           {},
                           {}}),
            "a batch is committed");
  report.equal(view_counts(), "The name=5000000007 b=14 ", "a category has the imported views of its own items");
  report.ok(commit(store, {{}, {item_of("2", "a")}, {"large"}, {}}), "items move and go");
  report.equal(view_counts(), "The name=14 b=7 ", "a category's views follow its items");
}

}  // namespace

Suite<ItemStoreFixture> item_store_lists() {
  return {
      {"RecentIsNewestUpdatedThenNewestCreatedThenId", "recent", recent_is_newest_updated_then_newest_created_then_id},
      {"OrdersIdsAndNamesByTheirBytes", "", orders_ids_and_names_by_their_bytes},
      {"CategoriesOfOneNameOrderById", "categories", categories_of_one_name_order_by_id},
      {"SlicesHaveNoOverlapAndNoGap", "", slices_have_no_overlap_and_no_gap},
      {"StopsWhenTheVisitorStops", "kb_item_sink", stops_when_the_visitor_stops},
      {"CategoryCountsAreExact", "kb_category.item_count", category_counts_are_exact},
      {"TotalsCountEverything", "totals", totals_count_everything},
      {"CategoryViewsAreExact", "category_views", category_views_are_exact},
  };
}

}  // namespace kbase::conformance
