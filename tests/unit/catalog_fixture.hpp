// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/memory/activity_store.hpp"
#include "adapters/memory/item_store.hpp"
#include "domain/usecases/browse_catalog.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/mocks/driven/search_index.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {

/// Counted views that a test sets.
class CountedViews final : public ports::ViewCounter {
 public:
  void count(std::string_view item) override { ++views[std::string(item)]; }
  std::uint64_t views_of(std::string_view item) const override {
    const auto found = views.find(item);
    return found == views.end() ? 0 : found->second;
  }
  void by_category(Visitor<ports::CategoryViews>) const override {}
  model::ViewsRevision revision() const override { return counted_revision; }

  std::map<std::string, std::uint64_t, std::less<>> views;
  model::ViewsRevision counted_revision = 0;
};

/// A catalog on in-memory stores, with an index whose content a test sets.
class CatalogFixture : public testing::Test {
 protected:
  struct Entry {
    std::string_view id;
    std::uint64_t views = 0;
    std::string_view category = "shelf";
    model::Day updated = model::Day(std::chrono::days(20'000));
  };

  void put(const std::vector<Entry>& entries) {
    auto writer = items_.begin(call_);
    ASSERT_TRUE(succeeded(writer));
    for (const Entry& entry : entries) {
      model::CategoryView category;
      category.id = category.name = entry.category;
      ASSERT_TRUE(succeeded((*writer)->put_category(call_, category)));
      model::ItemView item;
      item.id = item.title = entry.id;
      item.category = entry.category;
      item.metadata.views = entry.views;
      item.metadata.created = item.metadata.updated = entry.updated;
      const model::ItemView* const one[] = {&item};
      ASSERT_TRUE(succeeded((*writer)->put(call_, one)));
    }
    ASSERT_TRUE(succeeded((*writer)->commit(call_)));
  }

  void put_category(std::string_view id, model::TextList subcategories) {
    auto writer = items_.begin(call_);
    ASSERT_TRUE(succeeded(writer));
    model::CategoryView category;
    category.id = category.name = id;
    category.subcategories = subcategories;
    ASSERT_TRUE(succeeded((*writer)->put_category(call_, category)));
    ASSERT_TRUE(succeeded((*writer)->commit(call_)));
  }

  void remove(std::string_view id) {
    auto writer = items_.begin(call_);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE(succeeded((*writer)->remove(call_, id)));
    ASSERT_TRUE(succeeded((*writer)->commit(call_)));
  }

  /// Counts and flushes `views` views, `days_ago` days before today.
  void view(std::string_view id, std::uint64_t views, int days_ago = 0) {
    const ports::ViewIncrement increment{id, model::day_of(clock_.now()) - std::chrono::days(days_ago), views};
    ASSERT_TRUE(succeeded(activity_.add(call_, {}, ++flushes_, {&increment, 1})));
    counted_.views[std::string(id)] += views;
  }

  /// Result of a search of all items by popularity.
  ports::SearchResult most_viewed(const ports::SearchRequest& request, Visitor<ports::SearchHit> visitor) const {
    EXPECT_EQ(request.query, nullptr);
    EXPECT_EQ(request.sort, model::Sort::Popularity);
    EXPECT_EQ(request.offset, 0u);
    for (std::size_t i = 0; i < indexed_.size() && i < request.limit; ++i) {
      ports::SearchHit hit;
      hit.id = indexed_[i];
      visitor(hit);
    }
    ports::SearchResult answer;
    answer.total = indexed_.size();
    return answer;
  }

  conformance::ManualClock clock_;
  CountingRandom random_;
  memory::MemoryItemStore items_{random_, clock_};
  memory::MemoryActivityStore activity_;
  MockSearchIndex index_;
  CountedViews counted_;
  usecases::BrowseCatalog catalog_{{items_, activity_, index_, counted_, clock_}};
  ports::Call call_;
  std::vector<std::string> indexed_;  // items in the index, most viewed first

 private:
  std::uint64_t flushes_ = 0;
};

}  // namespace kbase::tests
