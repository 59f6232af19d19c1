// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_follower.hpp"

#include <gtest/gtest.h>

#include "tests/runtime/leasing_store.hpp"
#include "tests/support/counting_random.hpp"

namespace kbase::tests {
namespace {

using runtime::IndexWriteLease;

class FeedingLeaseTest : public testing::Test {
 protected:
  /// Returns the lease object of one more process.
  std::unique_ptr<IndexWriteLease> process() {
    auto made = IndexWriteLease::make({store_.port(), index_.port(), clock_, random_});
    EXPECT_TRUE(succeeded(made));
    return *std::move(made);
  }

  conformance::ManualClock clock_;
  CountingRandom random_;
  LeasingStore store_{clock_};
  SharedIndex index_;
  ports::Call call_;
};

TEST_F(FeedingLeaseTest, IsNotNeededForAnIndexOfOneServer) {
  index_.of_one_server();
  EXPECT_EQ(process(), nullptr);
}

TEST_F(FeedingLeaseTest, RefusesAStoreWithoutLeases) {
  store_.without_leases();
  const auto made = IndexWriteLease::make({store_.port(), index_.port(), clock_, random_});
  ASSERT_TRUE(failed(made, ErrorCode::Unsupported));
  EXPECT_NE(made.error().message.find("storage"), std::string::npos);
}

TEST_F(FeedingLeaseTest, IsHeldByOneProcessAtATime) {
  const auto first = process();
  const auto second = process();
  {
    const auto held = first->acquire(call_);
    ASSERT_TRUE(succeeded(held));
    EXPECT_TRUE((*held)->is_held());
    EXPECT_TRUE(failed(second->acquire(call_), ErrorCode::Conflict));
  }
  EXPECT_EQ(store_.owner(), "") << "it is released";
  EXPECT_TRUE(succeeded(second->acquire(call_)));
}

TEST_F(FeedingLeaseTest, IsHeldByOneThreadOfAProcess) {
  const auto lease = process();
  const auto held = lease->acquire(call_);
  ASSERT_TRUE(succeeded(held));
  std::thread([&] { EXPECT_TRUE(failed(lease->acquire(call_), ErrorCode::Conflict)); }).join();
}

TEST_F(FeedingLeaseTest, IsValidOnlyForTheDurationThatTheStoreReturned) {
  const auto lease = process();
  const auto held = lease->acquire(call_);
  ASSERT_TRUE(succeeded(held));
  store_.go_away();
  clock_.advance(IndexWriteLease::kTimeToLive - std::chrono::milliseconds(1));
  EXPECT_TRUE((*held)->is_held());
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_FALSE((*held)->is_held());
}

TEST_F(FeedingLeaseTest, ExpiresIfItsHolderDies) {
  const auto other = process();
  const auto dead = process();
  auto held = dead->acquire(call_);
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(failed(other->acquire(call_), ErrorCode::Conflict));
  clock_.advance(IndexWriteLease::kTimeToLive);
  EXPECT_TRUE(succeeded(other->acquire(call_)));
  EXPECT_FALSE((*held)->is_held());
}

TEST_F(FeedingLeaseTest, ReportsWhyTheStoreDoesNotAnswer) {
  const auto lease = process();
  store_.go_away();
  EXPECT_TRUE(failed(lease->acquire(call_), ErrorCode::Unavailable));
}

}  // namespace
}  // namespace kbase::tests
