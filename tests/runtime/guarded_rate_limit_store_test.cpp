// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/guarded_rate_limit_store.hpp"

#include <latch>
#include <thread>

#include "tests/runtime/guarded_rate_limit_store_world.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;
using ports::AcquireRequest;
using ports::Decision;

TEST_F(GuardedRateLimitStore, GivesAStoreThatItTriesTheWholeTime) {
  send_away();
  far_.trouble.reset();
  guard_.check_health();
  ASSERT_TRUE(acquire());
  EXPECT_EQ(far_.timeout.load(), 50ms) << "one that is well but slow comes back";
  EXPECT_TRUE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, IsTheStoreWhileThatAnswers) {
  EXPECT_EQ(acquire()->minute.remaining, 7u);
  EXPECT_EQ(far_.timeout.load(), 50ms);
  EXPECT_TRUE(guard_.capabilities().shared);
  EXPECT_FALSE(guard_.capabilities().inline_calls);
  EXPECT_EQ(without_.value, 0u);
}

TEST_F(GuardedRateLimitStore, AnswersFromTheFallbackWhereTheStoreFails) {
  far_.trouble = away();
  EXPECT_EQ(acquire()->minute.remaining, 9u) << "a rate limiter of its own counts";
  EXPECT_EQ(failures_.value, 1u);
  EXPECT_EQ(without_.value, 1u);
  EXPECT_EQ(far_.asked, 1) << "a take that may have been charged is never sent again";
}

TEST_F(GuardedRateLimitStore, GoesOnInTheFallbackFromWhatTheStoreLetIn) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(acquire());
  ports::Call call;
  ASSERT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
  far_.allows = false;
  ASSERT_FALSE(acquire()->allowed);
  EXPECT_EQ(without_.value, 0u);
  far_.trouble = away();
  EXPECT_EQ(acquire()->minute.remaining, 6u) << "three were let in; looks and denials took nothing";
}

TEST_F(GuardedRateLimitStore, AsksNoMoreAfterFiveFailuresInARow) {
  send_away();
  EXPECT_EQ(far_.asked, 5);
  EXPECT_EQ(acquire()->minute.remaining, 4u);
  EXPECT_EQ(far_.asked, 5);
  EXPECT_EQ(log_.names, std::vector<std::string>{"rate_limit.unavailable"})
      << "one line for the change, not one for each request";
}

TEST_F(GuardedRateLimitStore, ForgetsFailuresThatAnAnswerInterrupts) {
  for (int round = 0; round < 3; ++round) {
    far_.trouble = away();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(acquire());
    far_.trouble.reset();
    EXPECT_EQ(acquire()->minute.remaining, 7u);
  }
  EXPECT_TRUE(guard_.is_available());
  EXPECT_TRUE(log_.names.empty());
}

TEST_F(GuardedRateLimitStore, KeepsAStoreThatFailsAProbeNowAndThen) {
  for (int hour = 0; hour < 20; ++hour) {
    far_.trouble = away();
    guard_.check_health();
    far_.trouble.reset();
    guard_.check_health();
  }
  EXPECT_TRUE(guard_.is_available()) << "twenty failures, no two in a row";
}

TEST_F(GuardedRateLimitStore, KeepsAStoreThatFailsALookNowAndThen) {
  ports::Call call;
  for (int hour = 0; hour < 20; ++hour) {
    far_.trouble = away();
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
    far_.trouble.reset();
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
  }
  EXPECT_TRUE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, CountsFailuresInARowOfEachWayItAsksByItself) {
  ports::Call call;
  far_.trouble = away();
  for (int i = 0; i < 4; ++i) {
    guard_.check_health();
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
    EXPECT_TRUE(acquire());
  }
  EXPECT_TRUE(guard_.is_available());
  EXPECT_EQ(far_.timeout.load(), 12ms) << "a fourth of the time, whatever failed besides";
  EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
  EXPECT_FALSE(guard_.is_available()) << "the fifth look";
}

TEST_F(GuardedRateLimitStore, LetsNoAnswerHideThatTheStoreDoesNotCount) {
  ports::Call call;
  for (int i = 0; i < 5; ++i) {  // like a full store
    far_.trouble.reset();
    guard_.check_health();
    EXPECT_EQ(acquire(call, AcquireRequest::Mode::Peek)->minute.remaining, 7u);
    EXPECT_TRUE(guard_.is_available());
    far_.trouble = away();
    EXPECT_TRUE(acquire());
  }
  EXPECT_FALSE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, TakesAChargeForProofOfAllThatTheOtherWaysProve) {
  ports::Call call;
  for (int i = 0; i < 10; ++i) {
    far_.trouble = away();
    guard_.check_health();
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
    far_.trouble.reset();
    EXPECT_TRUE(acquire());
  }
  EXPECT_TRUE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, BeginsAllRowsAnewWhenTheStoreIsBack) {
  ports::Call call;
  far_.trouble = away();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
  send_away();
  far_.trouble.reset();
  guard_.check_health();
  guard_.check_health();
  ASSERT_TRUE(guard_.is_available());
  far_.trouble = away();
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
    EXPECT_TRUE(acquire());
  }
  EXPECT_TRUE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, SaysWhenToComeBackAsTheStoreKnowsIt) {
  runtime::DenyingRateLimitStore deny;
  runtime::GuardedRateLimitStore guard{{far_, deny, clock_, log_, failures_, without_}, 50ms};
  const auto told = [&] {
    const AcquireRequest question{{1}, 1, AcquireRequest::Mode::Charge, kLimits, {}};
    Decision answer;
    const AcquireRequest* const requests[] = {&question};
    Decision* const decisions[] = {&answer};
    ports::Call call;
    const auto asked = guard.acquire(call, requests, decisions);
    return asked ? 0ms : asked.error().retry_after;
  };
  far_.trouble = away();
  EXPECT_EQ(told(), 1s) << "the store did not say: after the next probe";
  far_.trouble->retry_after = 30s;
  EXPECT_EQ(told(), 30s);
  clock_.advance(12s);
  for (int i = 0; i < 5; ++i) guard.check_health();
  ASSERT_FALSE(guard.is_available());
  clock_.advance(12s);
  EXPECT_EQ(told(), 18s) << "it is not asked, and was to be back 30 s after its last failure";
  clock_.advance(20s);
  EXPECT_EQ(told(), 1s);
}

TEST_F(GuardedRateLimitStore, TakesALookForNoProofThatTheStoreCounts) {
  send_away();
  far_.trouble.reset();
  guard_.check_health();
  ports::Call call;
  EXPECT_EQ(acquire(call, AcquireRequest::Mode::Peek)->minute.remaining, 7u);
  EXPECT_FALSE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, WaitsLessTheMoreOftenTheStoreFailed) {
  far_.trouble = away();
  std::vector<std::chrono::nanoseconds> waits;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(acquire());
    waits.push_back(far_.timeout.load());
  }
  EXPECT_EQ(waits, (std::vector<std::chrono::nanoseconds>{50ms, 25ms, 16ms, 12ms, 10ms}));
}

TEST_F(GuardedRateLimitStore, NeverWaitsForLongerThanTheCaller) {
  ports::Call call;
  call.deadline = clock_.steady() + 20ms;
  ASSERT_TRUE(acquire(call));
  EXPECT_EQ(far_.timeout.load(), 20ms);
}

TEST_F(GuardedRateLimitStore, BlamesNobodyForACallerWhoGaveUp) {
  std::atomic<bool> gone{true};
  far_.trouble = model::Error{ErrorCode::Cancelled, "cancelled", {}, {}, {}};
  for (int i = 0; i < 10; ++i) {
    ports::Call call;
    call.cancel = &gone;
    EXPECT_TRUE(failed(acquire(call), ErrorCode::Cancelled));
  }
  EXPECT_TRUE(guard_.is_available());
  EXPECT_EQ(without_.value, 0u);
}

TEST_F(GuardedRateLimitStore, TriesAStoreWhoseHealthIsGoodAgain) {
  send_away();
  guard_.check_health();
  EXPECT_FALSE(guard_.is_available());
  far_.trouble.reset();
  clock_.advance(3s);
  guard_.check_health();
  EXPECT_EQ(acquire()->minute.remaining, 7u);
  EXPECT_TRUE(guard_.is_available());
  EXPECT_EQ(log_.names, (std::vector<std::string>{"rate_limit.unavailable", "rate_limit.recovered"}));
}

TEST_F(GuardedRateLimitStore, IsBackWithoutARequestAfterTwoGoodProbes) {
  send_away();
  far_.trouble.reset();
  guard_.check_health();
  guard_.check_health();
  EXPECT_TRUE(guard_.is_available());
  EXPECT_EQ(far_.asked, 5);
}

TEST_F(GuardedRateLimitStore, SendsAwayAtOnceAStoreThatFailsWhenTried) {
  // A full store is healthy but does not count.
  send_away();
  for (int round = 0; round < 3; ++round) {
    far_.trouble.reset();
    guard_.check_health();
    far_.trouble = away();
    ASSERT_TRUE(acquire());
    const int asked = far_.asked;
    ASSERT_TRUE(acquire());
    EXPECT_EQ(far_.asked, asked);
  }
  EXPECT_EQ(log_.names, std::vector<std::string>{"rate_limit.unavailable"}) << "it was away all the time";
}

TEST_F(GuardedRateLimitStore, LearnsFromProbesWhileNobodyAsks) {
  far_.trouble = away();
  for (int i = 0; i < 5; ++i) guard_.check_health();
  EXPECT_FALSE(guard_.is_available());
  EXPECT_EQ(far_.asked, 0);
}

TEST_F(GuardedRateLimitStore, CancelsWhatWaitsForAStoreThatIsAway) {
  std::latch waiting(2);
  far_.on_take = [&](ports::Call& call) {
    if (far_.asked > 1) return;
    waiting.count_down();
    while (!call.cancelled()) std::this_thread::yield();  // like a store that hangs
  };
  far_.trouble = model::Error{ErrorCode::Cancelled, "cancelled", {}, {}, {}};
  std::thread frozen([&] { EXPECT_EQ(acquire()->minute.remaining, 9u) << "the fallback answers"; });
  waiting.arrive_and_wait();
  far_.trouble = away();
  for (int i = 0; i < 5; ++i) guard_.check_health();
  frozen.join();
}

}  // namespace
}  // namespace kbase::tests
