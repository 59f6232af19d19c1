// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_follower.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "adapters/memory/item_store.hpp"
#include "domain/usecases/item_document.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/runtime/leasing_store.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/plain_markup.hpp"

namespace kbase::runtime {
namespace {

using Build = ports::SearchIndex::Build;
using Outcome = IndexFollower::Outcome;

/// Records the changes that it receives.
class RecordingIndex final : public ports::SearchIndex {
 public:
  class Writer final : public ports::IndexWriter {
   public:
    explicit Writer(RecordingIndex& index) : index_(index) {}
    Status put(ports::Call&, std::span<const model::ItemView* const> items) override {
      for (const model::ItemView* item : items) index_.fed.push_back('+' + std::string(item->id));
      return {};
    }
    Status remove(ports::Call&, std::string_view id) override {
      index_.fed.push_back('-' + std::string(id));
      return {};
    }
    Status commit(ports::Call&, model::Revision revision) override {
      index_.now.revision = revision;
      index_.now.complete = true;
      index_.now.store_id = index_.building;
      return {};
    }

   private:
    RecordingIndex& index_;
  };

  Capabilities capabilities() const override { return {}; }
  std::string_view fingerprint() const override { return "recording"; }
  Result<ports::SearchResult> search(ports::Call&, const ports::SearchRequest&, Visitor<ports::SearchHit>) override {
    return ports::SearchResult{};
  }
  Result<ports::IndexState> state(ports::Call&) override { return now; }
  Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call&, Build build,
                                                    const model::StoreId& store_id) override {
    if (busy) return Error{ErrorCode::Conflict, "another process feeds it"};
    if (build == Build::Update && !now.complete && !rewrites_a_batch)
      return Error{ErrorCode::Unsupported, "nothing to update"};
    builds.push_back(build);
    building = store_id;
    fed.clear();
    return std::unique_ptr<ports::IndexWriter>(std::make_unique<Writer>(*this));
  }
  Status set_views(ports::Call&, std::span<const ports::ItemViews>, model::ViewsRevision) override { return {}; }
  Status verify(ports::Call&) override { return {}; }
  Status health(ports::Call&) override { return answers; }

  Status answers;
  ports::IndexState now;
  model::StoreId building{};
  std::vector<Build> builds;
  std::vector<std::string> fed;  // changes of the last batch
  bool busy = false;
  bool rewrites_a_batch = false;  // even if it is not complete
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
  IndexFollower follower_{
      items_, index_, tests::kPlainMarkup, {/*on_progress=*/{}, [this](const IndexFollower::Reason& reason) {
                                              reasons_.push_back(std::string(reason.what) + ": " + reason.cause);
                                            }}};
  ports::Call call_;
};

TEST_F(IndexFollowerTest, BuildsAnEmptyIndex) {
  put("a");
  EXPECT_EQ(follow(), Outcome::Rebuilt);
  EXPECT_EQ(index_.fed, std::vector<std::string>{"+a"});
  EXPECT_EQ(index_.now.revision, *items_.revision(call_));
}

TEST_F(IndexFollowerTest, AppliesOnlyChangesSinceTheLastRun) {
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
  index_.now.store_id.fill(99);
  EXPECT_EQ(follow(), Outcome::Rebuilt);
}

TEST_F(IndexFollowerTest, RebuildsAnIndexThatIsAheadOfTheStore) {
  put("a");
  follow();
  index_.now.revision += 1000;
  EXPECT_EQ(follow(), Outcome::Rebuilt);
}

TEST_F(IndexFollowerTest, RebuildsIfTheChangeFeedNoLongerReachesBack) {
  put("a");
  put("b");
  follow();
  remove("a");
  clock_.advance(std::chrono::hours(24 * 31));
  put("c");
  EXPECT_EQ(follow(), Outcome::Rebuilt);
  EXPECT_EQ(index_.fed, (std::vector<std::string>{"+b", "+c"}));
}

TEST_F(IndexFollowerTest, RewritesAnIncompleteBatch) {
  put("a");
  follow();
  index_.rewrites_a_batch = true;
  index_.now.complete = false;
  put("b");
  EXPECT_EQ(follow(), Outcome::Updated);
  EXPECT_EQ(index_.fed, std::vector<std::string>{"+b"});
  index_.now.complete = false;
  EXPECT_EQ(follow(), Outcome::Updated) << "even if nothing changed since";
  EXPECT_TRUE(index_.now.complete);
  EXPECT_EQ(reasons_.size(), 1U) << "it was built once";
}

TEST_F(IndexFollowerTest, RebuildsAnIncompleteIndexThatAcceptsNoBatch) {
  put("a");
  follow();
  index_.now.complete = false;
  EXPECT_EQ(follow(), Outcome::Rebuilt);
  EXPECT_EQ(index_.builds, (std::vector<Build>{Build::Rebuild, Build::Rebuild}));
}

TEST_F(IndexFollowerTest, RebuildsTheIndexOfAVersionWithOtherTexts) {
  put("a");
  follow();
  index_.now.store_id = items_.store_id();  // what kbase 1.0 passed
  EXPECT_EQ(follow(), Outcome::Rebuilt);
}

TEST_F(IndexFollowerTest, ReportsWhyItRebuilds) {
  put("a");
  index_.answers = Error{ErrorCode::Unavailable, "It is being built.", "manifest: checksum"};
  follow();
  index_.answers = {};
  index_.now.complete = false;
  follow();
  index_.now.store_id.fill(99);
  follow();
  follow();
  EXPECT_EQ(reasons_,
            (std::vector<std::string>{"it is incomplete or damaged: manifest: checksum",
                                      "it was built with other settings; searches use it meanwhile: ",
                                      "it belongs to another store, or has the texts of another version of kbase: "}));
}

TEST_F(IndexFollowerTest, ReportsNoRebuildWhileAnotherProcessPreventsIt) {
  put("a");
  index_.busy = true;
  EXPECT_FALSE(follower_.follow(call_));
  EXPECT_EQ(reasons_, std::vector<std::string>{});
}

/// One of several servers that share an index and update it in turn.
class SharingFollower : public IndexFollowerTest {
 protected:
  std::unique_ptr<IndexWriteLease> process() {
    return std::move(IndexWriteLease::make({leases_.port(), shared_.port(), clock_, random_})).value();
  }

  tests::LeasingStore leases_{clock_};
  tests::SharedIndex shared_;
  std::unique_ptr<IndexWriteLease> own_ = process();
  IndexFollower sharing_{items_, index_, tests::kPlainMarkup, {}, own_.get()};
};

TEST_F(SharingFollower, FeedsTheIndexUnderItsLeaseAndReleasesIt) {
  put("a");
  EXPECT_EQ(sharing_.follow(call_).value(), Outcome::Rebuilt);
  put("b");
  EXPECT_EQ(sharing_.follow(call_).value(), Outcome::Updated);
  EXPECT_EQ(index_.now.revision, *items_.revision(call_));
  EXPECT_EQ(leases_.owner(), "");
}

TEST_F(SharingFollower, StartsNothingUnderTheLeaseOfAnother) {
  put("a");
  const auto other = process();
  const auto held = other->acquire(call_);
  ASSERT_TRUE(held);
  EXPECT_TRUE(tests::failed(sharing_.follow(call_), ErrorCode::Conflict));
  EXPECT_TRUE(tests::failed(sharing_.rebuild(call_), ErrorCode::Conflict));
  EXPECT_TRUE(index_.builds.empty());
}

TEST_F(SharingFollower, RequestsNoLeaseWithoutWork) {
  put("a");
  ASSERT_TRUE(sharing_.follow(call_));
  const int before = leases_.acquires();
  EXPECT_EQ(sharing_.follow(call_).value(), Outcome::UpToDate);
  EXPECT_EQ(leases_.acquires(), before);
}

TEST_F(SharingFollower, ChecksAgainUnderItsLeaseWhetherAnotherDidTheWork) {
  put("a");
  leases_.on_given = [this] {
    index_.now = {usecases::indexed_store_id(items_.store_id()), *items_.revision(call_), 0, 1, true};
  };
  EXPECT_EQ(sharing_.follow(call_).value(), Outcome::UpToDate);
  EXPECT_TRUE(index_.builds.empty());
}

TEST_F(SharingFollower, CommitsNothingAfterItsLeaseMayHaveExpired) {
  put("a");
  IndexFollower slow(items_, index_, tests::kPlainMarkup,
                     {/*on_progress=*/{},
                      [this](const IndexFollower::Reason&) {
                        leases_.go_away();
                        clock_.advance(IndexWriteLease::kTimeToLive);
                      }},
                     own_.get());
  EXPECT_TRUE(tests::failed(slow.follow(call_), ErrorCode::Unavailable)) << "the log reports it";
  EXPECT_FALSE(index_.now.complete);
}

TEST_F(IndexFollowerTest, SkipsAnIndexThatAnotherProcessFeeds) {
  put("a");
  index_.busy = true;
  const auto followed = follower_.follow(call_);
  ASSERT_FALSE(followed);
  EXPECT_EQ(followed.error().code, ErrorCode::Conflict);
}

}  // namespace
}  // namespace kbase::runtime
