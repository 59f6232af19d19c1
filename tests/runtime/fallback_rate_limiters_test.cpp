// SPDX-License-Identifier: Apache-2.0
// The fallback for an unavailable rate limiter, and the requests that have no fallback.
#include "app/runtime/guarded_rate_limit_store.hpp"

#include "plugins/conformance/suites.hpp"
#include "tests/runtime/guarded_rate_limit_store_fixture.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using ports::AcquireRequest;
using ports::Decision;

TEST_F(GuardedRateLimitStore, NeverUsesTheFallbackForAnExactCharge) {
  ports::Call call;
  EXPECT_EQ(acquire(call, AcquireRequest::Mode::ChargeExactly)->minute.remaining, 7u);
  remote_.failure = unavailable();
  remote_.failure->retry_after = 7s;
  const auto refused = acquire(call, AcquireRequest::Mode::ChargeExactly);
  ASSERT_TRUE(failed(refused, ErrorCode::Unavailable));
  EXPECT_EQ(refused.error().retry_after, 7s);
  EXPECT_EQ(fallback_decisions_.value, 0u);
  make_unavailable();
  const int acquires = remote_.acquires;
  EXPECT_TRUE(failed(acquire(call, AcquireRequest::Mode::ChargeExactly), ErrorCode::Unavailable));
  EXPECT_EQ(remote_.acquires, acquires) << "no caller waits for an unavailable store";
  remote_.failure.reset();
  guard_.check_health();
  EXPECT_TRUE(acquire(call, AcquireRequest::Mode::ChargeExactly));
  EXPECT_TRUE(guard_.is_available()) << "a successful charge proves that the store counts";
}

TEST_F(GuardedRateLimitStore, AdjustsInTheLimiterThatCharged) {
  const auto request_with = [](AcquireRequest::Mode mode) { return AcquireRequest{{1}, 5, mode, kLimits, {}}; };
  const Decision charged{true, {}, {1, clock_.now() + 12h}, Decision::Account::Own};
  ports::Call call;
  EXPECT_TRUE(succeeded(guard_.adjust(call, request_with(AcquireRequest::Mode::ChargeExactly), charged, 3)));
  EXPECT_EQ(remote_.last_used, 3u);
  EXPECT_TRUE(succeeded(guard_.adjust(call, request_with(AcquireRequest::Mode::Charge), charged, 4)));
  EXPECT_EQ(remote_.adjusted, 1) << "it is unknown whether the store or the fallback charged this";
}

TEST_F(GuardedRateLimitStore, AdjustsTheFallbackTogetherWithTheStore) {
  ports::Call call;
  const AcquireRequest request{{1}, 5, AcquireRequest::Mode::ChargeExactly, kLimits, {}};
  Decision decision;
  const AcquireRequest* const requests[] = {&request};
  Decision* const answers[] = {&decision};
  ASSERT_TRUE(succeeded(guard_.acquire(call, requests, answers)));
  decision.day.reset = model::Instant(model::day_of(clock_.now()) + std::chrono::days(1));
  ASSERT_TRUE(succeeded(guard_.adjust(call, request, decision, 1)));
  make_unavailable();
  EXPECT_EQ(this->acquire(call, AcquireRequest::Mode::Peek)->day.remaining, 1000u - 1 - 5)
      << "1 of the estimate, and five acquires";
}

TEST_F(GuardedRateLimitStore, KeepsEstimatesChargedWhileTheStoreIsUnavailable) {
  const AcquireRequest request{{1}, 5, AcquireRequest::Mode::ChargeExactly, kLimits, {}};
  const Decision charged{true, {}, {1, clock_.now() + 12h}, Decision::Account::Own};
  ports::Call call;
  remote_.failure = unavailable();
  EXPECT_TRUE(failed(guard_.adjust(call, request, charged, 3), ErrorCode::Unavailable));
  EXPECT_EQ(remote_.adjusted, 1) << "it is not sent again: the store may have applied it";
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(guard_.adjust(call, request, charged, 3));
  EXPECT_FALSE(guard_.is_available()) << "a failed adjust counts like a failed charge";
  EXPECT_TRUE(failed(guard_.adjust(call, request, charged, 3), ErrorCode::Unavailable));
  EXPECT_EQ(remote_.adjusted, 5) << "no caller waits for an unavailable store";
}

TEST_F(GuardedRateLimitStore, CountsNoFailureOfAStoreThatDoesNotSupportAdjust) {
  const AcquireRequest request{{1}, 5, AcquireRequest::Mode::ChargeExactly, kLimits, {}};
  const Decision charged{true, {}, {1, clock_.now() + 12h}, Decision::Account::Own};
  ports::Call call;
  remote_.failure = Error{ErrorCode::Unsupported, "it settles nothing"};
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(failed(guard_.adjust(call, request, charged, 3), ErrorCode::Unsupported));
  EXPECT_TRUE(guard_.is_available());
}

TEST(FallbackRateLimiters, AllowOrDeny) {
  conformance::ManualClock clock;
  const AcquireRequest question{{1}, 1, AcquireRequest::Mode::Charge, kLimits, {}};
  const AcquireRequest* const requests[] = {&question};
  Decision answer;
  Decision* const decisions[] = {&answer};
  ports::Call call;
  runtime::AllowingRateLimitStore allowing(clock);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(succeeded(allowing.acquire(call, requests, decisions)));
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.minute.remaining, 10u);
  EXPECT_EQ(answer.day.remaining, 1000u);
  runtime::DenyingRateLimitStore denying;
  EXPECT_TRUE(failed(denying.acquire(call, requests, decisions), ErrorCode::Unavailable));
}

/// An unavailable rate limiter guarded by a local fallback. The fallback's decisions must obey the same rules as any
/// store. The suite does not test adjust(): the fallback does not adjust estimates.
class DegradedFixture final : public conformance::RateLimitStoreFixture {
 public:
  DegradedFixture() {
    remote_.now = [this] { return clock.steady(); };
    remote_.failure = unavailable();
    remote_.is_healthy = true;
    remote_.is_shared = false;  // not shared, so a check can fill it without other servers
  }
  ports::RateLimitStore& port() override { return guard_; }
  bool reopen() override { return false; }

 private:
  EventNames log_;
  Count failures_;
  Count fallback_decisions_;
  RemoteRateLimiter remote_;
  memory::MemoryRateLimitStore local_{clock, {.max_clients = 25'000}};
  runtime::GuardedRateLimitStore guard_{{remote_, local_, clock, log_, failures_, fallback_decisions_}, 50ms};
};

const bool kRegistered = register_contract<conformance::RateLimitStoreFixture>(
    "DegradedRateLimitStore", conformance::rate_limit_acquire_suite(),
    [] { return std::make_unique<DegradedFixture>(); });

}  // namespace
}  // namespace kbase::tests
