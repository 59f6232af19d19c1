// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/browse_catalog.hpp"

#include <gtest/gtest.h>

#include "tests/support/mocks/driven/activity_store.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/unit/catalog_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using ports::Period;
using trompeloeil::_;

class PopularItems : public CatalogFixture {
 protected:
  /// The list as "id:period_views/views" for each item, or the error code.
  std::string popular(Period period, std::uint64_t limit) {
    std::string text;
    const auto listed = catalog_.popular(call_, period, limit, [&](const ports::PopularItem& row) {
      text += std::string(text.empty() ? "" : " ") + std::string(row.item->id) + ':' +
              std::to_string(row.period_views) + '/' + std::to_string(row.item->metadata.views);
      return Visit::Continue;
    });
    return listed ? text : std::string(name_of(listed.error().code));
  }
};

TEST_F(PopularItems, AreOrderedByTheirViewsInThePeriod) {
  put({{"a", 100}, {"b", 50}, {"c"}});
  view("b", 2), view("c", 3), view("a", 1);
  EXPECT_EQ(popular(Period::Week, 3), "c:3/3 b:2/52 a:1/101");
}

TEST_F(PopularItems, AreTheViewedItemsOfTheLast1_7Or30DaysIncludingToday) {
  put({{"d0"}, {"d1"}, {"d6"}, {"d7"}, {"d29"}, {"d30"}});
  view("d0", 6), view("d1", 5, 1), view("d6", 4, 6), view("d7", 3, 7), view("d29", 2, 29), view("d30", 9, 30);
  EXPECT_EQ(popular(Period::Day, 1), "d0:6/6");
  EXPECT_EQ(popular(Period::Week, 3), "d0:6/6 d1:5/5 d6:4/4");
  EXPECT_EQ(popular(Period::Month, 5), "d0:6/6 d1:5/5 d6:4/4 d7:3/3 d29:2/2");
  indexed_ = {"d30", "d0", "d1", "d6", "d7", "d29"};
  ALLOW_CALL(index_, search(_, _, _)).RETURN(most_viewed(_2, _3));
  EXPECT_EQ(popular(Period::Day, 2), "d0:6/6 d30:0/9");
  EXPECT_EQ(popular(Period::Week, 4), "d0:6/6 d1:5/5 d6:4/4 d30:0/9");
  EXPECT_EQ(popular(Period::Month, 6), "d0:6/6 d1:5/5 d6:4/4 d7:3/3 d29:2/2 d30:0/9");
}

TEST_F(PopularItems, ResetAtUtcMidnightForTheDay) {
  put({{"a"}});
  view("a", 3);
  clock_.advance(12h - 1ms);
  EXPECT_EQ(popular(Period::Day, 1), "a:3/3");
  clock_.advance(1ms);
  indexed_ = {"a"};
  ALLOW_CALL(index_, search(_, _, _)).RETURN(most_viewed(_2, _3));
  EXPECT_EQ(popular(Period::Day, 1), "a:0/3");
}

TEST_F(PopularItems, SumTheViewsOfTheirDays) {
  put({{"a"}, {"b"}});
  view("a", 2), view("a", 2, 1), view("b", 3);
  EXPECT_EQ(popular(Period::Week, 2), "a:4/4 b:3/3");
}

TEST_F(PopularItems, AreOrderedByAllViewsThenIdIfTheirViewsInThePeriodAreEqual) {
  put({{"a"}, {"b", 5}, {"c", 5}, {"d", 9}});
  for (const char* id : {"a", "b", "c", "d"}) view(id, 2);
  EXPECT_EQ(popular(Period::Week, 4), "d:2/11 b:2/7 c:2/7 a:2/2");
}

TEST_F(PopularItems, AreChosenAmongAllTiesAtTheLimit) {
  // The store returns ties by id; the item with the most total views comes last.
  put({{"a"}, {"b"}, {"c"}, {"d"}, {"z", 100}});
  view("a", 5);
  for (const char* id : {"b", "c", "d", "z"}) view(id, 1);
  EXPECT_EQ(popular(Period::Week, 2), "a:5/5 z:1/101");
  EXPECT_EQ(popular(Period::Week, 1), "a:5/5");
}

TEST_F(PopularItems, IncludeOnlyExistingItems) {
  put({{"a"}, {"b"}, {"c"}});
  view("gone", 9), view("a", 8), view("b", 7), view("c", 6);
  remove("a");
  EXPECT_EQ(popular(Period::Week, 2), "b:7/7 c:6/6");
}

TEST_F(PopularItems, AreFoundAfterAnyNumberOfDeletedItems) {
  for (int i = 0; i < 100; ++i) view("gone" + std::to_string(i), 1000 - static_cast<std::uint64_t>(i));
  put({{"a"}, {"b"}});
  view("a", 2), view("b", 1);
  EXPECT_EQ(popular(Period::Week, 2), "a:2/2 b:1/1");
  EXPECT_EQ(popular(Period::Week, 1), "a:2/2");
}

TEST_F(PopularItems, IncludeItemsOfAFreshStore) {
  put({{"a", 1}, {"b", 3}, {"c", 2}});
  indexed_ = {"b", "c", "a"};
  ALLOW_CALL(index_, search(_, _, _)).RETURN(most_viewed(_2, _3));
  EXPECT_EQ(popular(Period::Day, 10), "b:0/3 c:0/2 a:0/1");
  EXPECT_EQ(popular(Period::Week, 2), "b:0/3 c:0/2");
}

TEST_F(PopularItems, AreFilledUpWithTheMostViewedEver) {
  put({{"a", 1}, {"b", 3}, {"c", 2}, {"d", 9}});
  view("d", 1), view("a", 1);
  indexed_ = {"d", "b", "a", "c"};
  ALLOW_CALL(index_, search(_, _, _)).RETURN(most_viewed(_2, _3));
  EXPECT_EQ(popular(Period::Week, 3), "d:1/10 a:1/2 b:0/3");
  EXPECT_EQ(popular(Period::Week, 4), "d:1/10 a:1/2 b:0/3 c:0/2");
}

TEST_F(PopularItems, NeedNoIndexIfEnoughItemsWereViewed) {
  put({{"a"}, {"b"}});
  view("a", 2), view("b", 1);
  FORBID_CALL(index_, search(_, _, _));
  EXPECT_EQ(popular(Period::Month, 2), "a:2/2 b:1/1");
}

TEST_F(PopularItems, OmitUnviewedItemsWhileTheIndexIsUnavailable) {
  put({{"a"}, {"b"}});
  view("a", 2);
  ALLOW_CALL(index_, search(_, _, _)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_EQ(popular(Period::Week, 10), "a:2/2");
}

TEST_F(PopularItems, FailIfTheIndexFailsOtherwise) {
  put({{"a"}});
  ALLOW_CALL(index_, search(_, _, _)).RETURN(error_of(ErrorCode::Corrupt));
  EXPECT_EQ(popular(Period::Week, 10), "Corrupt");
}

TEST_F(PopularItems, AreOrderedByImportedAndCountedViewsOverAllTime) {
  put({{"a", 4}, {"b", 4}, {"c", 1}});
  view("c", 6, 400);
  indexed_ = {"c", "a", "b"};
  ALLOW_CALL(index_, search(_, _, _)).RETURN(most_viewed(_2, _3));
  EXPECT_EQ(popular(Period::All, 3), "c:7/7 a:4/4 b:4/4");
  EXPECT_EQ(popular(Period::All, 1), "c:7/7");
}

TEST_F(PopularItems, FailOverAllTimeWhileTheIndexIsUnavailable) {
  ALLOW_CALL(index_, search(_, _, _)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_EQ(popular(Period::All, 3), "Unavailable");
}

TEST_F(PopularItems, SkipDeletedItemsThatTheIndexStillContains) {
  put({{"a", 1}});
  indexed_ = {"gone", "a"};
  ALLOW_CALL(index_, search(_, _, _)).RETURN(most_viewed(_2, _3));
  EXPECT_EQ(popular(Period::All, 2), "a:1/1");
  EXPECT_EQ(popular(Period::Week, 2), "a:0/1");
}

TEST_F(PopularItems, AreEmptyInAnEmptyStore) {
  ALLOW_CALL(index_, search(_, _, _)).RETURN(most_viewed(_2, _3));
  for (const Period period : {Period::Day, Period::Week, Period::Month, Period::All})
    EXPECT_EQ(popular(period, 10), "");
}

TEST_F(PopularItems, StopWhenTheVisitorStops) {
  put({{"a"}, {"b"}});
  view("a", 2), view("b", 1);
  int rows = 0;
  ASSERT_TRUE(succeeded(catalog_.popular(call_, Period::Week, 2, [&](const ports::PopularItem&) {
    ++rows;
    return Visit::Stop;
  })));
  EXPECT_EQ(rows, 1);
}

TEST_F(PopularItems, ReturnTheErrorsOfTheStores) {
  MockActivityStore activity;
  REQUIRE_CALL(activity, top(_, _, _, _)).RETURN(error_of(ErrorCode::Unavailable));
  usecases::BrowseCatalog catalog({items_, activity, index_, counted_, clock_});
  const auto ignore = [](const ports::PopularItem&) { return Visit::Continue; };
  EXPECT_TRUE(failed(catalog.popular(call_, Period::Week, 2, ignore), ErrorCode::Unavailable));

  view("a", 2);
  MockItemStore items;
  REQUIRE_CALL(items, summaries(_, _, _)).RETURN(error_of(ErrorCode::Deadline));
  usecases::BrowseCatalog other({items, activity_, index_, counted_, clock_});
  EXPECT_TRUE(failed(other.popular(call_, Period::Week, 2, ignore), ErrorCode::Deadline));
}

}  // namespace
}  // namespace kbase::tests
