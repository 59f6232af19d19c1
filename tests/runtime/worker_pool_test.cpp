// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace kbase::runtime {
namespace {

TEST(WorkerPool, RunsWhatItTook) {
  std::promise<int> answer;
  WorkerPool pool(1, 1);
  ASSERT_TRUE(pool.try_submit([&] { answer.set_value(42); }));
  EXPECT_EQ(answer.get_future().get(), 42);
}

TEST(WorkerPool, RefusesWhatItsQueueHasNoRoomFor) {
  std::promise<void> started, release;
  WorkerPool pool(1, 1);
  ASSERT_TRUE(pool.try_submit([&] {
    started.set_value();
    release.get_future().wait();
  }));
  started.get_future().wait();
  EXPECT_TRUE(pool.try_submit([] {}));
  EXPECT_FALSE(pool.try_submit([] {}));
  release.set_value();
}

TEST(WorkerPool, FinishesItsQueueBeforeItGoes) {
  std::atomic<int> done{0};
  {
    WorkerPool pool(2, 100);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.try_submit([&] { ++done; }));
  }
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace kbase::runtime
