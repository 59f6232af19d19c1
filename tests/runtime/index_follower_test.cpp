// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_follower.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "adapters/memory/item_store.hpp"
#include "plugins/conformance/manual_clock.hpp"
#include "tests/support/counting_random.hpp"

namespace kbase::runtime {
namespace {

using Build = ports::SearchIndex::Build;
using Outcome = IndexFollower::Outcome;

/// Takes down what it is fed.
class RecordingIndex final : public ports::SearchIndex {
 public:
  class Writer final : public ports::IndexWriter {
   public:
    explicit Writer(RecordingIndex& index) : index_(index) {}
    model::Status put(ports::Call&, std::span<const model::ItemView* const> items) override {
      for (const model::ItemView* item : items) index_.fed.push_back('+' + std::string(item->id));
      return {};
    }
    model::Status remove(ports::Call&, std::string_view id) override {
      index_.fed.push_back('-' + std::string(id));
      return {};
    }
    model::Status commit(ports::Call&, model::Revision revision) override {
      index_.now.revision = revision;
      index_.now.complete = true;
      index_.now.lineage = index_.building;
      return {};
    }

   private:
    RecordingIndex& index_;
  };

  Capabilities capabilities() const override { return {}; }
  std::string_view fingerprint() const override { return "recording"; }
  model::Result<ports::SearchAnswer> search(ports::Call&, const ports::SearchRequest&,
                                            model::Visitor<ports::SearchHit>) override {
    return ports::SearchAnswer{};
  }
  model::Result<ports::IndexState> state(ports::Call&) override { return now; }
  model::Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call&, Build build,
                                                           const model::Lineage& lineage) override {
    if (busy) return model::Error{model::ErrorCode::Conflict, "another process feeds it", {}, {}, {}};
    builds.push_back(build);
    building = lineage;
    fed.clear();
    return std::unique_ptr<ports::IndexWriter>(std::make_unique<Writer>(*this));
  }
  model::Status set_views(ports::Call&, std::span<const ports::ItemViews>, model::ViewsRevision) override { return {}; }
  model::Status verify(ports::Call&) override { return {}; }
  model::Status health(ports::Call&) override { return answers; }

  model::Status answers;
  ports::IndexState now;
  model::Lineage building{};
  std::vector<Build> builds;
  std::vector<std::string> fed;  // of the last batch
  bool busy = false;
};

class IndexFollowerTest : public testing::Test {
 protected:
  void put(std::string_view id) {
    auto writer = items_.begin(call_);
    ASSERT_TRUE(writer);
    model::CategoryView shelf;
    shelf.id = shelf.name = "shelf";
    ASSERT_TRUE((*writer)->put_category(call_, shelf));
    model::ItemView item;
    item.id = id;
    item.category = "shelf";
    const model::ItemView* const items[] = {&item};
    ASSERT_TRUE((*writer)->put(call_, items));
    ASSERT_TRUE((*writer)->commit(call_));
  }

  void remove(std::string_view id) {
    auto writer = items_.begin(call_);
    ASSERT_TRUE(writer && (*writer)->remove(call_, id));
    ASSERT_TRUE((*writer)->commit(call_));
  }

  Outcome follow() {
    const auto followed = follower_.follow(call_);
    EXPECT_TRUE(followed);
    return followed ? *followed : Outcome::UpToDate;
  }

  conformance::ManualClock clock_;
  tests::CountingRandom random_;
  memory::MemoryItemStore items_{random_, clock_};
  RecordingIndex index_;
  std::vector<std::string> reasons_;
  IndexFollower follower_{items_, index_, {/*on_progress=*/{}, [this](const IndexFollower::Reason& reason) {
                                             reasons_.push_back(std::string(reason.what) + ": " + reason.cause);
                                           }}};
  ports::Call call_;
};

TEST_F(IndexFollowerTest, BuildsAnIndexThatHasNothing) {
  put("a");
  EXPECT_EQ(follow(), Outcome::Rebuilt);
  EXPECT_EQ(index_.fed, std::vector<std::string>{"+a"});
  EXPECT_EQ(index_.now.revision, *items_.revision(call_));
}

TEST_F(IndexFollowerTest, AppliesOnlyWhatChangedSince) {
  put("a");
  follow();
  put("b");
  remove("a");
  EXPECT_EQ(follow(), Outcome::Updated);
  EXPECT_EQ(index_.fed, (std::vector<std::string>{"+b", "-a"}));
}

TEST_F(IndexFollowerTest, DoesNothingWhenTheIndexIsUpToDate) {
  put("a");
  follow();
  EXPECT_EQ(follow(), Outcome::UpToDate);
  EXPECT_EQ(index_.builds.size(), 1U);
}

TEST_F(IndexFollowerTest, RebuildsAnIndexOfAnotherStore) {
  put("a");
  follow();
  index_.now.lineage.fill(99);
  EXPECT_EQ(follow(), Outcome::Rebuilt);
}

TEST_F(IndexFollowerTest, RebuildsAnIndexThatIsAheadOfTheStore) {
  put("a");
  follow();
  index_.now.revision += 1000;
  EXPECT_EQ(follow(), Outcome::Rebuilt);
}

TEST_F(IndexFollowerTest, RebuildsWhenTheFeedNoLongerReachesBack) {
  put("a");
  put("b");
  follow();
  remove("a");
  clock_.advance(std::chrono::hours(24 * 31));
  put("c");
  EXPECT_EQ(follow(), Outcome::Rebuilt);
  EXPECT_EQ(index_.fed, (std::vector<std::string>{"+b", "+c"}));
}

TEST_F(IndexFollowerTest, TellsWhyItRebuilds) {
  put("a");
  index_.answers = model::Error{model::ErrorCode::Unavailable, "It is being built.", "manifest: checksum", {}, {}};
  follow();
  index_.answers = {};
  index_.now.complete = false;
  follow();
  index_.now.lineage.fill(99);
  follow();
  follow();
  EXPECT_EQ(reasons_, (std::vector<std::string>{
                          "it has no whole state: manifest: checksum",
                          "it was made with other settings; it answers meanwhile: ", "it is of another store: "}));
}

TEST_F(IndexFollowerTest, TellsNothingOfARebuildThatAnotherProcessKeepsItFrom) {
  put("a");
  index_.busy = true;
  EXPECT_FALSE(follower_.follow(call_));
  EXPECT_EQ(reasons_, std::vector<std::string>{});
}

TEST_F(IndexFollowerTest, LeavesTheIndexToAnotherProcessThatFeedsIt) {
  put("a");
  index_.busy = true;
  const auto followed = follower_.follow(call_);
  ASSERT_FALSE(followed);
  EXPECT_EQ(followed.error().code, model::ErrorCode::Conflict);
}

}  // namespace
}  // namespace kbase::runtime
