// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/item_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/fixtures.hpp"

namespace kbase::tests {
namespace {

using conformance::category_of;
using conformance::commit;
using conformance::feed_after;
using conformance::item_of;
using conformance::ManualClock;
using conformance::recent_ids;
using memory::MemoryItemStore;

class CountingRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override { std::fill(bytes.begin(), bytes.end(), ++last_); }

 private:
  std::uint8_t last_ = 0;
};

class MemoryItemStoreTest : public testing::Test {
 protected:
  ManualClock clock_;
  CountingRandom random_;
  MemoryItemStore store_{random_, clock_};
};

TEST_F(MemoryItemStoreTest, GeneratesItsStoreIdEachTime) {
  MemoryItemStore another(random_, clock_);
  EXPECT_NE(store_.store_id(), another.store_id());
}

TEST_F(MemoryItemStoreTest, DeclaresItsCapabilities) {
  EXPECT_FALSE(store_.capabilities().persistent);
  EXPECT_TRUE(store_.capabilities().inline_reads);
}

TEST_F(MemoryItemStoreTest, RejectsAnItemWhoseCategoryDoesNotExist) {
  const auto refused = commit(store_, {{}, {item_of("a", "nowhere")}, {}, {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message.find("nowhere"), std::string::npos);
}

TEST_F(MemoryItemStoreTest, KeepsTheStateForARunningReader) {
  ASSERT_TRUE(commit(store_, {{category_of("shelf")}, {item_of("a"), item_of("b")}, {}, {}}));
  std::string seen;
  ports::Call call;
  ASSERT_TRUE(store_.recent(call, std::nullopt, {0, 10}, [&](const model::ItemSummaryView& item) {
    if (seen.empty()) {  // as if from another thread; twice, so that only this reader keeps the old state alive
      EXPECT_TRUE(commit(store_, {{}, {}, {"b"}, {}}));
      EXPECT_TRUE(commit(store_, {{}, {}, {"a"}, {}}));
    }
    seen += item.id;
    return Visit::Continue;
  }));
  EXPECT_EQ(seen, "ab");
}

TEST_F(MemoryItemStoreTest, ReturnsChangesUpToTheStateOfTheRead) {
  const auto first = commit(store_, {{category_of("shelf")}, {item_of("a"), item_of("b")}, {}, {}});
  ports::Call call;
  const auto up_to = store_.changes(call, 0, [&](const ports::Change&) {
    EXPECT_TRUE(commit(store_, {{}, {item_of("late")}, {}, {}}));  // as if from another thread
    return Visit::Continue;
  });
  ASSERT_TRUE(up_to);
  EXPECT_EQ(*up_to, *first);
}

TEST_F(MemoryItemStoreTest, KeepsItsListsCorrectAcrossManyBatches) {
  // Merging batch after batch must give the same lists as sorting everything at once.
  std::map<std::string, std::pair<model::Day, std::string>> wanted;
  const std::array<std::string, 3> categories{"a", "b", "c"};
  conformance::Batch shelves;
  for (const std::string& id : categories) shelves.categories.push_back(category_of(id));
  ASSERT_TRUE(commit(store_, shelves));
  std::uint32_t state = 1;
  const auto next = [&state](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % below;
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(std::to_string(next(150)));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    conformance::Batch batch;
    for (const std::string& id : ids) {
      if (next(4) == 0) {
        if (wanted.erase(id) != 0) batch.removed_items.push_back(id);
        continue;
      }
      batch.items.push_back(item_of(id, categories[next(3)]));
      batch.items.back().metadata.updated += std::chrono::days(next(9));
      wanted[id] = {batch.items.back().metadata.updated, std::string(batch.items.back().category)};
    }
    ASSERT_TRUE(commit(store_, batch));

    std::vector<std::pair<model::Day, std::string>> order;
    for (const auto& [id, where] : wanted) order.emplace_back(where.first, id);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string all;
    std::map<std::string, std::string> by_category;
    for (const auto& [day, id] : order)
      for (std::string* list : {&all, &by_category[wanted[id].second]}) *list += (list->empty() ? "" : "|") + id;
    ASSERT_EQ(recent_ids(store_, std::nullopt, {0, 1000}), all) << "round " << round;
    for (const std::string& category : categories)
      ASSERT_EQ(recent_ids(store_, category, {0, 1000}), by_category[category]) << "round " << round;
    ASSERT_EQ(feed_after(store_, 0)->revisions.size(), wanted.size() + categories.size()) << "round " << round;
  }
}

}  // namespace
}  // namespace kbase::tests
