// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "tests/plugins/sdk/fake_host.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;

/// Reports its destruction.
class TrackedWriter final : public MockItemWriter {
 public:
  explicit TrackedWriter(bool& gone) : gone_(gone) {}
  ~TrackedWriter() override { gone_ = true; }

 private:
  bool& gone_;
};

class ItemWriterHandles : public testing::Test {
 protected:
  ItemWriterHandles() {
    auto made = std::make_unique<TrackedWriter>(gone);
    writer = made.get();
    REQUIRE_CALL(store.implementation, begin(_)).LR_RETURN(std::unique_ptr<ports::ItemWriter>(std::move(made)));
    EXPECT_EQ(store.table.begin(store.handle, store.call(), &handle), KB_OK);
  }
  ~ItemWriterHandles() override {
    if (!gone) store.table.abort(handle, store.call());
  }

  TestInstance<ports::ItemStore, MockItemStore> store;
  kb_item_writer* handle = nullptr;
  bool gone = false;
  MockItemWriter* writer = nullptr;
};

TEST_F(ItemWriterHandles, EndWithACommit) {
  std::uint64_t revision = 0;
  REQUIRE_CALL(*writer, commit(_)).RETURN(model::Revision{12});
  EXPECT_EQ(store.table.commit(handle, store.call(), &revision), KB_OK);
  EXPECT_EQ(revision, 12u);
  EXPECT_TRUE(gone);
}

TEST_F(ItemWriterHandles, WaitForAbortAfterAFailedCommit) {
  std::uint64_t revision = 0;
  REQUIRE_CALL(*writer, commit(_)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_EQ(store.table.commit(handle, store.call(), &revision), KB_UNAVAILABLE);
  EXPECT_FALSE(gone);
  store.table.abort(handle, store.call());
  EXPECT_TRUE(gone);
}

TEST_F(ItemWriterHandles, WaitForAbortAfterAThrowingCommit) {
  std::uint64_t revision = 0;
  REQUIRE_CALL(*writer, commit(_)).THROW(std::runtime_error("no"));
  EXPECT_EQ(store.table.commit(handle, store.call(), &revision), KB_INTERNAL);
  EXPECT_FALSE(gone);
}

TEST_F(ItemWriterHandles, EndWithAnAbort) {
  store.table.abort(handle, store.call());
  EXPECT_TRUE(gone);
}

TEST_F(ItemWriterHandles, PassAllItemsOfAPut) {
  model::ItemView a;
  a.id = "a";
  model::ItemView b;
  b.id = "b";
  const std::string_view tags[] = {"red", "blue"};
  b.tags = tags;
  const model::ItemView* const items[] = {&a, &b};
  sdk::ToC to_c;
  const auto rows = to_c.pointers<kb_item>(std::span<const model::ItemView* const>(items));
  REQUIRE_CALL(*writer, put(_, _))
      .WITH(_2.size() == 2 && _2[0]->id == "a" && _2[0]->tags.empty() && _2[1]->tags[1] == "blue")
      .RETURN(Status());
  EXPECT_EQ(store.table.put(handle, store.call(), rows.data(), rows.size()), KB_OK);
}

TEST_F(ItemWriterHandles, ReportWhetherAnItemWasRemoved) {
  REQUIRE_CALL(*writer, remove(_, "here")).RETURN(true);
  REQUIRE_CALL(*writer, remove(_, "gone")).RETURN(false);
  REQUIRE_CALL(*writer, remove_category(_, "full")).RETURN(error_of(ErrorCode::InvalidArgument));
  EXPECT_EQ(store.table.remove(handle, store.call(), sdk::view_of("here")), KB_OK);
  EXPECT_EQ(store.table.remove(handle, store.call(), sdk::view_of("gone")), KB_NOT_FOUND);
  EXPECT_EQ(store.table.remove_category(handle, store.call(), sdk::view_of("full")), KB_INVALID_ARGUMENT);
}

TEST(ItemStoreTables, ReportThatAStoreIsReadOnly) {
  TestInstance<ports::ItemStore, MockItemStore> store;
  kb_item_writer* handle = nullptr;
  REQUIRE_CALL(store.implementation, begin(_)).RETURN(error_of(ErrorCode::Unsupported));
  EXPECT_EQ(store.table.begin(store.handle, store.call(), &handle), KB_UNSUPPORTED);
  EXPECT_EQ(handle, nullptr);
}

}  // namespace
}  // namespace kbase::tests
