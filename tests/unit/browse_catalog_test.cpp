// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/browse_catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/support/mocks/driven/activity_store.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/unit/catalog_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using ports::Slice;
using trompeloeil::_;

constexpr std::uint64_t kLargestOffset = 9'007'199'254'740'991;  // 2^53 - 1

class BrowseCatalog : public CatalogFixture {
 protected:
  static model::Day day(int number) { return model::Day(std::chrono::days(number)); }

  auto gather(std::string& text) const {
    return [&text](const auto& row) {
      text += std::string(text.empty() ? "" : " ") + std::string(row.id);
      return Visit::Continue;
    };
  }

  std::string category_items(std::string_view id, Slice slice) {
    std::string ids;
    const auto listed = catalog_.category_items(call_, id, ports::Subcategories::Excluded, slice, gather(ids));
    return listed ? ids : std::string(name_of(listed.error().code)) + ' ' + listed.error().parameter;
  }

  std::string recent(std::uint64_t limit) {
    std::string ids;
    const auto listed = catalog_.recent(call_, limit, gather(ids));
    return listed ? ids : std::string(name_of(listed.error().code)) + ' ' + listed.error().parameter;
  }
};

TEST_F(BrowseCatalog, ShowsAnItemWithImportedAndCountedViews) {
  put({{"a", 40}});
  counted_.views["a"] = 2;
  std::uint64_t shown = 0;
  EXPECT_TRUE(succeeded(catalog_.item(call_, "a", [&](const model::ItemView& item) {
    shown = item.metadata.views;
    return Visit::Continue;
  })));
  EXPECT_EQ(shown, 42u);
}

TEST_F(BrowseCatalog, DoesNotCountViews) {
  put({{"a"}});
  std::string ids;
  ASSERT_TRUE(succeeded(catalog_.item(call_, "a", gather(ids))));
  EXPECT_EQ(counted_.views_of("a"), 0u);
  catalog_.count_view("a");
  EXPECT_EQ(counted_.views_of("a"), 1u);
}

TEST_F(BrowseCatalog, ReturnsNotFoundForAnUnknownItemOrCategory) {
  std::string ids;
  EXPECT_TRUE(failed(catalog_.item(call_, "a", gather(ids)), ErrorCode::NotFound));
  EXPECT_TRUE(failed(catalog_.category(call_, "shelf", gather(ids)), ErrorCode::NotFound));
  EXPECT_EQ(ids, "");
}

TEST_F(BrowseCatalog, ShowsACategoryWithItsCount) {
  put({{"a"}, {"b"}, {"c", 0, "box"}});
  std::uint64_t count = 0;
  EXPECT_TRUE(succeeded(catalog_.category(call_, "shelf", [&](const model::CategoryView& category) {
    count = category.item_count;
    return Visit::Continue;
  })));
  EXPECT_EQ(count, 2u);
}

TEST_F(BrowseCatalog, ListsCategoriesByName) {
  put({{"1", 0, "b"}, {"2", 0, "a"}, {"3", 0, "c"}});
  std::string ids;
  EXPECT_TRUE(succeeded(catalog_.categories(call_, {0, 100}, gather(ids))));
  EXPECT_EQ(ids, "a b c");
  ids.clear();
  EXPECT_TRUE(succeeded(catalog_.categories(call_, {1, 1}, gather(ids))));
  EXPECT_EQ(ids, "b");
  ids.clear();
  EXPECT_TRUE(succeeded(catalog_.categories(call_, {kLargestOffset, 1}, gather(ids))));
  EXPECT_EQ(ids, "");
}

TEST_F(BrowseCatalog, RejectsALimitOfZeroAndAnOffsetAboveTheExactIntegers) {
  put({{"a"}});
  std::string ids;
  EXPECT_TRUE(failed(catalog_.categories(call_, {0, 0}, gather(ids)), ErrorCode::InvalidArgument, "limit"));
  EXPECT_TRUE(
      failed(catalog_.categories(call_, {kLargestOffset + 1, 1}, gather(ids)), ErrorCode::InvalidArgument, "offset"));
  EXPECT_EQ(category_items("shelf", {0, 0}), "InvalidArgument limit");
  EXPECT_EQ(category_items("shelf", {kLargestOffset + 1, 1}), "InvalidArgument offset");
}

TEST_F(BrowseCatalog, CapsTheListLimitAtOneThousand) {
  MockItemStore items;
  usecases::BrowseCatalog catalog({items, activity_, index_, counted_, clock_});
  std::string ids;
  for (const std::uint64_t limit :
       {std::uint64_t{1}, std::uint64_t{999}, std::uint64_t{1000}, std::uint64_t{1001}, UINT64_MAX}) {
    const std::uint64_t served = std::min<std::uint64_t>(limit, 1000);
    REQUIRE_CALL(items, categories(_, _, _)).WITH(_2.limit == served && _2.offset == 5).RETURN(Status());
    REQUIRE_CALL(items, recent(_, _, _, _))
        .WITH(_2 == "shelf" && _3.limit == served && _3.offset == 5)
        .SIDE_EFFECT(_4(model::ItemSummaryView{}))
        .RETURN(Status());
    EXPECT_TRUE(succeeded(catalog.categories(call_, {5, limit}, gather(ids))));
    EXPECT_TRUE(
        succeeded(catalog.category_items(call_, "shelf", ports::Subcategories::Excluded, {5, limit}, gather(ids))));
  }
}

TEST_F(BrowseCatalog, ListsACategorysOwnItemsNewestFirst) {
  put({{"b", 0, "shelf", day(5)}, {"a", 0, "shelf", day(5)}, {"c", 0, "shelf", day(9)}, {"d", 0, "box", day(7)}});
  EXPECT_EQ(category_items("shelf", {0, 50}), "c a b");
  EXPECT_EQ(category_items("shelf", {1, 1}), "a");
  EXPECT_EQ(category_items("shelf", {3, 50}), "");
  EXPECT_EQ(category_items("shelf", {kLargestOffset, 50}), "");
}

TEST_F(BrowseCatalog, ListsTheItemsOfTheCategoriesBelowToo) {
  put({{"b", 0, "shelf", day(5)},
       {"a", 0, "box", day(5)},
       {"c", 0, "shelf", day(9)},
       {"d", 0, "box", day(7)},
       {"e", 0, "attic", day(8)}});
  constexpr std::array<std::string_view, 1> kBelow = {"box"};
  put_category("shelf", kBelow);
  const auto list = [this](Slice slice) {
    std::string ids;
    EXPECT_TRUE(succeeded(catalog_.category_items(call_, "shelf", ports::Subcategories::Included, slice, gather(ids))));
    return ids;
  };
  EXPECT_EQ(list({0, 50}), "c d a b");
  EXPECT_EQ(list({1, 2}), "d a");
  EXPECT_EQ(list({4, 50}), "");
}

TEST_F(BrowseCatalog, ReturnsNotFoundForTheItemsOfAnUnknownCategory) {
  put({{"a"}});
  EXPECT_EQ(category_items("attic", {0, 50}), "NotFound ");
}

TEST_F(BrowseCatalog, ListsNoItemsOfAnEmptyCategory) {
  put({{"a"}});
  remove("a");
  EXPECT_EQ(category_items("shelf", {0, 50}), "");
}

TEST_F(BrowseCatalog, AddsCountedViewsToEveryListedRow) {
  put({{"a", 10, "shelf", day(2)}, {"b", 20, "shelf", day(1)}});
  counted_.views = {{"a", 1}, {"b", 2}};
  std::vector<std::uint64_t> views;
  const auto gather_views = [&](const model::ItemSummaryView& item) {
    views.push_back(item.metadata.views);
    return Visit::Continue;
  };
  ASSERT_TRUE(succeeded(catalog_.recent(call_, 10, gather_views)));
  ASSERT_TRUE(
      succeeded(catalog_.category_items(call_, "shelf", ports::Subcategories::Excluded, {0, 10}, gather_views)));
  EXPECT_EQ(views, (std::vector<std::uint64_t>{11, 22, 11, 22}));
}

TEST_F(BrowseCatalog, ListsRecentItemsOfAllCategories) {
  put({{"b", 0, "shelf", day(5)}, {"a", 0, "box", day(5)}, {"c", 0, "box", day(9)}});
  EXPECT_EQ(recent(10), "c a b");
  EXPECT_EQ(recent(2), "c a");
}

TEST_F(BrowseCatalog, AcceptsAShortListLimitFrom1To50) {
  put({{"a"}});
  ALLOW_CALL(index_, search(_, _, _)).RETURN(most_viewed(_2, _3));
  const auto popular = [&](std::uint64_t limit) {
    return catalog_.popular(call_, ports::Period::Week, limit,
                            [](const ports::PopularItem&) { return Visit::Continue; });
  };
  EXPECT_EQ(recent(1), "a");
  EXPECT_EQ(recent(50), "a");
  EXPECT_TRUE(succeeded(popular(1)));
  EXPECT_TRUE(succeeded(popular(50)));
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{51}, UINT64_MAX}) {
    EXPECT_EQ(recent(limit), "InvalidArgument limit");
    EXPECT_TRUE(failed(popular(limit), ErrorCode::InvalidArgument, "limit"));
  }
}

TEST_F(BrowseCatalog, StopsWhenTheVisitorStops) {
  put({{"a"}, {"b"}});
  int rows = 0;
  ASSERT_TRUE(succeeded(catalog_.recent(call_, 10, [&](const model::ItemSummaryView&) {
    ++rows;
    return Visit::Stop;
  })));
  EXPECT_EQ(rows, 1);
}

TEST_F(BrowseCatalog, AppliesTheBoundsOfTheSpecification) {
  EXPECT_EQ(ports::kDefaultCategoriesLimit, 100u);
  EXPECT_EQ(ports::kDefaultCategoryItemsLimit, 50u);
  EXPECT_EQ(ports::kDefaultShortListLimit, 10u);
  EXPECT_EQ(ports::kMaxShortListLimit, 50u);
}

TEST_F(BrowseCatalog, ValidatesContentOnlyByStoreIdAndRevision) {
  put({{"a"}});
  counted_.counted_revision = 7;
  const auto validator = catalog_.content_validator(call_);
  ASSERT_TRUE(succeeded(validator));
  EXPECT_EQ(validator->store_id, items_.store_id());
  EXPECT_EQ(validator->store_id, catalog_.store_id());
  EXPECT_EQ(validator->content_revision, *items_.revision(call_));
  EXPECT_EQ(validator->views_revision, 0u);
  EXPECT_EQ(validator->day, model::Day{});
}

TEST_F(BrowseCatalog, ValidatesListsOfCountedViewsAlsoByViewsAndDay) {
  put({{"a"}});
  ports::IndexState state;
  ALLOW_CALL(index_, state(_)).RETURN(state);
  const auto before = catalog_.views_validator(call_);
  ASSERT_TRUE(succeeded(before));
  EXPECT_EQ(before->content_revision, *items_.revision(call_));
  EXPECT_EQ(before->day, std::chrono::sys_days(2026y / 3 / 14));
  ++counted_.counted_revision;
  const auto after_a_view = catalog_.views_validator(call_);
  ASSERT_TRUE(succeeded(after_a_view));
  EXPECT_GT(after_a_view->views_revision, before->views_revision);
  clock_.advance(12h);
  const auto next_day = catalog_.views_validator(call_);
  ASSERT_TRUE(succeeded(next_day));
  EXPECT_EQ(next_day->day, std::chrono::sys_days(2026y / 3 / 15));
}

TEST_F(BrowseCatalog, ChangesTheValidatorOfViewListsWhenTheIndexCatchesUp) {
  put({{"a"}});
  ports::IndexState state;
  ALLOW_CALL(index_, state(_)).LR_RETURN(state);
  const auto outdated = catalog_.views_validator(call_);
  state.revision = *items_.revision(call_);
  const auto caught_up = catalog_.views_validator(call_);
  ASSERT_TRUE(succeeded(outdated));
  ASSERT_TRUE(succeeded(caught_up));
  EXPECT_NE(outdated->index_revision, caught_up->index_revision);
}

TEST_F(BrowseCatalog, ValidatesDifferentStatesOfTheIndexAndTheViewsDifferently) {
  put({{"a"}});
  ports::IndexState state;
  ALLOW_CALL(index_, state(_)).LR_RETURN(state);
  state.revision = 1;
  counted_.counted_revision = 3;
  const auto more_views = catalog_.views_validator(call_);
  state.revision = 3;
  counted_.counted_revision = 1;
  const auto newer_index = catalog_.views_validator(call_);
  ASSERT_TRUE(succeeded(more_views));
  ASSERT_TRUE(succeeded(newer_index));
  EXPECT_FALSE(*more_views == *newer_index);
}

TEST_F(BrowseCatalog, ValidatesListsOfCountedViewsWhileTheIndexIsUnavailable) {
  ALLOW_CALL(index_, state(_)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_TRUE(succeeded(catalog_.views_validator(call_)));
}

TEST_F(BrowseCatalog, ReturnsTheErrorOfTheStore) {
  MockItemStore items;
  ALLOW_CALL(items, store_id()).RETURN(model::StoreId{});
  ALLOW_CALL(items, revision(_)).RETURN(error_of(ErrorCode::Unavailable));
  ALLOW_CALL(items, recent(_, _, _, _)).RETURN(error_of(ErrorCode::Corrupt));
  ALLOW_CALL(index_, state(_)).RETURN(ports::IndexState{});
  usecases::BrowseCatalog catalog({items, activity_, index_, counted_, clock_});
  std::string ids;
  EXPECT_TRUE(failed(catalog.content_validator(call_), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(catalog.views_validator(call_), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(catalog.recent(call_, 1, gather(ids)), ErrorCode::Corrupt));
  EXPECT_TRUE(failed(catalog.category_items(call_, "shelf", ports::Subcategories::Excluded, {0, 1}, gather(ids)),
                     ErrorCode::Corrupt));
}

}  // namespace
}  // namespace kbase::tests
