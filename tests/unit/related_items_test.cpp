// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/catalog_fixture.hpp"
#include "tests/unit/indexed_items.hpp"

namespace kbase::tests {
namespace {

/// A catalog on an index that can search.
class RelatedItems : public CatalogFixture {
 protected:
  void write(const std::vector<Written>& all) {
    auto writer = items_.begin(call_);
    ASSERT_TRUE(succeeded(writer));
    model::CategoryView category;
    category.id = category.name = "shelf";
    ASSERT_TRUE(succeeded((*writer)->put_category(call_, category)));
    for (const Written& each : all) {
      const model::ItemView item = each.view();
      const model::ItemView* const one[] = {&item};
      ASSERT_TRUE(succeeded((*writer)->put(call_, one)));
    }
    ASSERT_TRUE(succeeded((*writer)->commit(call_)));
    index(searching_, all);
  }

  /// Ids of the related items. The ids that the item itself names are in brackets.
  std::string related(std::string_view id, std::uint64_t limit = 10) {
    std::string ids;
    const auto listed = searching_catalog_.related(call_, id, limit, [&](const ports::RelatedItem& each) {
      const std::string name(each.item->id);
      ids.append(ids.empty() ? "" : " ").append(each.is_stored ? "[" + name + "]" : name);
      return Visit::Continue;
    });
    return listed ? ids : std::string(name_of(listed.error().code)) + ' ' + listed.error().parameter;
  }

  memory_index::MemorySearchIndex searching_;
  usecases::BrowseCatalog searching_catalog_{{items_, activity_, searching_, counted_, clock_}};
};

TEST_F(RelatedItems, AreTheNamedItemsThenTheMostSimilarOnes) {
  write({{"a", "Rate limits", "", {"quota"}, {"z", "gone", "y"}},
         {"b", "Rate limits of others"},
         {"c", "Cooking", "quota"},
         {"y", "Why", ""},
         {"z", "Rate", ""}});
  EXPECT_EQ(related("a"), "[z] [y] b c");
}

TEST_F(RelatedItems, AreLimitedByTheRequestedNumber) {
  write({{"a", "Rate limits", "", {}, {"z", "y"}}, {"b", "Rate limits"}, {"y", "Why"}, {"z", "Zed"}});
  EXPECT_EQ(related("a", 1), "[z]");
  EXPECT_EQ(related("a", 2), "[z] [y]");
  EXPECT_EQ(related("a", 3), "[z] [y] b");
}

TEST_F(RelatedItems, AreDistinctAndExcludeTheItemItself) {
  write({{"a", "Rate limits", "", {}, {"a", "b", "b"}}, {"b", "Rate limits"}, {"c", "Rate"}});
  EXPECT_EQ(related("a"), "[b] c");
}

TEST_F(RelatedItems, AreEmptyForAnItemWithoutText) {
  write({{"a", "", "only content"}, {"b", "only content"}});
  EXPECT_EQ(related("a"), "");
}

TEST_F(RelatedItems, IncludeCountedViews) {
  write({{"a", "", "", {}, {"b"}}, {"b", "Rate"}});
  counted_.views["b"] = 7;
  std::uint64_t views = 0;
  ASSERT_TRUE(succeeded(searching_catalog_.related(call_, "a", 10, [&](const ports::RelatedItem& each) {
    views = each.item->metadata.views;
    return Visit::Continue;
  })));
  EXPECT_EQ(views, 7u);
}

TEST_F(RelatedItems, RejectAnUnknownItemAndAnInvalidLimit) {
  write({{"a", "Rate"}});
  EXPECT_EQ(related("x"), "NotFound ");
  EXPECT_EQ(related("a", 0), "InvalidArgument limit");
  EXPECT_EQ(related("a", 51), "InvalidArgument limit");
}

TEST_F(RelatedItems, AreValidatedByTheContentAndTheStateOfTheIndex) {
  write({{"a", "Rate"}});
  const auto before = searching_catalog_.related_validator(call_);
  index(searching_, {{"a", "Rate"}});
  ASSERT_TRUE(succeeded(before));
  EXPECT_EQ(before->index_revision, 1u);
  EXPECT_EQ(before->index_store_id, searching_.state(call_)->store_id);
  EXPECT_EQ(before->content_revision, *items_.revision(call_));
}

}  // namespace
}  // namespace kbase::tests
