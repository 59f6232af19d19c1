// SPDX-License-Identifier: Apache-2.0
// The fallback for an unavailable rate limiter, and the requests that have no fallback.
#include "app/runtime/guarded_rate_limit_store.hpp"

#include "plugins/conformance/suites.hpp"
#include "tests/runtime/guarded_rate_limit_store_world.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;
using ports::AcquireRequest;
using ports::Decision;

TEST_F(GuardedRateLimitStore, LetsNothingStandInForWhatIsToBeChargedExactly) {
  ports::Call call;
  EXPECT_EQ(acquire(call, AcquireRequest::Mode::ChargeExactly)->minute.remaining, 7u);
  far_.trouble = away();
  far_.trouble->retry_after = 7s;
  const auto refused = acquire(call, AcquireRequest::Mode::ChargeExactly);
  ASSERT_TRUE(failed(refused, ErrorCode::Unavailable));
  EXPECT_EQ(refused.error().retry_after, 7s);
  EXPECT_EQ(without_.value, 0u);
  send_away();
  const int asked = far_.asked;
  EXPECT_TRUE(failed(acquire(call, AcquireRequest::Mode::ChargeExactly), ErrorCode::Unavailable));
  EXPECT_EQ(far_.asked, asked) << "nobody waits for a store that is away";
  far_.trouble.reset();
  guard_.check_health();
  EXPECT_TRUE(acquire(call, AcquireRequest::Mode::ChargeExactly));
  EXPECT_TRUE(guard_.is_available()) << "it is a charge, and proves that the store counts";
}

TEST_F(GuardedRateLimitStore, SettlesWhereItWasCharged) {
  const auto take_of = [](AcquireRequest::Mode mode) { return AcquireRequest{{1}, 5, mode, kLimits, {}}; };
  const Decision charged{true, {}, {1, clock_.now() + 12h}, Decision::Account::Own};
  ports::Call call;
  EXPECT_TRUE(succeeded(guard_.adjust(call, take_of(AcquireRequest::Mode::ChargeExactly), charged, 3)));
  EXPECT_EQ(far_.last_used, 3u);
  EXPECT_TRUE(succeeded(guard_.adjust(call, take_of(AcquireRequest::Mode::Charge), charged, 4)));
  EXPECT_EQ(far_.settled, 1) << "who charged this is not known: the fallback may have";
}

TEST_F(GuardedRateLimitStore, GivesTheFallbackBackWhatTheStoreGetsBack) {
  ports::Call call;
  const AcquireRequest request{{1}, 5, AcquireRequest::Mode::ChargeExactly, kLimits, {}};
  Decision decision;
  const AcquireRequest* const requests[] = {&request};
  Decision* const answers[] = {&decision};
  ASSERT_TRUE(succeeded(guard_.acquire(call, requests, answers)));
  decision.day.reset = model::Instant(model::day_of(clock_.now()) + std::chrono::days(1));
  ASSERT_TRUE(succeeded(guard_.adjust(call, request, decision, 1)));
  send_away();
  EXPECT_EQ(this->acquire(call, AcquireRequest::Mode::Peek)->day.remaining, 1000u - 1 - 5)
      << "of the estimate 1, and five takes";
}

TEST_F(GuardedRateLimitStore, LeavesEstimatesChargedWhileTheStoreIsAway) {
  const AcquireRequest request{{1}, 5, AcquireRequest::Mode::ChargeExactly, kLimits, {}};
  const Decision charged{true, {}, {1, clock_.now() + 12h}, Decision::Account::Own};
  ports::Call call;
  far_.trouble = away();
  EXPECT_TRUE(failed(guard_.adjust(call, request, charged, 3), ErrorCode::Unavailable));
  EXPECT_EQ(far_.settled, 1) << "it is not sent again: the store may have done it";
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(guard_.adjust(call, request, charged, 3));
  EXPECT_FALSE(guard_.is_available()) << "a settlement is counted as a charge is";
  EXPECT_TRUE(failed(guard_.adjust(call, request, charged, 3), ErrorCode::Unavailable));
  EXPECT_EQ(far_.settled, 5) << "nobody waits for a store that is away";
}

TEST_F(GuardedRateLimitStore, BlamesNoStoreThatCannotSettle) {
  const AcquireRequest request{{1}, 5, AcquireRequest::Mode::ChargeExactly, kLimits, {}};
  const Decision charged{true, {}, {1, clock_.now() + 12h}, Decision::Account::Own};
  ports::Call call;
  far_.trouble = model::Error{ErrorCode::Unsupported, "it settles nothing", {}, {}, {}};
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
    far_.now = [this] { return clock.steady(); };
    far_.trouble = away();
    far_.is_healthy = true;
    far_.is_shared = false;  // not shared, so a check can fill it without other servers
  }
  ports::RateLimitStore& port() override { return guard_; }
  bool reopen() override { return false; }

 private:
  EventNames log_;
  Count failures_;
  Count without_;
  RemoteRateLimiter far_;
  memory::MemoryRateLimitStore local_{clock, {.max_clients = 25'000}};
  runtime::GuardedRateLimitStore guard_{{far_, local_, clock, log_, failures_, without_}, 50ms};
};

const bool kRegistered = register_contract<conformance::RateLimitStoreFixture>(
    "DegradedRateLimitStore", conformance::rate_limit_acquire_suite(),
    [] { return std::make_unique<DegradedFixture>(); });

}  // namespace
}  // namespace kbase::tests
