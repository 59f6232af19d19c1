// SPDX-License-Identifier: Apache-2.0
// What stands in for a ledger that is away, and what nothing stands in for.
#include "app/runtime/fallback_ledgers.hpp"

#include "plugins/conformance/rate_limit_store_suite.hpp"
#include "tests/runtime/guarded_ledger_world.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;
using ports::Take;
using ports::Taken;

TEST_F(GuardedLedger, LetsNothingStandInForWhatIsToBeChargedExactly) {
  ports::Call call;
  EXPECT_EQ(take(call, Take::Mode::ChargeExactly)->minute.remaining, 7u);
  far_.trouble = away();
  far_.trouble->retry_after = 7s;
  const auto refused = take(call, Take::Mode::ChargeExactly);
  ASSERT_TRUE(failed(refused, ErrorCode::Unavailable));
  EXPECT_EQ(refused.error().retry_after, 7s);
  EXPECT_EQ(without_.value, 0u);
  send_away();
  const int asked = far_.asked;
  EXPECT_TRUE(failed(take(call, Take::Mode::ChargeExactly), ErrorCode::Unavailable));
  EXPECT_EQ(far_.asked, asked) << "nobody waits for a store that is away";
  far_.trouble.reset();
  guard_.probe();
  EXPECT_TRUE(take(call, Take::Mode::ChargeExactly));
  EXPECT_TRUE(guard_.is_present()) << "it is a charge, and proves that the store counts";
}

TEST_F(GuardedLedger, SettlesWhereItWasCharged) {
  const auto take_of = [](Take::Mode mode) { return Take{{1}, 5, mode, kLimits, {}}; };
  const Taken charged{true, {}, {1, clock_.now() + 12h}, Taken::Account::Own};
  ports::Call call;
  EXPECT_TRUE(succeeded(guard_.settle(call, take_of(Take::Mode::ChargeExactly), charged, 3)));
  EXPECT_EQ(far_.last_used, 3u);
  EXPECT_TRUE(succeeded(guard_.settle(call, take_of(Take::Mode::Charge), charged, 4)));
  EXPECT_EQ(far_.settled, 1) << "who charged this is not known: the fallback may have";
}

TEST_F(GuardedLedger, GivesTheFallbackBackWhatTheStoreGetsBack) {
  ports::Call call;
  const Take take{{1}, 5, Take::Mode::ChargeExactly, kLimits, {}};
  Taken taken;
  const Take* const takes[] = {&take};
  Taken* const answers[] = {&taken};
  ASSERT_TRUE(succeeded(guard_.take(call, takes, answers)));
  taken.day.reset = model::Instant(model::day_of(clock_.now()) + std::chrono::days(1));
  ASSERT_TRUE(succeeded(guard_.settle(call, take, taken, 1)));
  send_away();
  EXPECT_EQ(this->take(call, Take::Mode::Peek)->day.remaining, 1000u - 1 - 5) << "of the estimate 1, and five takes";
}

TEST_F(GuardedLedger, LeavesEstimatesChargedWhileTheStoreIsAway) {
  const Take take{{1}, 5, Take::Mode::ChargeExactly, kLimits, {}};
  const Taken charged{true, {}, {1, clock_.now() + 12h}, Taken::Account::Own};
  ports::Call call;
  far_.trouble = away();
  EXPECT_TRUE(failed(guard_.settle(call, take, charged, 3), ErrorCode::Unavailable));
  EXPECT_EQ(far_.settled, 1) << "it is not sent again: the store may have done it";
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(guard_.settle(call, take, charged, 3));
  EXPECT_FALSE(guard_.is_present()) << "a settlement is counted as a charge is";
  EXPECT_TRUE(failed(guard_.settle(call, take, charged, 3), ErrorCode::Unavailable));
  EXPECT_EQ(far_.settled, 5) << "nobody waits for a store that is away";
}

TEST_F(GuardedLedger, BlamesNoStoreThatCannotSettle) {
  const Take take{{1}, 5, Take::Mode::ChargeExactly, kLimits, {}};
  const Taken charged{true, {}, {1, clock_.now() + 12h}, Taken::Account::Own};
  ports::Call call;
  far_.trouble = model::Error{ErrorCode::Unsupported, "it settles nothing", {}, {}, {}};
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(failed(guard_.settle(call, take, charged, 3), ErrorCode::Unsupported));
  EXPECT_TRUE(guard_.is_present());
}

TEST(FallbackLedgers, AllowOrDeny) {
  conformance::ManualClock clock;
  const Take question{{1}, 1, Take::Mode::Charge, kLimits, {}};
  const Take* const takes[] = {&question};
  Taken answer;
  Taken* const taken[] = {&answer};
  ports::Call call;
  runtime::AllowingLedger allowing(clock);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(succeeded(allowing.take(call, takes, taken)));
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.minute.remaining, 10u);
  EXPECT_EQ(answer.day.remaining, 1000u);
  runtime::DenyingLedger denying;
  EXPECT_TRUE(failed(denying.take(call, takes, taken), ErrorCode::Unavailable));
}

/// A ledger that never answers a take, guarded by one of this process: what is answered then obeys the same rules as
/// any store. Nothing is settled by it, as no estimate is charged exactly meanwhile.
class DegradedFixture final : public conformance::RateLimitStoreFixture {
 public:
  DegradedFixture() {
    far_.now = [this] { return clock.steady(); };
    far_.trouble = away();
    far_.is_healthy = true;
    far_.is_shared = false;  // it can be filled, since others do not count in it
  }
  ports::RateLimitStore& port() override { return guard_; }
  bool reopen() override { return false; }

 private:
  EventNames log_;
  Count failures_;
  Count without_;
  FarLedger far_;
  memory::MemoryRateLimitStore local_{clock, {.max_subjects = 25'000}};
  runtime::GuardedLedger guard_{{far_, local_, clock, log_, failures_, without_}, 50ms};
};

const bool kRegistered = register_contract<conformance::RateLimitStoreFixture>(
    "DegradedRateLimitStore", conformance::rate_limit_take_suite(), [] { return std::make_unique<DegradedFixture>(); });

}  // namespace
}  // namespace kbase::tests
