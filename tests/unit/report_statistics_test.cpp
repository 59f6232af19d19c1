// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/reports.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/activity_store.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/mocks/driven/view_counter.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using ports::CategoryViews;
using ports::DayViews;
using std::chrono::days;
using trompeloeil::_;

const model::Day kToday = std::chrono::sys_days(2026y / 3 / 14);  // initial date of ManualClock

class ReportStatistics : public testing::Test {
 protected:
  /// The report for the imported and counted views of categories and for the days that a test sets.
  ports::StatisticsReport report() {
    REQUIRE_CALL(items_, totals(_, kToday)).LR_RETURN(totals_);
    REQUIRE_CALL(items_, category_views(_, _)).LR_SIDE_EFFECT(hand(imported_, _2)).RETURN(ok());
    REQUIRE_CALL(views_, by_category(_)).LR_SIDE_EFFECT(hand(counted_, _1));
    REQUIRE_CALL(activity_, daily(_, kToday - days(29), kToday, _)).LR_SIDE_EFFECT(hand(days_, _4)).RETURN(ok());
    const auto report = statistics_.report(call_);
    EXPECT_TRUE(succeeded(report));
    return report ? *report : ports::StatisticsReport{};
  }

  static Status ok() { return {}; }

  static std::string describe(const std::vector<ports::StatisticsReport::PopularCategory>& categories) {
    std::string text;
    for (const auto& category : categories)
      text += (text.empty() ? "" : " ") + category.name + ':' + std::to_string(category.views);
    return text;
  }

  MockItemStore items_;
  MockActivityStore activity_;
  MockViewCounter views_;
  conformance::ManualClock clock_;
  usecases::ReportStatistics statistics_{{items_, activity_, views_, clock_}};
  ports::Call call_;
  ports::StoreTotals totals_;
  std::vector<CategoryViews> imported_, counted_;
  std::vector<DayViews> days_;
};

TEST_F(ReportStatistics, ReportsTheTotalsOfTheStore) {
  totals_ = {12, 3, 100, 4};
  const auto totals = report().totals;
  EXPECT_EQ(totals.items, 12u);
  EXPECT_EQ(totals.categories, 3u);
  EXPECT_EQ(totals.views, 100u);
  EXPECT_EQ(totals.recent_additions, 4u);
}

TEST_F(ReportStatistics, AddsCountedViewsToTheImportedOnes) {
  totals_.views = 100;
  imported_ = {{"a", "A", 60}, {"b", "B", 40}};
  counted_ = {{"b", "B", 7}, {"a", "A", 5}};
  const auto result = report();
  EXPECT_EQ(result.totals.views, 112u);
  EXPECT_EQ(describe(result.popular_categories), "A:65 B:47");
}

TEST_F(ReportStatistics, NamesTheFiveCategoriesWithMostViews) {
  imported_ = {{"a", "A", 1}, {"b", "B", 6}, {"c", "C", 3}, {"d", "D", 4}, {"e", "E", 5}, {"f", "F", 2}};
  EXPECT_EQ(describe(report().popular_categories), "B:6 E:5 D:4 C:3 F:2");
}

TEST_F(ReportStatistics, OrdersCategoriesByCountedViews) {
  imported_ = {{"a", "A", 10}, {"b", "B", 9}};
  counted_ = {{"b", "B", 2}};
  EXPECT_EQ(describe(report().popular_categories), "B:11 A:10");
}

TEST_F(ReportStatistics, OrdersCategoriesWithEqualViewsByNameThenId) {
  imported_ = {{"3", "Same", 5}, {"2", "Same", 5}, {"1", "Zoo", 5}, {"4", "Ape", 5}};
  counted_ = {{"3", "Same", 0}};
  EXPECT_EQ(describe(report().popular_categories), "Ape:5 Same:5 Same:5 Zoo:5");
}

TEST_F(ReportStatistics, NamesFewerCategoriesIfThereAreFewer) {
  EXPECT_EQ(describe(report().popular_categories), "");
  imported_ = {{"a", "A", 0}};
  EXPECT_EQ(describe(report().popular_categories), "A:0");
}

TEST_F(ReportStatistics, ListsEachOfThe30Days) {
  const auto activity = report().daily_activity;
  ASSERT_EQ(activity.size(), 30u);
  EXPECT_EQ(activity.front().day, std::chrono::sys_days(2026y / 2 / 13));
  EXPECT_EQ(activity.back().day, kToday);
  for (std::size_t i = 0; i < activity.size(); ++i) {
    EXPECT_EQ(activity[i].day, activity.front().day + std::chrono::days(i));
    EXPECT_EQ(activity[i].views, 0u);
  }
}

TEST_F(ReportStatistics, AssignsViewsToTheirDay) {
  days_ = {{kToday - days(29), 3}, {kToday - days(1), 5}, {kToday, 7}};
  const auto activity = report().daily_activity;
  ASSERT_EQ(activity.size(), 30u);
  EXPECT_EQ(activity[0].views, 3u);
  EXPECT_EQ(activity[1].views, 0u);
  EXPECT_EQ(activity[28].views, 5u);
  EXPECT_EQ(activity[29].views, 7u);
}

TEST_F(ReportStatistics, ValidatesByContentViewsAndDay) {
  model::StoreId store_id;
  store_id.fill(3);
  ALLOW_CALL(items_, store_id()).RETURN(store_id);
  ALLOW_CALL(items_, revision(_)).RETURN(model::Revision{41});
  ALLOW_CALL(views_, revision()).RETURN(9u);
  const auto validator = statistics_.validator(call_);
  ASSERT_TRUE(succeeded(validator));
  EXPECT_EQ(validator->store_id, store_id);
  EXPECT_EQ(validator->content_revision, 41u);
  EXPECT_EQ(validator->views_revision, 9u);
  EXPECT_EQ(validator->day, kToday);
}

TEST_F(ReportStatistics, ReturnsTheErrorsOfTheStores) {
  ALLOW_CALL(views_, revision()).RETURN(0u);
  ALLOW_CALL(views_, by_category(_));
  ALLOW_CALL(items_, revision(_)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_TRUE(failed(statistics_.validator(call_), ErrorCode::Unavailable));
  {
    REQUIRE_CALL(items_, totals(_, _)).RETURN(error_of(ErrorCode::Unavailable));
    EXPECT_TRUE(failed(statistics_.report(call_), ErrorCode::Unavailable));
  }
  ALLOW_CALL(items_, totals(_, _)).RETURN(ports::StoreTotals{});
  {
    REQUIRE_CALL(items_, category_views(_, _)).RETURN(error_of(ErrorCode::Corrupt));
    EXPECT_TRUE(failed(statistics_.report(call_), ErrorCode::Corrupt));
  }
  ALLOW_CALL(items_, category_views(_, _)).RETURN(ok());
  REQUIRE_CALL(activity_, daily(_, _, _, _)).RETURN(error_of(ErrorCode::Deadline));
  EXPECT_TRUE(failed(statistics_.report(call_), ErrorCode::Deadline));
}

}  // namespace
}  // namespace kbase::tests
