// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

/// Changes feed of an item store.
class ChangesProxy : public testing::Test {
 protected:
  /// Returns changes(after) when the plugin reports `passed`.
  Result<model::Revision> changes(std::vector<kb_change> passed, model::Revision after = 1) {
    fake_.changes = [passed](kb_change_sink sink, void* data, std::uint64_t* up_to) {
      for (const kb_change& change : passed)
        if (sink(data, &change) != 0) return KB_STOPPED;
      *up_to = 99;
      return KB_OK;
    };
    return store_->changes(call_, after, [this](const ports::Change& change) {
      described_ += std::to_string(static_cast<int>(change.kind)) + std::string(change.id);
      if (change.item != nullptr) described_ += "[" + std::string(change.item->title) + "]";
      if (change.category != nullptr) described_ += "[" + std::string(change.category->name) + "]";
      described_ += " ";
      return change.id == stop_at_ ? Visit::Stop : Visit::Continue;
    });
  }

  static kb_change removed(std::string_view id, std::uint64_t revision) {
    auto change = sized<kb_change>();
    change.kind = KB_CHANGE_ITEM_REMOVED;
    change.id = to_view(id);
    change.revision = revision;
    return change;
  }

  static kb_change put(const kb_item& item, std::uint64_t revision) {
    kb_change change = removed("a", revision);
    change.kind = KB_CHANGE_ITEM_PUT;
    change.item = &item;
    return change;
  }

  HostFixture fixture_;
  FakeItemStore fake_;
  std::unique_ptr<ports::ItemStore> store_ =
      plugin_host::open_port<ports::ItemStore>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
  std::string described_, stop_at_;
};

TEST_F(ChangesProxy, ReturnsEachKindOfChange) {
  const kb_item item = make_item("a");
  const kb_category category = make_category("c");
  kb_change category_put = removed("c", 4);
  category_put.kind = KB_CHANGE_CATEGORY_PUT;
  category_put.category = &category;
  kb_change category_removed = removed("d", 5);
  category_removed.kind = KB_CHANGE_CATEGORY_REMOVED;
  const auto up_to = changes({put(item, 2), removed("b", 3), category_put, category_removed});
  ASSERT_TRUE(succeeded(up_to));
  EXPECT_EQ(*up_to, 99u);
  EXPECT_EQ(described_, "0a[Title] 1b 2c[Name] 3d ");
}

TEST_F(ChangesProxy, CancelsAStoppedFeed) {
  stop_at_ = "b";
  EXPECT_TRUE(failed(changes({removed("a", 2), removed("b", 3), removed("c", 4)}), ErrorCode::Cancelled));
  EXPECT_EQ(described_, "1a 1b ");
}

TEST_F(ChangesProxy, ReportsThatTheFeedIsNoLongerAvailable) {
  fake_.changes = [](kb_change_sink, void*, std::uint64_t*) { return KB_GONE; };
  EXPECT_TRUE(failed(store_->changes(call_, 1, [](const ports::Change&) { return Visit::Continue; }), ErrorCode::Gone));
}

TEST_F(ChangesProxy, RejectsContradictoryChanges) {
  const kb_item item = make_item("other");
  kb_change without_item = removed("a", 2);
  without_item.kind = KB_CHANGE_ITEM_PUT;
  kb_change unknown = removed("a", 2);
  unknown.kind = 4;
  EXPECT_TRUE(failed(changes({removed("a", 3), removed("b", 2)}), ErrorCode::Internal)) << "out of order";
  EXPECT_TRUE(failed(changes({removed("a", 3), removed("b", 3)}), ErrorCode::Internal)) << "a revision twice";
  EXPECT_TRUE(failed(changes({put(item, 2)}), ErrorCode::Internal)) << "an item with another id";
  EXPECT_TRUE(failed(changes({without_item}), ErrorCode::Internal));
  EXPECT_TRUE(failed(changes({unknown}), ErrorCode::Internal));
}

TEST_F(ChangesProxy, RejectsTextThatIsNotUtf8) {
  kb_item item = make_item("a");
  item.content = to_view("caf\xE9");
  EXPECT_TRUE(failed(changes({put(item, 2)}), ErrorCode::Internal));
  item.content = to_view("plain ASCII for a while, then caf\xC3\xA9");
  EXPECT_TRUE(succeeded(changes({put(item, 2)})));
}

}  // namespace
}  // namespace kbase::tests
