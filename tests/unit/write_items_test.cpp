// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/write_items.hpp"

#include <gtest/gtest.h>

#include "adapters/memory/activity_store.hpp"
#include "adapters/memory/item_store.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/plain_markup.hpp"

namespace kbase::tests {
namespace {

using ports::WriteOutcome;

constexpr auto kAlways = [](std::optional<model::Revision>) { return true; };

class WriteItems : public testing::Test {
 protected:
  static ports::ContentRecord item(std::string_view id, std::string_view content, std::string_view source = {}) {
    ports::ItemRecord record;
    record.id = id;
    record.title = "Title";
    record.category = "guide";
    record.content = content;
    record.source = source;
    return {{}, record};
  }

  Result<ports::WriteReport> put(const ports::ContentRecord& record, ports::WriteCondition condition = kAlways) {
    return write_.put(call_, record, {}, condition);
  }

  model::Item stored(std::string_view id) {
    std::optional<model::Item> found;
    EXPECT_TRUE(succeeded(store_.get(call_, id, [&found](const model::ItemView& view) {
      found.emplace(view);
      return Visit::Continue;
    })));
    return found ? *std::move(found) : model::Item(model::ItemView());
  }

  ports::Call call_;
  conformance::ManualClock clock_;
  CountingRandom random_;
  memory::MemoryItemStore store_{random_, clock_};
  memory::MemoryActivityStore activity_;
  PlainMarkup markup_;
  usecases::WriteItems write_{store_, activity_, markup_, clock_};
};

TEST_F(WriteItems, CreatesChangesAndKeeps) {
  const auto created = put(item("a", "one"));
  ASSERT_TRUE(succeeded(created));
  EXPECT_EQ(created->outcome, WriteOutcome::Created);
  EXPECT_EQ(created->revision, stored("a").view().revision);
  const auto changed = put(item("a", "two"));
  ASSERT_TRUE(succeeded(changed));
  EXPECT_EQ(changed->outcome, WriteOutcome::Changed);
  EXPECT_EQ(changed->revision, stored("a").view().revision);
  EXPECT_EQ(stored("a").view().content, "two");
  const auto kept = put(item("a", "two"));
  ASSERT_TRUE(succeeded(kept));
  EXPECT_EQ(kept->outcome, WriteOutcome::Unchanged);
  EXPECT_EQ(kept->revision, changed->revision);
}

TEST_F(WriteItems, AnItemStaysWithItsSource) {
  ASSERT_TRUE(succeeded(put(item("a", "one", "docs"))));
  ASSERT_TRUE(succeeded(put(item("a", "two"))));
  EXPECT_EQ(stored("a").view().source, "docs");
  ASSERT_TRUE(succeeded(put(item("b", "one"))));
  EXPECT_EQ(stored("b").view().source, usecases::WriteItems::kSource);
  EXPECT_TRUE(failed(put(item("a", "three", "other")), ErrorCode::InvalidArgument));
  EXPECT_EQ(stored("a").view().content, "two");
}

TEST_F(WriteItems, AConditionIsCheckedInTheBatch) {
  std::optional<model::Revision> seen = 7;
  const auto note = [&seen](std::optional<model::Revision> revision) {
    seen = revision;
    return !revision.has_value();
  };
  ASSERT_TRUE(succeeded(put(item("a", "one"), note)));
  EXPECT_EQ(seen, std::nullopt);
  const auto refused = put(item("a", "two"), note);
  ASSERT_TRUE(succeeded(refused));
  EXPECT_EQ(refused->outcome, WriteOutcome::NotPermitted);
  EXPECT_EQ(seen, stored("a").view().revision);
  EXPECT_EQ(stored("a").view().content, "one");
  const auto not_removed = write_.remove(call_, "a", note);
  ASSERT_TRUE(succeeded(not_removed));
  EXPECT_EQ(not_removed->outcome, WriteOutcome::NotPermitted);
}

TEST_F(WriteItems, RemovesAnItem) {
  ASSERT_TRUE(succeeded(put(item("a", "one"))));
  const auto removed = write_.remove(call_, "a", kAlways);
  ASSERT_TRUE(succeeded(removed));
  EXPECT_EQ(removed->outcome, WriteOutcome::Removed);
  EXPECT_TRUE(failed(write_.remove(call_, "a", kAlways), ErrorCode::NotFound));
}

}  // namespace
}  // namespace kbase::tests
