// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>

#include "plugins/conformance/fixtures.hpp"

namespace kbase::runtime {
namespace {

using namespace std::chrono_literals;
using Timing = http::Executor::Timing;

constexpr QueueLimits kLimits{4, 100ms};

/// A pool with one thread, blocked by its first work until release().
class BlockedPool : public testing::Test {
 protected:
  BlockedPool() {
    std::promise<void> started;
    EXPECT_TRUE(pool.try_submit([&](Timing) {
      started.set_value();
      released_.get_future().wait();
    }));
    started.get_future().wait();
  }

  bool submit() {
    const std::size_t index = timings_.size();
    timings_.emplace_back();
    return pool.try_submit([this, index](Timing timing) { timings_[index].set_value(timing); });
  }
  void release() { released_.set_value(); }

  /// Requires that no work was submitted before.
  void overload() {
    EXPECT_TRUE(submit());
    EXPECT_TRUE(submit());
    clock.advance(101ms);
    pool.fail_late();
    EXPECT_TRUE(pool.stats().is_overloaded);
  }

  /// Submits work that blocks the thread again, until unblock().
  bool submit_blocking() {
    return pool.try_submit([this](Timing) {
      blocked_again_.set_value();
      unblocked_.get_future().wait();
    });
  }
  void wait_until_blocked_again() { blocked_again_.get_future().wait(); }
  void unblock() { unblocked_.set_value(); }
  Timing timing(std::size_t index) { return timings_[index].get_future().get(); }

  conformance::ManualClock clock;

 private:
  std::promise<void> released_, blocked_again_, unblocked_;
  std::deque<std::promise<Timing>> timings_;

 protected:
  WorkerPool pool{1, kLimits, clock};
};

TEST(WorkerPool, RunsSubmittedWork) {
  conformance::ManualClock clock;
  std::promise<Timing> timing;
  WorkerPool pool(1, kLimits, clock);
  ASSERT_TRUE(pool.try_submit([&](Timing given) { timing.set_value(given); }));
  EXPECT_EQ(timing.get_future().get(), Timing::OnTime);
}

TEST_F(BlockedPool, NeitherRefusesNorFailsPromisedWork) {
  std::promise<Timing> promised;
  while (submit()) continue;
  EXPECT_FALSE(pool.has_free_thread());
  pool.submit([&](Timing timing) { promised.set_value(timing); });
  clock.advance(kLimits.time * 10);
  pool.fail_late();
  release();
  EXPECT_EQ(promised.get_future().get(), Timing::OnTime);
}

TEST(WorkerPool, FinishesItsQueueBeforeItIsDestroyed) {
  conformance::ManualClock clock;
  std::atomic<int> done{0};
  {
    WorkerPool pool(2, {100, 100ms}, clock);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.try_submit([&](Timing) { ++done; }));
  }
  EXPECT_EQ(done, 100);
}

TEST_F(BlockedPool, FailsLateWorkWhileAllThreadsAreBlocked) {
  ASSERT_TRUE(submit());
  pool.fail_late();
  clock.advance(1001ms);
  pool.fail_late();
  EXPECT_EQ(timing(0), Timing::TooLate);
  EXPECT_EQ(pool.stats().late, 1u);
  release();
}

class RecordedWaits final : public ports::Histogram {
 public:
  void observe(double seconds) noexcept override { seconds_ = seconds; }
  double last() const { return seconds_; }

 private:
  std::atomic<double> seconds_{-1};
};

TEST(WorkerPool, MeasuresTheTimeInTheQueue) {
  conformance::ManualClock clock;
  RecordedWaits waits;
  std::promise<void> started;
  std::promise<void> release;
  {
    WorkerPool pool(1, {100, 100ms}, clock, &waits);
    ASSERT_TRUE(pool.try_submit([&](Timing) {
      started.set_value();
      release.get_future().wait();
    }));
    started.get_future().wait();
    EXPECT_EQ(waits.last(), 0);
    ASSERT_TRUE(pool.try_submit([](Timing) {}));
    clock.advance(7ms);
    release.set_value();
  }
  EXPECT_DOUBLE_EQ(waits.last(), 0.007);
}

TEST_F(BlockedPool, RejectsWorkWhenTheQueueIsFull) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(submit());
  EXPECT_FALSE(submit());
  EXPECT_EQ(pool.stats().queued, 4u);
  EXPECT_EQ(pool.stats().busy, 1u);
  EXPECT_EQ(pool.stats().refused, 1u);
  release();
}

TEST_F(BlockedPool, LetsWorkWaitForASecondWhileNoMoreWaitsThanThereAreThreads) {
  EXPECT_TRUE(submit());
  clock.advance(1000ms);
  pool.fail_late();
  release();
  EXPECT_EQ(timing(0), Timing::OnTime);
  EXPECT_EQ(pool.stats().late, 0u);
}

TEST_F(BlockedPool, FailsWorkThatWaitedForMoreThanASecond) {
  EXPECT_TRUE(submit());
  clock.advance(1001ms);
  EXPECT_FALSE(submit());
  EXPECT_EQ(timing(0), Timing::TooLate);
  release();
}

TEST_F(BlockedPool, RunsABurstThatWaitedNoLongerThanABurstIsAllowedTo) {
  EXPECT_TRUE(submit());
  EXPECT_TRUE(submit());
  clock.advance(100ms);
  EXPECT_TRUE(submit());
  release();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(timing(i), Timing::OnTime);
}

TEST_F(BlockedPool, IsOverloadedWhenMoreWorkThanThereAreThreadsWaitedTooLong) {
  EXPECT_TRUE(submit());
  EXPECT_TRUE(submit());
  clock.advance(101ms);
  EXPECT_FALSE(submit());
  EXPECT_EQ(timing(0), Timing::TooLate);
  EXPECT_EQ(timing(1), Timing::TooLate) << "in overload, a fifth of the time is too long";
  EXPECT_TRUE(pool.stats().is_overloaded);
  release();
}

TEST_F(BlockedPool, StaysInOverloadWhileWorkIsLate) {
  overload();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(submit());
    clock.advance(21ms);
    EXPECT_FALSE(submit());
  }
  EXPECT_TRUE(pool.stats().is_overloaded);
  release();
}

TEST_F(BlockedPool, LimitsTheWaitInOverloadToAFifth) {
  EXPECT_TRUE(submit());
  clock.advance(90ms);
  EXPECT_TRUE(submit());
  clock.advance(11ms);  // the second work has waited for 11 ms
  release();
  EXPECT_EQ(timing(0), Timing::TooLate);
  EXPECT_EQ(timing(1), Timing::OnTime);
}

/// Closed-loop callers keep every thread busy but hardly wait: work reaches a thread soon although no thread is ever
/// idle. One pause in which all of them wait is a burst, not an overload.
TEST_F(BlockedPool, IsNotOverloadedWhileWorkStartsSoonAlthoughNoThreadIsFree) {
  EXPECT_TRUE(submit());
  EXPECT_TRUE(submit_blocking());
  EXPECT_TRUE(submit());
  EXPECT_TRUE(submit());
  clock.advance(5ms);
  release();
  wait_until_blocked_again();
  clock.advance(96ms);
  EXPECT_FALSE(submit());
  EXPECT_EQ(timing(1), Timing::TooLate);
  EXPECT_FALSE(pool.stats().is_overloaded);
  unblock();
  EXPECT_EQ(timing(2), Timing::OnTime);
}

/// During an overload, work reaches a thread soon because the queue is kept short. That does not end the overload.
TEST_F(BlockedPool, StaysInOverloadAlthoughWorkStartsSoon) {
  overload();
  EXPECT_TRUE(submit_blocking());
  clock.advance(2ms);
  release();
  wait_until_blocked_again();
  EXPECT_TRUE(submit());
  clock.advance(21ms);
  EXPECT_FALSE(submit());
  EXPECT_TRUE(pool.stats().is_overloaded);
  unblock();
}

TEST(WorkerPool, IsNotOverloadedAfterAnIdlePeriod) {
  conformance::ManualClock clock;
  std::promise<void> started, goes_on;
  std::promise<Timing> timing;
  WorkerPool pool(1, kLimits, clock);
  clock.advance(101ms);
  pool.fail_late();
  EXPECT_TRUE(pool.try_submit([&](Timing) {
    started.set_value();
    goes_on.get_future().wait();
  }));
  started.get_future().wait();
  EXPECT_TRUE(pool.try_submit([&](Timing given) { timing.set_value(given); }));
  clock.advance(100ms);
  goes_on.set_value();
  EXPECT_EQ(timing.get_future().get(), Timing::OnTime);
}

TEST_F(BlockedPool, LeavesOverloadWhenNoWorkIsLateForTheLengthOfABurst) {
  overload();
  release();
  clock.advance(101ms);
  EXPECT_TRUE(submit_blocking());
  wait_until_blocked_again();
  EXPECT_FALSE(pool.stats().is_overloaded);
  EXPECT_TRUE(submit());
  clock.advance(1000ms);
  unblock();
  EXPECT_EQ(timing(2), Timing::OnTime);
}

}  // namespace
}  // namespace kbase::runtime
