// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

class ItemStoreProxy : public testing::Test {
 protected:
  Status get() {
    return store_->get(call_, "a", [this](const model::ItemView& item) {
      seen_.emplace_back(item);
      return Visit::Continue;
    });
  }

  /// Calls get() when the plugin passes this item.
  Status get(const kb_item& item) {
    fake_.items = [&item](kb_item_sink sink, void* data) { return sink(data, &item) == 0 ? KB_OK : KB_STOPPED; };
    return get();
  }

  Status category(const kb_category& category) {
    fake_.categories = [&](kb_category_sink sink, void* data) {
      return sink(data, &category) == 0 ? KB_OK : KB_STOPPED;
    };
    return store_->category(call_, "c", [](const model::CategoryView&) { return Visit::Continue; });
  }

  /// Makes the plugin pass `count` items and ignore what the sink returns.
  void pass_items(int count) {
    fake_.items = [count](kb_item_sink sink, void* data) {
      const kb_item item = make_item("a");
      for (int i = 0; i < count; ++i) sink(data, &item);
      return KB_OK;
    };
  }

  std::unique_ptr<ports::ItemWriter> writer() { return store_->begin(call_).value(); }

  HostFixture fixture_;
  FakeItemStore fake_;
  std::unique_ptr<ports::ItemStore> store_ =
      plugin_host::open_port<ports::ItemStore>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
  std::vector<model::Item> seen_;
  std::string described_;
};

constexpr auto kSummaries = [](const model::ItemSummaryView&) { return Visit::Continue; };

TEST_F(ItemStoreProxy, PassesEveryMemberOfAnItem) {
  const std::array tags{to_view("one"), to_view("two")};
  const std::array related{to_view("b"), to_view("c"), to_view("d")};
  kb_item item = make_item("a");
  item.lead = to_view("Lead");
  item.tags = tags.data();
  item.tag_count = tags.size();
  item.author = to_view("Ada");
  item.created_day = 3;
  item.updated_day = 4;
  item.views = 5;
  item.further = to_view("{}");
  item.revision = 6;
  item.content = to_view("Content");
  item.related = related.data();
  item.related_count = related.size();
  ASSERT_TRUE(succeeded(get(item)));
  EXPECT_EQ(fake_.arguments, "a");

  model::ItemView wanted;
  const std::array<std::string_view, 2> wanted_tags{"one", "two"};
  const std::array<std::string_view, 3> wanted_related{"b", "c", "d"};
  wanted.id = "a", wanted.title = "Title", wanted.category = "shelf", wanted.excerpt = "Lead";
  wanted.tags = wanted_tags;
  wanted.metadata = {"Ada", model::Day(std::chrono::days(3)), model::Day(std::chrono::days(4)), 5, "{}"};
  wanted.content = "Content";
  wanted.related = wanted_related;
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_TRUE(same_content(seen_[0].view(), wanted));
  EXPECT_EQ(seen_[0].view().revision, 6u);
}

TEST_F(ItemStoreProxy, PassesListsOfAnyLength) {
  for (const std::size_t count : {24u, 25u, 1000u}) {
    seen_.clear();
    const std::vector<kb_view> tags(count, to_view("tag"));
    kb_item item = make_item("a");
    item.tags = tags.data();
    item.tag_count = count;
    ASSERT_TRUE(succeeded(get(item)));
    ASSERT_EQ(seen_.at(0).view().tags.size(), count);
    for (const std::string_view tag : seen_[0].view().tags) EXPECT_EQ(tag, "tag");
  }
}

TEST_F(ItemStoreProxy, PassesArguments) {
  const std::array<std::string_view, 3> ids{"x", "y", "x"};
  ASSERT_TRUE(succeeded(store_->summaries(call_, ids, kSummaries)));
  EXPECT_EQ(fake_.arguments, "x y x ");
  ASSERT_TRUE(succeeded(store_->recent(call_, std::nullopt, {7, 9}, kSummaries)));
  EXPECT_EQ(fake_.arguments, "all 7+9");
  ASSERT_TRUE(succeeded(store_->recent(call_, "", {0, 1}, kSummaries)));
  EXPECT_EQ(fake_.arguments, "of  0+1");
}

TEST_F(ItemStoreProxy, ReadsTheStructThatThePluginFills) {
  EXPECT_EQ(store_->revision(call_).value(), 42u);
  EXPECT_EQ(store_->store_id()[0], 7);
  const auto totals = store_->totals(call_, model::Day(std::chrono::days(20'000)));
  ASSERT_TRUE(succeeded(totals));
  EXPECT_EQ(totals->items, 20'000u);
  EXPECT_EQ(totals->recent_additions, 4u);
}

TEST_F(ItemStoreProxy, ReadsCapabilitiesFromTheFlagsOfTheTable) {
  EXPECT_FALSE(store_->capabilities().persistent);
  EXPECT_FALSE(store_->capabilities().inline_reads);
  fake_.table.capabilities = KB_ITEM_STORE_CAN_PERSIST;
  fake_.table.inline_calls = KB_ITEM_STORE_INLINE_READS;
  EXPECT_TRUE(store_->capabilities().persistent);
  EXPECT_TRUE(store_->capabilities().inline_reads);
  fake_.table.flags = KB_TABLE_SERIAL;
  const auto serial = plugin_host::open_port<ports::ItemStore>(fake_.table, fixture_.host, "{}").value();
  EXPECT_FALSE(serial->capabilities().inline_reads) << "a call that waits for its turn is not inline";
}

TEST_F(ItemStoreProxy, ReturnsNotFoundAsThePortDoes) {
  fake_.items = [](kb_item_sink, void*) { return KB_NOT_FOUND; };
  fake_.categories = [](kb_category_sink, void*) { return KB_NOT_FOUND; };
  EXPECT_TRUE(failed(get(), ErrorCode::NotFound));
  EXPECT_TRUE(failed(store_->category(call_, "c", [](const model::CategoryView&) { return Visit::Continue; }),
                     ErrorCode::NotFound));
}

TEST_F(ItemStoreProxy, PassesNothingToAStoppedVisitor) {
  pass_items(3);
  int rows = 0;
  const auto stop = [&](const model::ItemSummaryView&) { return ++rows == 1 ? Visit::Stop : Visit::Continue; };
  EXPECT_TRUE(succeeded(store_->recent(call_, std::nullopt, {0, 10}, stop)));
  EXPECT_EQ(rows, 1);
}

TEST_F(ItemStoreProxy, WaitsIfThePluginSupportsIt) {
  EXPECT_FALSE(store_->capabilities().waits);
  EXPECT_TRUE(failed(store_->wait(call_, 7), ErrorCode::Unsupported));
  fake_.table.capabilities = KB_ITEM_STORE_CAN_WAIT;
  EXPECT_TRUE(store_->capabilities().waits);
  EXPECT_TRUE(succeeded(store_->wait(call_, 7)));
  EXPECT_EQ(fake_.arguments, "after 7");
  fake_.answer = KB_UNSUPPORTED;
  EXPECT_TRUE(failed(store_->wait(call_, 7), ErrorCode::Unsupported));
  fake_.answer = KB_OK;
  fake_.table.flags = KB_TABLE_SERIAL;
  EXPECT_FALSE(store_->capabilities().waits) << "it would block all other calls";
  fake_.table.flags = 0;
  fake_.table.wait = nullptr;
  EXPECT_TRUE(failed(store_->wait(call_, 7), ErrorCode::Unsupported));
}

TEST_F(ItemStoreProxy, AcquiresLeasesIfThePluginSupportsThem) {
  const auto lease = [&] { return store_->try_lease(call_, "index", "me", std::chrono::seconds(3)); };
  EXPECT_FALSE(store_->capabilities().leases);
  EXPECT_TRUE(failed(lease(), ErrorCode::Unsupported));
  fake_.table.capabilities = KB_ITEM_STORE_CAN_LEASE;
  EXPECT_TRUE(store_->capabilities().leases);
  EXPECT_TRUE(lease().value());
  EXPECT_EQ(fake_.arguments, "index me 3000");
  fake_.is_held = 0;
  EXPECT_FALSE(lease().value());
  fake_.answer = KB_UNAVAILABLE;
  EXPECT_TRUE(failed(lease(), ErrorCode::Unavailable));
  fake_.table.struct_size = offsetof(kb_item_store_v1, try_lease);
  EXPECT_FALSE(store_->capabilities().leases) << "it is beyond the end of the plugin's table";
  EXPECT_TRUE(failed(lease(), ErrorCode::Unsupported));
}

// --------------------------------------------------------------------------- plugins that return wrong data

TEST_F(ItemStoreProxy, RejectsMoreRowsThanRequested) {
  const std::array<std::string_view, 2> ids{"a", "b"};
  pass_items(3);
  EXPECT_TRUE(failed(store_->summaries(call_, ids, kSummaries), ErrorCode::Internal));
  EXPECT_TRUE(failed(store_->recent(call_, std::nullopt, {0, 2}, kSummaries), ErrorCode::Internal));
  EXPECT_TRUE(failed(get(), ErrorCode::Internal));
  EXPECT_EQ(seen_.size(), 1u);
  EXPECT_EQ(get().error().detail, "org.example.fake: item_store.get: the plugin passed more rows than were requested");
}

TEST_F(ItemStoreProxy, RejectsAGetWithoutAnItem) {
  EXPECT_TRUE(failed(get(), ErrorCode::Internal)) << "KB_OK without an item";
  fake_.items = [](kb_item_sink sink, void* data) {
    const kb_item item = make_item("a");
    sink(data, &item);
    return KB_NOT_FOUND;
  };
  EXPECT_TRUE(failed(get(), ErrorCode::Internal)) << "KB_NOT_FOUND with an item";
}

TEST_F(ItemStoreProxy, RejectsAShortOrMissingStruct) {
  kb_item item = make_item("a");
  item.struct_size = offsetof(kb_item, related_count);
  EXPECT_TRUE(failed(get(item), ErrorCode::Internal));
  item.struct_size = 0;
  EXPECT_TRUE(failed(get(item), ErrorCode::Internal));
  fake_.items = [](kb_item_sink sink, void* data) { return sink(data, nullptr) == 0 ? KB_OK : KB_STOPPED; };
  EXPECT_TRUE(failed(get(), ErrorCode::Internal));
  EXPECT_TRUE(seen_.empty());
}

TEST_F(ItemStoreProxy, AcceptsALongerStruct) {
  struct Newer {
    kb_item item;
    std::uint64_t something_new;
  } newer{make_item("a"), 1};
  newer.item.struct_size = sizeof newer;
  EXPECT_TRUE(succeeded(get(newer.item)));
}

TEST_F(ItemStoreProxy, RejectsTextsAndListsWithNullPointers) {
  for (kb_view kb_item::*text : {&kb_item::id, &kb_item::title, &kb_item::category, &kb_item::lead, &kb_item::author,
                                 &kb_item::further, &kb_item::content}) {
    kb_item item = make_item("a");
    item.*text = kInvalidView;
    EXPECT_TRUE(failed(get(item), ErrorCode::Internal));
    item.*text = {"x", std::numeric_limits<std::size_t>::max()};
    EXPECT_TRUE(failed(get(item), ErrorCode::Internal));
  }
  kb_item item = make_item("a");
  item.tag_count = 1;
  EXPECT_TRUE(failed(get(item), ErrorCode::Internal)) << "a null list";
  const kb_view tag = kInvalidView;
  item.tags = &tag;
  EXPECT_TRUE(failed(get(item), ErrorCode::Internal)) << "a null tag";
  item = make_item("a");
  item.related = &tag;
  item.related_count = std::numeric_limits<std::size_t>::max();
  EXPECT_TRUE(failed(get(item), ErrorCode::Internal)) << "a list with an invalid length";
  EXPECT_TRUE(seen_.empty());
}

TEST_F(ItemStoreProxy, RejectsInvalidIds) {
  const std::string endless(257, 'a');
  for (const std::string_view id : {std::string_view(""), std::string_view("\xFF"), std::string_view(endless)}) {
    EXPECT_TRUE(failed(get(make_item(id)), ErrorCode::Internal));
    EXPECT_TRUE(failed(category(make_category(id)), ErrorCode::Internal));
  }
}

TEST_F(ItemStoreProxy, RejectsInvalidDates) {
  for (const std::int32_t day : {INT32_MIN, -719529, 2932897, INT32_MAX}) {
    kb_item item = make_item("a");
    item.created_day = day;
    EXPECT_TRUE(failed(get(item), ErrorCode::Internal)) << day;
  }
  kb_item item = make_item("a");
  item.created_day = -719528;  // 0000-01-01
  item.updated_day = 2932896;  // 9999-12-31
  EXPECT_TRUE(succeeded(get(item)));
}

TEST_F(ItemStoreProxy, RejectsAnInvalidCategory) {
  EXPECT_TRUE(succeeded(category(make_category("c"))));
  kb_category wrong = make_category("c");
  wrong.icon = kInvalidView;
  EXPECT_TRUE(failed(category(wrong), ErrorCode::Internal));
  wrong = make_category("c");
  wrong.subcategory_count = 2;
  EXPECT_TRUE(failed(category(wrong), ErrorCode::Internal));
  wrong = make_category("c");
  wrong.struct_size = 8;
  EXPECT_TRUE(failed(category(wrong), ErrorCode::Internal));
}

TEST_F(ItemStoreProxy, RejectsInvalidViewsOfACategory) {
  const auto ask = [this](kb_view id, kb_view name) {
    fake_.category_views = [=](kb_category_views_sink sink, void* data) {
      return sink(data, id, name, 3) == 0 ? KB_OK : KB_STOPPED;
    };
    return store_->category_views(call_, [this](const ports::CategoryViews& row) {
      described_ += std::string(row.id) + "=" + std::to_string(row.views) + std::string(row.name);
      return Visit::Continue;
    });
  };
  EXPECT_TRUE(succeeded(ask(to_view("c"), to_view("C"))));
  EXPECT_TRUE(failed(ask(kInvalidView, to_view("C")), ErrorCode::Internal));
  EXPECT_TRUE(failed(ask(to_view("c"), kInvalidView), ErrorCode::Internal));
  EXPECT_EQ(described_, "c=3C");
}

// --------------------------------------------------------------------------------------------- batches

TEST_F(ItemStoreProxy, PassesABatch) {
  const auto writer = this->writer();
  const std::array<std::string_view, 1> tags{"t"};
  model::ItemView a, b;
  a.id = "a", a.tags = tags, b.id = "b";
  const std::array<const model::ItemView*, 2> items{&a, &b};
  ASSERT_TRUE(succeeded(writer->put(call_, items)));
  EXPECT_EQ(fake_.arguments, "a[t ] b[] ");
  model::CategoryView shelf;
  shelf.name = "Shelf";
  ASSERT_TRUE(succeeded(writer->put_category(call_, shelf)));
  EXPECT_EQ(fake_.arguments, "Shelf");
  EXPECT_TRUE(writer->remove(call_, "a").value());
  fake_.answer = KB_NOT_FOUND;
  EXPECT_FALSE(writer->remove(call_, "a").value());
  EXPECT_FALSE(writer->remove_category(call_, "c").value());
}

TEST_F(ItemStoreProxy, ACommittedBatchIsNotAborted) {
  auto writer = this->writer();
  EXPECT_EQ(writer->commit(call_).value(), 43u);
  writer.reset();
  EXPECT_EQ(fake_.aborted, 0);
}

TEST_F(ItemStoreProxy, AnUncommittedBatchIsAborted) {
  writer().reset();
  EXPECT_EQ(fake_.aborted, 1);
  auto writer = this->writer();
  fake_.answer = KB_UNAVAILABLE;
  EXPECT_TRUE(failed(writer->commit(call_), ErrorCode::Unavailable));
  writer.reset();
  EXPECT_EQ(fake_.aborted, 2);
}

TEST_F(ItemStoreProxy, RejectsAMissingBatch) {
  fake_.returns_no_writer = true;
  EXPECT_TRUE(failed(store_->begin(call_), ErrorCode::Internal));
  fake_.answer = KB_UNSUPPORTED;
  EXPECT_TRUE(failed(store_->begin(call_), ErrorCode::Unsupported));
}

}  // namespace
}  // namespace kbase::tests
