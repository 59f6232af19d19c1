// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>

#include "plugins/conformance/manual_clock.hpp"

namespace kbase::runtime {
namespace {

using namespace std::chrono_literals;
using Timing = http::Executor::Timing;

constexpr QueueLimits kLimits{3, 100ms};

/// A pool with one thread, blocked by its first work until release().
class HeldPool : public testing::Test {
 protected:
  HeldPool() {
    std::promise<void> started;
    EXPECT_TRUE(pool.try_submit([&](Timing) {
      started.set_value();
      released_.get_future().wait();
    }));
    started.get_future().wait();
  }

  bool submit() {
    const std::size_t place = turns_.size();
    turns_.emplace_back();
    return pool.try_submit([this, place](Timing timing) { turns_[place].set_value(timing); });
  }
  void release() { released_.set_value(); }

  /// Submits work that blocks the thread again, until go_on().
  bool submit_held() {
    return pool.try_submit([this](Timing) {
      held_again_.set_value();
      goes_on_.get_future().wait();
    });
  }
  void wait_until_held_again() { held_again_.get_future().wait(); }
  void go_on() { goes_on_.set_value(); }
  Timing timing(std::size_t place) { return turns_[place].get_future().get(); }

  conformance::ManualClock clock;

 private:
  std::promise<void> released_, held_again_, goes_on_;
  std::deque<std::promise<Timing>> turns_;

 protected:
  WorkerPool pool{1, kLimits, clock};
};

TEST(WorkerPool, RunsWhatItTook) {
  conformance::ManualClock clock;
  std::promise<Timing> timing;
  WorkerPool pool(1, kLimits, clock);
  ASSERT_TRUE(pool.try_submit([&](Timing given) { timing.set_value(given); }));
  EXPECT_EQ(timing.get_future().get(), Timing::OnTime);
}

TEST(WorkerPool, FinishesItsQueueBeforeItGoes) {
  conformance::ManualClock clock;
  std::atomic<int> done{0};
  {
    WorkerPool pool(2, {100, 100ms}, clock);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.try_submit([&](Timing) { ++done; }));
  }
  EXPECT_EQ(done, 100);
}

TEST_F(HeldPool, TellsTheLateWhileAllThreadsAreHeldUp) {
  ASSERT_TRUE(submit());
  pool.fail_late();
  clock.advance(101ms);
  pool.fail_late();
  EXPECT_EQ(timing(0), Timing::TooLate);
  EXPECT_EQ(pool.stats().late, 1u);
  release();
}

class ToldWaits final : public ports::Histogram {
 public:
  void observe(double seconds) noexcept override { seconds_ = seconds; }
  double last() const { return seconds_; }

 private:
  std::atomic<double> seconds_{-1};
};

TEST(WorkerPool, TellsHowLongWorkWaited) {
  conformance::ManualClock clock;
  ToldWaits waits;
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

TEST_F(HeldPool, RefusesWhatItsQueueHasNoRoomFor) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(submit());
  EXPECT_FALSE(submit());
  EXPECT_EQ(pool.stats().queued, 3u);
  EXPECT_EQ(pool.stats().busy, 1u);
  EXPECT_EQ(pool.stats().refused, 1u);
  release();
}

TEST_F(HeldPool, RunsWhatWaitedNoLongerThanABurstMay) {
  EXPECT_TRUE(submit());
  clock.advance(100ms);
  EXPECT_TRUE(submit());
  release();
  EXPECT_EQ(timing(0), Timing::OnTime);
  EXPECT_EQ(timing(1), Timing::OnTime);
}

TEST_F(HeldPool, TellsWhatWaitedTooLongSo) {
  EXPECT_TRUE(submit());
  clock.advance(101ms);
  release();
  EXPECT_EQ(timing(0), Timing::TooLate);
  EXPECT_EQ(pool.stats().late, 1u);
}

TEST_F(HeldPool, RefusesAtTheDoorWhileTheOldestWaitsTooLongAndTellsIt) {
  EXPECT_TRUE(submit());
  clock.advance(101ms);
  EXPECT_FALSE(submit());
  EXPECT_EQ(timing(0), Timing::TooLate);
  release();
}

TEST_F(HeldPool, StaysInOverloadWhileWorkIsLate) {
  EXPECT_TRUE(submit());
  clock.advance(101ms);
  EXPECT_FALSE(submit());
  EXPECT_TRUE(submit());
  clock.advance(21ms);
  EXPECT_FALSE(submit());
  EXPECT_EQ(timing(2), Timing::TooLate);
  release();
}

TEST_F(HeldPool, LetsWorkWaitAFifthOfTheTimeInAQueueThatStands) {
  EXPECT_TRUE(submit());
  clock.advance(90ms);
  EXPECT_TRUE(submit());
  clock.advance(11ms);  // the queue has been non-empty for 101 ms; the second work has waited for 11 ms
  release();
  EXPECT_EQ(timing(0), Timing::TooLate);
  EXPECT_EQ(timing(1), Timing::OnTime);
}

/// Closed-loop callers keep every thread busy but hardly wait: work reaches a thread soon although no thread is ever
/// idle. One pause in which all of them wait is a burst, not an overload.
TEST_F(HeldPool, IsNotOverloadedWhileWorkMeetsAThreadSoonThoughNoneIsEverFree) {
  EXPECT_TRUE(submit());
  EXPECT_TRUE(submit_held());
  clock.advance(5ms);
  release();
  wait_until_held_again();
  EXPECT_TRUE(submit());
  clock.advance(98ms);
  EXPECT_TRUE(submit()) << "no thread has been free for 103 ms";
  go_on();
  EXPECT_EQ(timing(1), Timing::OnTime);
  EXPECT_EQ(timing(2), Timing::OnTime);
}

/// During an overload, work reaches a thread soon because the queue is kept short. That does not end the overload.
TEST_F(HeldPool, StaysInOverloadThoughWorkMeetsAThreadSoon) {
  clock.advance(101ms);
  EXPECT_TRUE(submit_held());
  clock.advance(2ms);
  release();
  wait_until_held_again();
  EXPECT_TRUE(submit());
  clock.advance(21ms);
  EXPECT_FALSE(submit());
  EXPECT_EQ(timing(0), Timing::TooLate);
  go_on();
}

TEST(WorkerPool, IsNotOverloadedForHavingHadNothingToDo) {
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

TEST_F(HeldPool, IsNoMoreOverloadedWhenNothingWasLateForAsLongAsABurstMayLast) {
  clock.advance(101ms);
  EXPECT_TRUE(submit());
  release();
  EXPECT_EQ(timing(0), Timing::OnTime);
  clock.advance(101ms);
  EXPECT_TRUE(submit_held());
  wait_until_held_again();
  EXPECT_TRUE(submit());
  clock.advance(100ms);
  go_on();
  EXPECT_EQ(timing(1), Timing::OnTime);
}

TEST_F(HeldPool, RefusesInAStandingQueueWhatABurstCouldWaitFor) {
  EXPECT_TRUE(submit());
  clock.advance(75ms);
  EXPECT_TRUE(submit());
  clock.advance(26ms);
  release();
  EXPECT_EQ(timing(0), Timing::TooLate);
  EXPECT_EQ(timing(1), Timing::TooLate);
}

}  // namespace
}  // namespace kbase::runtime
