// SPDX-License-Identifier: Apache-2.0
// GET /popular, /recent and /stats on a new store. Manual: docs/guide/popular-and-recent.md and statistics.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class PopularEndpoint : public ReadingTest {};
class RecentEndpoint : public ReadingTest {};
class StatsEndpoint : public ReadingTest {};

INSTANTIATE_TEST_SUITE_P(Storage, PopularEndpoint, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Storage, RecentEndpoint, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Storage, StatsEndpoint, every_storage(), name_of);

Ids first(std::size_t count, Ids ids) {
  ids.resize(std::min(count, ids.size()));
  return ids;
}

/// Both lists have the same limits.
void expect_short_list_limits(Client& web, const std::string& path, std::size_t items) {
  EXPECT_EQ(expect_data(web.get(path)).size(), 10U);
  EXPECT_EQ(expect_data(web.get(path + "?limit=1")).size(), 1U);
  EXPECT_EQ(expect_data(web.get(path + "?limit=50")).size(), items);
  for (const char* limit : {"0", "51", "-1", "", "x", "10.0", "18446744073709551626"})
    expect_bad_parameter(web.get(path + "?limit=" + limit), "limit");
  expect_bad_parameter(web.get(path + "?limit=5&limit=5"), "limit");
}

TEST_P(PopularEndpoint, AcceptsLimitsFromOneToFifty) {
  expect_short_list_limits(web, "/popular", fixture_corpus().items().size());
}

TEST_P(PopularEndpoint, OrdersAFreshStoreByImportedViewsInEveryPeriod) {
  const Ids expected = fixture_corpus().ordered("", more_viewed);
  for (const char* period : {"", "&period=day", "&period=week", "&period=month", "&period=all"}) {
    const json data = expect_data(web.get(std::string("/popular?limit=50") + period));
    EXPECT_EQ(ids_of(data), expected) << period;
    for (const json& summary : data) {
      expect_summary(summary);
      ASSERT_TRUE(summary.contains("period_views")) << summary;
      const json views = std::string(period) == "&period=all" ? summary["metadata"]["views"] : json(0);
      EXPECT_EQ(summary["period_views"], views) << period << summary;
    }
  }
}

TEST_P(PopularEndpoint, RejectsAnUnknownPeriod) {
  for (const char* period : {"", "year", "Day", "7"})
    expect_bad_parameter(web.get(std::string("/popular?period=") + period), "period");
}

TEST_P(RecentEndpoint, AcceptsLimitsFromOneToFifty) {
  expect_short_list_limits(web, "/recent", fixture_corpus().items().size());
}

TEST_P(RecentEndpoint, ShowsTheNewestUpdateFirstThenCreationThenId) {
  EXPECT_EQ(ids_of(expect_data(web.get("/recent?limit=50"))), fixture_corpus().ordered("", newer));
  EXPECT_EQ(ids_of(expect_data(web.get("/recent"))), first(10, fixture_corpus().ordered("", newer)));
}

TEST_P(RecentEndpoint, ReturnsSummariesWithTheStartOfTheContent) {
  for (const json& summary : expect_data(web.get("/recent?limit=50"))) {
    expect_summary(summary);
    EXPECT_FALSE(summary.contains("period_views")) << summary;
    const json& item = fixture_corpus().item(summary["id"]);
    EXPECT_EQ(summary["tags"], item["tags"]);
    EXPECT_EQ(summary["metadata"]["author"], item["metadata"]["author"]);
    const std::string content = item["content"];
    if (content.size() < 200 && content.find_first_of("\n\t") == std::string::npos) {
      EXPECT_EQ(summary["excerpt"], content);
    }
  }
}

TEST_P(RecentEndpoint, CutsALongContentAtAWordBoundary) {
  const json items = expect_data(web.get("/category/loose?include_items=true"))["items"];
  const auto essay =
      std::find_if(items.begin(), items.end(), [](const json& item) { return item["id"] == "long-essay"; });
  ASSERT_NE(essay, items.end());
  const std::string excerpt = essay->at("excerpt");
  ASSERT_TRUE(excerpt.ends_with("…")) << excerpt;
  const std::string shown = excerpt.substr(0, excerpt.size() - 3);
  const std::string content = fixture_corpus().item("long-essay")["content"];
  EXPECT_TRUE(content.starts_with(shown)) << excerpt;
  EXPECT_EQ(std::isalnum(content[shown.size()]) && std::isalnum(shown.back()), false) << excerpt;
}

TEST_P(StatsEndpoint, CountsItemsCategoriesAndImportedViews) {
  std::uint64_t views = 0;
  for (const json& item : fixture_corpus().items()) views += item["metadata"]["views"].get<std::uint64_t>();
  const json data = expect_data(web.get("/stats"));
  EXPECT_EQ(data.size(), 6U) << data;
  EXPECT_EQ(data["total_items"], fixture_corpus().items().size());
  EXPECT_EQ(data["total_categories"], fixture_corpus().categories().size());
  EXPECT_EQ(data["total_views"], views);
  EXPECT_EQ(data["recent_additions"], 1);  // the item without a date; the one of the year 2999 does not count
}

TEST_P(StatsEndpoint, NamesTheFiveCategoriesWithMostViews) {
  std::map<std::string, std::uint64_t> views;
  for (const json& item : fixture_corpus().items())
    views[item["category"]] += item["metadata"]["views"].get<std::uint64_t>();
  std::vector<std::pair<std::uint64_t, std::string>> expected;
  for (const json& category : fixture_corpus().categories())
    expected.emplace_back(views[category["id"]], category["name"]);
  std::sort(expected.rbegin(), expected.rend());
  const json actual = expect_data(web.get("/stats"))["popular_categories"];
  ASSERT_EQ(actual.size(), 5U) << actual;
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(actual[i], (json{{"name", expected[i].second}, {"views", expected[i].first}}));
}

TEST_P(StatsEndpoint, ReturnsThirtyDaysEvenWithoutActivity) {
  const std::string before = day_from_today(0);
  const json days = expect_data(web.get("/stats"))["daily_activity"];
  ASSERT_TRUE(days.is_object());
  EXPECT_EQ(days.size(), 30U);
  for (const json& count : days) EXPECT_TRUE(count.is_number_unsigned()) << days;
  if (before == day_from_today(0)) {
    EXPECT_TRUE(days.contains(day_from_today(0)) && days.contains(day_from_today(-29))) << days;
  }
}

}  // namespace
}  // namespace kbase::tests
