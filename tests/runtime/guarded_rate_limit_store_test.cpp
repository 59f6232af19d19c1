// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/guarded_rate_limit_store.hpp"

#include <latch>
#include <thread>

#include "tests/runtime/guarded_rate_limit_store_fixture.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using ports::AcquireRequest;
using ports::Decision;

TEST_F(GuardedRateLimitStore, GivesATrialRequestTheFullTimeout) {
  make_unavailable();
  remote_.failure.reset();
  guard_.check_health();
  ASSERT_TRUE(acquire());
  EXPECT_EQ(remote_.timeout.load(), 50ms) << "a healthy but slow store is accepted again";
  EXPECT_TRUE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, UsesTheStoreWhileItAnswers) {
  EXPECT_EQ(acquire()->minute.remaining, 7u);
  EXPECT_EQ(remote_.timeout.load(), 50ms);
  EXPECT_TRUE(guard_.capabilities().shared);
  EXPECT_FALSE(guard_.capabilities().inline_calls);
  EXPECT_EQ(fallback_decisions_.value, 0u);
}

TEST_F(GuardedRateLimitStore, UsesTheFallbackIfTheStoreFails) {
  remote_.failure = unavailable();
  EXPECT_EQ(acquire()->minute.remaining, 9u) << "the fallback has its own counts";
  EXPECT_EQ(failures_.value, 1u);
  EXPECT_EQ(fallback_decisions_.value, 1u);
  EXPECT_EQ(remote_.acquires, 1) << "an acquire that may have been charged is never sent again";
}

TEST_F(GuardedRateLimitStore, ContinuesInTheFallbackFromTheCountsOfTheStore) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(acquire());
  ports::Call call;
  ASSERT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
  remote_.allows = false;
  ASSERT_FALSE(acquire()->allowed);
  EXPECT_EQ(fallback_decisions_.value, 0u);
  remote_.failure = unavailable();
  EXPECT_EQ(acquire()->minute.remaining, 6u) << "three were allowed; peeks and denials charge nothing";
}

TEST_F(GuardedRateLimitStore, StopsCallingTheStoreAfterFiveConsecutiveFailures) {
  make_unavailable();
  EXPECT_EQ(remote_.acquires, 5);
  EXPECT_EQ(acquire()->minute.remaining, 4u);
  EXPECT_EQ(remote_.acquires, 5);
  EXPECT_EQ(log_.names, std::vector<std::string>{"rate_limit.unavailable"})
      << "one line for the change, not one for each request";
}

TEST_F(GuardedRateLimitStore, ResetsTheFailureCountOnAnAnswer) {
  for (int round = 0; round < 3; ++round) {
    remote_.failure = unavailable();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(acquire());
    remote_.failure.reset();
    EXPECT_EQ(acquire()->minute.remaining, 7u);
  }
  EXPECT_TRUE(guard_.is_available());
  EXPECT_TRUE(log_.names.empty());
}

TEST_F(GuardedRateLimitStore, KeepsAStoreWithOccasionallyFailingHealthChecks) {
  for (int hour = 0; hour < 20; ++hour) {
    remote_.failure = unavailable();
    guard_.check_health();
    remote_.failure.reset();
    guard_.check_health();
  }
  EXPECT_TRUE(guard_.is_available()) << "twenty failures, but no two consecutive ones";
}

TEST_F(GuardedRateLimitStore, KeepsAStoreWithOccasionallyFailingPeeks) {
  ports::Call call;
  for (int hour = 0; hour < 20; ++hour) {
    remote_.failure = unavailable();
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
    remote_.failure.reset();
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
  }
  EXPECT_TRUE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, CountsConsecutiveFailuresOfEachKindOfCallSeparately) {
  ports::Call call;
  remote_.failure = unavailable();
  for (int i = 0; i < 4; ++i) {
    guard_.check_health();
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
    EXPECT_TRUE(acquire());
  }
  EXPECT_TRUE(guard_.is_available());
  EXPECT_EQ(remote_.timeout.load(), 12ms) << "a quarter of the timeout, whatever else failed";
  EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
  EXPECT_FALSE(guard_.is_available()) << "the fifth failed peek";
}

TEST_F(GuardedRateLimitStore, DetectsAStoreThatAnswersButDoesNotCount) {
  ports::Call call;
  for (int i = 0; i < 5; ++i) {  // like a full store
    remote_.failure.reset();
    guard_.check_health();
    EXPECT_EQ(acquire(call, AcquireRequest::Mode::Peek)->minute.remaining, 7u);
    EXPECT_TRUE(guard_.is_available());
    remote_.failure = unavailable();
    EXPECT_TRUE(acquire());
  }
  EXPECT_FALSE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, ResetsAllFailureCountsOnASuccessfulCharge) {
  ports::Call call;
  for (int i = 0; i < 10; ++i) {
    remote_.failure = unavailable();
    guard_.check_health();
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
    remote_.failure.reset();
    EXPECT_TRUE(acquire());
  }
  EXPECT_TRUE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, ResetsAllFailureCountsWhenTheStoreIsBack) {
  ports::Call call;
  remote_.failure = unavailable();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
  make_unavailable();
  remote_.failure.reset();
  guard_.check_health();
  guard_.check_health();
  ASSERT_TRUE(guard_.is_available());
  remote_.failure = unavailable();
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(acquire(call, AcquireRequest::Mode::Peek));
    EXPECT_TRUE(acquire());
  }
  EXPECT_TRUE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, ReturnsTheRetryTimeThatTheStoreReports) {
  runtime::DenyingRateLimitStore deny;
  runtime::GuardedRateLimitStore guard{{remote_, deny, clock_, log_, failures_, fallback_decisions_}, 50ms};
  const auto retry_time = [&] {
    const AcquireRequest request{{1}, 1, AcquireRequest::Mode::Charge, kLimits, {}};
    Decision decision;
    const AcquireRequest* const requests[] = {&request};
    Decision* const decisions[] = {&decision};
    ports::Call call;
    const auto result = guard.acquire(call, requests, decisions);
    return result ? 0ms : result.error().retry_after;
  };
  remote_.failure = unavailable();
  EXPECT_EQ(retry_time(), 1s) << "the store reports no time: after the next health check";
  remote_.failure->retry_after = 30s;
  EXPECT_EQ(retry_time(), 30s);
  clock_.advance(12s);
  for (int i = 0; i < 5; ++i) guard.check_health();
  ASSERT_FALSE(guard.is_available());
  clock_.advance(12s);
  EXPECT_EQ(retry_time(), 18s) << "it is not called; it reported 30 s at its last failure";
  clock_.advance(20s);
  EXPECT_EQ(retry_time(), 1s);
}

TEST_F(GuardedRateLimitStore, DoesNotAcceptAPeekAsProofThatTheStoreCounts) {
  make_unavailable();
  remote_.failure.reset();
  guard_.check_health();
  ports::Call call;
  EXPECT_EQ(acquire(call, AcquireRequest::Mode::Peek)->minute.remaining, 7u);
  EXPECT_FALSE(guard_.is_available());
}

TEST_F(GuardedRateLimitStore, ShortensTheTimeoutWithEachFailure) {
  remote_.failure = unavailable();
  std::vector<std::chrono::nanoseconds> waits;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(acquire());
    waits.push_back(remote_.timeout.load());
  }
  EXPECT_EQ(waits, (std::vector<std::chrono::nanoseconds>{50ms, 25ms, 16ms, 12ms, 10ms}));
}

TEST_F(GuardedRateLimitStore, NeverWaitsLongerThanTheCaller) {
  ports::Call call;
  call.deadline = clock_.steady() + 20ms;
  ASSERT_TRUE(acquire(call));
  EXPECT_EQ(remote_.timeout.load(), 20ms);
}

TEST_F(GuardedRateLimitStore, CountsNoFailureIfTheCallerGivesUp) {
  std::atomic<bool> gone{true};
  remote_.failure = Error{ErrorCode::Cancelled, "cancelled"};
  for (int i = 0; i < 10; ++i) {
    ports::Call call;
    call.cancel = &gone;
    EXPECT_TRUE(failed(acquire(call), ErrorCode::Cancelled));
  }
  EXPECT_TRUE(guard_.is_available());
  EXPECT_EQ(fallback_decisions_.value, 0u);
}

TEST_F(GuardedRateLimitStore, RetriesAStoreThatIsHealthyAgain) {
  make_unavailable();
  guard_.check_health();
  EXPECT_FALSE(guard_.is_available());
  remote_.failure.reset();
  clock_.advance(3s);
  guard_.check_health();
  EXPECT_EQ(acquire()->minute.remaining, 7u);
  EXPECT_TRUE(guard_.is_available());
  EXPECT_EQ(log_.names, (std::vector<std::string>{"rate_limit.unavailable", "rate_limit.recovered"}));
}

TEST_F(GuardedRateLimitStore, ReturnsToTheStoreAfterTwoSuccessfulHealthChecks) {
  make_unavailable();
  remote_.failure.reset();
  guard_.check_health();
  guard_.check_health();
  EXPECT_TRUE(guard_.is_available());
  EXPECT_EQ(remote_.acquires, 5);
}

TEST_F(GuardedRateLimitStore, AbandonsAStoreThatFailsItsTrialRequest) {
  // A full store is healthy but does not count.
  make_unavailable();
  for (int round = 0; round < 3; ++round) {
    remote_.failure.reset();
    guard_.check_health();
    remote_.failure = unavailable();
    ASSERT_TRUE(acquire());
    const int result = remote_.acquires;
    ASSERT_TRUE(acquire());
    EXPECT_EQ(remote_.acquires, result);
  }
  EXPECT_EQ(log_.names, std::vector<std::string>{"rate_limit.unavailable"}) << "it was unavailable all the time";
}

TEST_F(GuardedRateLimitStore, UsesHealthChecksWhileThereAreNoRequests) {
  remote_.failure = unavailable();
  for (int i = 0; i < 5; ++i) guard_.check_health();
  EXPECT_FALSE(guard_.is_available());
  EXPECT_EQ(remote_.acquires, 0);
}

TEST_F(GuardedRateLimitStore, CancelsCallsThatWaitForAnUnavailableStore) {
  std::latch waiting(2);
  remote_.on_acquire = [&](ports::Call& call) {
    if (remote_.acquires > 1) return;
    waiting.count_down();
    while (!call.cancelled()) std::this_thread::yield();  // like a store that hangs
  };
  remote_.failure = Error{ErrorCode::Cancelled, "cancelled"};
  std::thread frozen([&] { EXPECT_EQ(acquire()->minute.remaining, 9u) << "the fallback answers"; });
  waiting.arrive_and_wait();
  remote_.failure = unavailable();
  for (int i = 0; i < 5; ++i) guard_.check_health();
  frozen.join();
}

}  // namespace
}  // namespace kbase::tests
