// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_completions.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <thread>
#include <vector>

#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using ports::UserReply;

/// A user lookup that blocks until the test releases it.
class BlockingUsers final : public ports::CodeHostUsers {
 public:
  std::optional<UserReply> find_cached(std::string_view username) override {
    return UserReply{"kept " + std::string(username), {}};
  }
  Result<UserReply> look_up(ports::Call& call, const ports::ExternalClient&, std::string_view username) override {
    ++look_ups;
    most_at_once = std::max(most_at_once.load(), ++at_once);
    const bool is_late = call.deadline <= std::chrono::steady_clock::now();
    if (username == "blocked" && !is_late) gate.get_future().wait();
    --at_once;
    return UserReply{is_late ? "late" : std::string(username), {}};
  }

  std::promise<void> gate;
  std::atomic<int> look_ups{0}, at_once{0}, most_at_once{0};
};

class CoalescedLookUps : public testing::Test {
 protected:
  Result<UserReply> look_up(std::string_view username, std::chrono::milliseconds within) {
    ports::Call call{std::chrono::steady_clock::now() + within, {}, {}};
    return look_ups_.look_up(call, {}, username);
  }
  /// Starts a lookup that blocks until the gate opens.
  std::future<void> start_blocked() {
    auto blocked = std::async(std::launch::async, [this] { ASSERT_TRUE(look_up("blocked", std::chrono::hours(1))); });
    while (users_.look_ups == 0) std::this_thread::yield();
    return blocked;
  }

  BlockingUsers users_;
  runtime::CoalescedLookUps look_ups_{users_};
};

TEST_F(CoalescedLookUps, SendsOneLookUpPerUserAtATime) {
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([this] {
      for (int round = 0; round < 200; ++round) EXPECT_EQ(look_up("ada", std::chrono::hours(1))->text, "ada");
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(users_.look_ups, 1600);
  EXPECT_EQ(users_.most_at_once, 1);
}

TEST_F(CoalescedLookUps, DoesNotDelayLookUpsOfOtherUsers) {
  const auto blocked = start_blocked();
  EXPECT_EQ(look_up("ada", std::chrono::hours(1))->text, "ada");
  EXPECT_EQ(look_ups_.find_cached("blocked")->text, "kept blocked") << "nor a caller that does not wait";
  users_.gate.set_value();
}

TEST_F(CoalescedLookUps, WaitsNoLongerThanTheDeadline) {
  const auto blocked = start_blocked();
  EXPECT_EQ(look_up("blocked", std::chrono::milliseconds(20))->text, "late") << "an older answer may be returned";
  users_.gate.set_value();
}

TEST_F(CoalescedLookUps, WaitsForNoCancelledLookUp) {
  const auto blocked = start_blocked();
  const std::atomic<bool> gone{true};
  ports::Call cancelled{std::chrono::steady_clock::now() + std::chrono::hours(1), &gone, {}};
  EXPECT_TRUE(failed(look_ups_.look_up(cancelled, {}, "blocked"), ErrorCode::Cancelled));
  EXPECT_EQ(users_.look_ups, 1);
  users_.gate.set_value();
}

}  // namespace
}  // namespace kbase::tests
