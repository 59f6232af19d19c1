// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/refusal_log.hpp"

#include <gtest/gtest.h>

#include <future>

#include "plugins/conformance/fixtures.hpp"
#include "tests/runtime/guarded_rate_limit_store_fixture.hpp"

namespace kbase::runtime {
namespace {

using namespace std::chrono_literals;
using Timing = http::Executor::Timing;

/// A pool whose only thread is blocked until the end of the test, and whose queue holds one work item.
class Refusals : public testing::Test {
 protected:
  Refusals() {
    std::promise<void> started;
    EXPECT_TRUE(pool_.try_submit([&](Timing) {
      started.set_value();
      end_.get_future().wait();
    }));
    started.get_future().wait();
    EXPECT_TRUE(submit());
  }
  ~Refusals() override { end_.set_value(); }

  bool submit() {
    return pool_.try_submit([](Timing) {});
  }
  void update() { refusals_.update(log_, clock_.steady()); }
  std::size_t messages() const { return log_.names.size(); }

  conformance::ManualClock clock_;
  tests::EventNames log_;

 private:
  std::promise<void> end_;
  WorkerPool pool_{1, {1, 100ms}, clock_};
  RefusalLog refusals_{"work", pool_};
};

TEST_F(Refusals, AreLogged) {
  update();
  EXPECT_EQ(messages(), 0u);
  EXPECT_FALSE(submit());
  update();
  EXPECT_EQ(log_.names, std::vector<std::string>{"http.overloaded"});
}

TEST_F(Refusals, AreLoggedAtMostOncePerMinute) {
  EXPECT_FALSE(submit());
  update();
  EXPECT_FALSE(submit());
  clock_.advance(59s);
  update();
  EXPECT_EQ(messages(), 1u);
  clock_.advance(1s);
  update();
  EXPECT_EQ(messages(), 2u);
  clock_.advance(1min);
  update();
  EXPECT_EQ(messages(), 2u) << "nothing happened since the last message";
}

TEST_F(Refusals, IncludeLateWork) {
  clock_.advance(1001ms);
  EXPECT_FALSE(submit());
  update();
  EXPECT_EQ(messages(), 1u);
}

}  // namespace
}  // namespace kbase::runtime
