// SPDX-License-Identifier: Apache-2.0
#include "domain/model/item.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

namespace kbase::model {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kTags[] = {"one", "two"};
constexpr std::string_view kRelated[] = {"b", "c"};

ItemView full_item() {
  ItemView item;
  item.id = "a";
  item.title = "Title";
  item.category = "shelf";
  item.excerpt = "Lead";
  item.tags = kTags;
  item.metadata = {"Ann", std::chrono::sys_days(2026y / 1 / 2), std::chrono::sys_days(2026y / 1 / 3), 7, "{}"};
  item.content = "Lead and more";
  item.related = kRelated;
  item.revision = 5;
  return item;
}

CategoryView full_category() {
  CategoryView category;
  category.id = "shelf";
  category.name = "Shelf";
  category.description = "What stands there";
  category.icon = "📚";
  category.subcategories = kRelated;
  category.item_count = 3;
  category.revision = 4;
  return category;
}

TEST(Item, OwnsAllItsTexts) {
  std::string title = "Title", tag = "one";
  std::optional<Item> item;
  {
    const std::vector<std::string_view> tags = {tag};
    ItemView view = full_item();
    view.title = title;
    view.tags = tags;
    item.emplace(view);
  }
  title = "other", tag = "xxx";
  EXPECT_EQ(item->view().title, "Title");
  ASSERT_EQ(item->view().tags.size(), 1u);
  EXPECT_EQ(item->view().tags[0], "one");
}

TEST(Item, KeepsEveryMemberThroughCopiesAndMoves) {
  std::optional<Item> first(full_item());
  Item copy(*first);
  Item assigned(ItemView{});
  assigned = *first;
  Item moved(std::move(*first));
  first.reset();
  std::vector<Item> reallocated;
  for (int i = 0; i < 20; ++i) reallocated.push_back(assigned);
  for (const Item* item : {&copy, &assigned, &moved, &reallocated.front(), &reallocated.back()}) {
    EXPECT_TRUE(same_content(item->view(), full_item()));
    EXPECT_EQ(item->view().revision, 5u);
  }
}

TEST(Item, SupportsSelfAssignment) {
  Item item(full_item());
  const Item& same = item;
  item = same;
  EXPECT_TRUE(same_content(item.view(), full_item()));
}

TEST(Item, MayBeEmpty) {
  const Item item(ItemView{});
  EXPECT_TRUE(same_content(Item(item).view(), ItemView{}));
}

TEST(SameItemContent, ComparesEveryMemberExceptTheRevision) {
  const std::vector<std::function<void(ItemView&)>> changes = {
      [](ItemView& item) { item.id = "x"; },
      [](ItemView& item) { item.title = "x"; },
      [](ItemView& item) { item.category = "x"; },
      [](ItemView& item) { item.excerpt = "x"; },
      [](ItemView& item) { item.content = "x"; },
      [](ItemView& item) { item.tags = item.tags.first(1); },
      [](ItemView& item) { item.tags = kRelated; },
      [](ItemView& item) { item.related = {}; },
      [](ItemView& item) { item.metadata.author = "x"; },
      [](ItemView& item) { item.metadata.created += std::chrono::days(1); },
      [](ItemView& item) { item.metadata.updated += std::chrono::days(1); },
      [](ItemView& item) { ++item.metadata.views; },
      [](ItemView& item) { item.metadata.extra = "x"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ItemView changed = full_item();
    changes[i](changed);
    EXPECT_FALSE(same_content(full_item(), changed)) << "change " << i;
  }
  ItemView newer = full_item();
  newer.revision = 99;
  EXPECT_TRUE(same_content(full_item(), newer));
}

TEST(SameCategoryContent, ComparesEveryMemberExceptCountAndRevision) {
  const std::vector<std::function<void(CategoryView&)>> changes = {
      [](CategoryView& category) { category.id = "x"; },
      [](CategoryView& category) { category.name = "x"; },
      [](CategoryView& category) { category.description = "x"; },
      [](CategoryView& category) { category.icon = "x"; },
      [](CategoryView& category) { category.subcategories = category.subcategories.first(1); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CategoryView changed = full_category();
    changes[i](changed);
    EXPECT_FALSE(same_content(full_category(), changed)) << "change " << i;
  }
  CategoryView newer = full_category();
  newer.item_count = newer.revision = 99;
  EXPECT_TRUE(same_content(full_category(), newer));
}

TEST(Category, KeepsEveryMemberThroughCopiesAndMoves) {
  std::optional<Category> first(full_category());
  Category copy(*first);
  Category assigned(CategoryView{});
  assigned = *first;
  const Category moved(std::move(*first));
  first.reset();
  for (const Category* category : std::initializer_list<const Category*>{&copy, &assigned, &moved}) {
    EXPECT_TRUE(same_content(category->view(), full_category()));
    EXPECT_EQ(category->view().item_count, 3u);
    EXPECT_EQ(category->view().revision, 4u);
  }
}

}  // namespace
}  // namespace kbase::model
