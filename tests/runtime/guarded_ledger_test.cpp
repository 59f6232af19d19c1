// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/guarded_ledger.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/memory/rate_limit_store.hpp"
#include "app/runtime/fallback_ledgers.hpp"
#include "plugins/conformance/manual_clock.hpp"
#include "plugins/conformance/rate_limit_store_suite.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using model::ErrorCode;
using ports::Take;
using ports::Taken;

constexpr model::Limits kLimits{10, 1000};

class EventNames final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view event, std::string_view, std::span<const ports::LogField>) override {
    names.emplace_back(event);
  }
  std::vector<std::string> names;
};

class Count final : public ports::Counter {
 public:
  void add(std::uint64_t more) noexcept override { value += more; }
  std::atomic<std::uint64_t> value{0};
};

model::Error away() {
  return {ErrorCode::Unavailable, "the ledger cannot be reached", "connection refused", {}, {}};
}

/// A ledger on another machine, as the test says it is today.
class FarLedger final : public ports::RateLimitStore {
 public:
  Capabilities capabilities() const override { return {.inline_calls = false, .shared = is_shared}; }
  model::Status take(ports::Call& call, std::span<const Take* const>, std::span<Taken* const> taken) override {
    ++asked;
    patience = call.deadline - now();
    if (on_take) on_take(call);
    if (trouble) return *trouble;
    for (Taken* const answer : taken) *answer = {allows, {7, {}}, {700, {}}, Taken::Account::Own};
    return {};
  }
  model::Status health(ports::Call&) override {
    ++probed;
    if (trouble && !is_healthy) return *trouble;
    return {};
  }

  std::function<std::chrono::steady_clock::time_point()> now;
  std::function<void(ports::Call&)> on_take;
  std::optional<model::Error> trouble;
  bool is_healthy = false;  ///< whatever trouble there is
  bool is_shared = true;
  bool allows = true;
  std::atomic<std::chrono::nanoseconds> patience{0ns};  ///< of the last take
  std::atomic<int> asked{0};
  int probed = 0;
};

class GuardedLedger : public testing::Test {
 protected:
  GuardedLedger() {
    far_.now = [this] { return clock_.steady(); };
  }

  model::Result<Taken> take() {
    ports::Call call;
    return take(call);
  }
  model::Result<Taken> take(ports::Call& call, Take::Mode mode = Take::Mode::Charge) {
    const Take question{{1}, 1, mode, kLimits, {}};
    Taken answer;
    const Take* const takes[] = {&question};
    Taken* const taken[] = {&answer};
    if (auto status = guard_.take(call, takes, taken); !status) return status.error();
    return answer;
  }
  void send_away() {
    far_.trouble = away();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(take());
    ASSERT_FALSE(guard_.is_present());
  }

  conformance::ManualClock clock_;
  EventNames log_;
  Count failures_;
  Count without_;
  FarLedger far_;
  memory::MemoryRateLimitStore local_{clock_};
  runtime::GuardedLedger guard_{{far_, local_, clock_, log_, failures_, without_}, 50ms};
};

TEST_F(GuardedLedger, GivesAStoreThatItTriesTheWholeTime) {
  send_away();
  far_.trouble.reset();
  guard_.probe();
  ASSERT_TRUE(take());
  EXPECT_EQ(far_.patience.load(), 50ms) << "one that is well but slow comes back";
  EXPECT_TRUE(guard_.is_present());
}

TEST_F(GuardedLedger, IsTheStoreWhileThatAnswers) {
  EXPECT_EQ(take()->minute.remaining, 7u);
  EXPECT_EQ(far_.patience.load(), 50ms);
  EXPECT_TRUE(guard_.capabilities().shared);
  EXPECT_FALSE(guard_.capabilities().inline_calls);
  EXPECT_EQ(without_.value, 0u);
}

TEST_F(GuardedLedger, AnswersFromTheFallbackWhereTheStoreFails) {
  far_.trouble = away();
  EXPECT_EQ(take()->minute.remaining, 9u) << "a ledger of its own counts";
  EXPECT_EQ(failures_.value, 1u);
  EXPECT_EQ(without_.value, 1u);
  EXPECT_EQ(far_.asked, 1) << "a take that may have been charged is never sent again";
}

TEST_F(GuardedLedger, GoesOnInTheFallbackFromWhatTheStoreLetIn) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(take());
  ports::Call call;
  ASSERT_TRUE(take(call, Take::Mode::Peek));
  far_.allows = false;
  ASSERT_FALSE(take()->allowed);
  EXPECT_EQ(without_.value, 0u);
  far_.trouble = away();
  EXPECT_EQ(take()->minute.remaining, 6u) << "three were let in; looks and denials took nothing";
}

TEST_F(GuardedLedger, AsksNoMoreAfterFiveFailuresInARow) {
  send_away();
  EXPECT_EQ(far_.asked, 5);
  EXPECT_EQ(take()->minute.remaining, 4u);
  EXPECT_EQ(far_.asked, 5);
  EXPECT_EQ(log_.names, std::vector<std::string>{"ledger.away"}) << "one line for the change, not one for each request";
}

TEST_F(GuardedLedger, ForgetsFailuresThatAnAnswerInterrupts) {
  for (int round = 0; round < 3; ++round) {
    far_.trouble = away();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(take());
    far_.trouble.reset();
    EXPECT_EQ(take()->minute.remaining, 7u);
  }
  EXPECT_TRUE(guard_.is_present());
  EXPECT_TRUE(log_.names.empty());
}

TEST_F(GuardedLedger, KeepsAStoreThatFailsAProbeNowAndThen) {
  for (int hour = 0; hour < 20; ++hour) {
    far_.trouble = away();
    guard_.probe();
    far_.trouble.reset();
    guard_.probe();
  }
  EXPECT_TRUE(guard_.is_present()) << "twenty failures, no two in a row";
}

TEST_F(GuardedLedger, KeepsAStoreThatFailsALookNowAndThen) {
  ports::Call call;
  for (int hour = 0; hour < 20; ++hour) {
    far_.trouble = away();
    EXPECT_TRUE(take(call, Take::Mode::Peek));
    far_.trouble.reset();
    EXPECT_TRUE(take(call, Take::Mode::Peek));
  }
  EXPECT_TRUE(guard_.is_present());
}

TEST_F(GuardedLedger, CountsFailuresInARowOfEachWayItAsksByItself) {
  ports::Call call;
  far_.trouble = away();
  for (int i = 0; i < 4; ++i) {
    guard_.probe();
    EXPECT_TRUE(take(call, Take::Mode::Peek));
    EXPECT_TRUE(take());
  }
  EXPECT_TRUE(guard_.is_present());
  EXPECT_EQ(far_.patience.load(), 12ms) << "a fourth of the time, whatever failed besides";
  EXPECT_TRUE(take(call, Take::Mode::Peek));
  EXPECT_FALSE(guard_.is_present()) << "the fifth look";
}

TEST_F(GuardedLedger, LetsNoAnswerHideThatTheStoreDoesNotCount) {
  ports::Call call;
  for (int i = 0; i < 5; ++i) {  // as a store does that is full
    far_.trouble.reset();
    guard_.probe();
    EXPECT_EQ(take(call, Take::Mode::Peek)->minute.remaining, 7u);
    EXPECT_TRUE(guard_.is_present());
    far_.trouble = away();
    EXPECT_TRUE(take());
  }
  EXPECT_FALSE(guard_.is_present());
}

TEST_F(GuardedLedger, TakesAChargeForProofOfAllThatTheOtherWaysProve) {
  ports::Call call;
  for (int i = 0; i < 10; ++i) {
    far_.trouble = away();
    guard_.probe();
    EXPECT_TRUE(take(call, Take::Mode::Peek));
    far_.trouble.reset();
    EXPECT_TRUE(take());
  }
  EXPECT_TRUE(guard_.is_present());
}

TEST_F(GuardedLedger, BeginsAllRowsAnewWhenTheStoreIsBack) {
  ports::Call call;
  far_.trouble = away();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(take(call, Take::Mode::Peek));
  send_away();
  far_.trouble.reset();
  guard_.probe();
  guard_.probe();
  ASSERT_TRUE(guard_.is_present());
  far_.trouble = away();
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(take(call, Take::Mode::Peek));
    EXPECT_TRUE(take());
  }
  EXPECT_TRUE(guard_.is_present());
}

TEST_F(GuardedLedger, SaysWhenToComeBackAsTheStoreKnowsIt) {
  runtime::DenyingLedger deny;
  runtime::GuardedLedger guard{{far_, deny, clock_, log_, failures_, without_}, 50ms};
  const auto told = [&] {
    const Take question{{1}, 1, Take::Mode::Charge, kLimits, {}};
    Taken answer;
    const Take* const takes[] = {&question};
    Taken* const taken[] = {&answer};
    ports::Call call;
    const auto asked = guard.take(call, takes, taken);
    return asked ? 0ms : asked.error().retry_after;
  };
  far_.trouble = away();
  EXPECT_EQ(told(), 1s) << "the store did not say: after the next probe";
  far_.trouble->retry_after = 30s;
  EXPECT_EQ(told(), 30s);
  clock_.advance(12s);
  for (int i = 0; i < 5; ++i) guard.probe();
  ASSERT_FALSE(guard.is_present());
  clock_.advance(12s);
  EXPECT_EQ(told(), 18s) << "it is not asked, and was to be back 30 s after its last failure";
  clock_.advance(20s);
  EXPECT_EQ(told(), 1s);
}

TEST_F(GuardedLedger, TakesALookForNoProofThatTheStoreCounts) {
  send_away();
  far_.trouble.reset();
  guard_.probe();
  ports::Call call;
  EXPECT_EQ(take(call, Take::Mode::Peek)->minute.remaining, 7u);
  EXPECT_FALSE(guard_.is_present());
}

TEST_F(GuardedLedger, WaitsLessTheMoreOftenTheStoreFailed) {
  far_.trouble = away();
  std::vector<std::chrono::nanoseconds> waits;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(take());
    waits.push_back(far_.patience.load());
  }
  EXPECT_EQ(waits, (std::vector<std::chrono::nanoseconds>{50ms, 25ms, 16ms, 12ms, 10ms}));
}

TEST_F(GuardedLedger, NeverWaitsForLongerThanTheCaller) {
  ports::Call call;
  call.deadline = clock_.steady() + 20ms;
  ASSERT_TRUE(take(call));
  EXPECT_EQ(far_.patience.load(), 20ms);
}

TEST_F(GuardedLedger, BlamesNobodyForACallerWhoGaveUp) {
  std::atomic<bool> gone{true};
  far_.trouble = model::Error{ErrorCode::Cancelled, "cancelled", {}, {}, {}};
  for (int i = 0; i < 10; ++i) {
    ports::Call call;
    call.cancel = &gone;
    EXPECT_TRUE(failed(take(call), ErrorCode::Cancelled));
  }
  EXPECT_TRUE(guard_.is_present());
  EXPECT_EQ(without_.value, 0u);
}

TEST_F(GuardedLedger, TriesAStoreWhoseHealthIsGoodAgain) {
  send_away();
  guard_.probe();
  EXPECT_FALSE(guard_.is_present());
  far_.trouble.reset();
  clock_.advance(3s);
  guard_.probe();
  EXPECT_EQ(take()->minute.remaining, 7u);
  EXPECT_TRUE(guard_.is_present());
  EXPECT_EQ(log_.names, (std::vector<std::string>{"ledger.away", "ledger.back"}));
}

TEST_F(GuardedLedger, IsBackWithoutARequestAfterTwoGoodProbes) {
  send_away();
  far_.trouble.reset();
  guard_.probe();
  guard_.probe();
  EXPECT_TRUE(guard_.is_present());
  EXPECT_EQ(far_.asked, 5);
}

TEST_F(GuardedLedger, SendsAwayAtOnceAStoreThatFailsWhenTried) {
  // A full store is healthy and counts nothing.
  send_away();
  for (int round = 0; round < 3; ++round) {
    far_.trouble.reset();
    guard_.probe();
    far_.trouble = away();
    ASSERT_TRUE(take());
    const int asked = far_.asked;
    ASSERT_TRUE(take());
    EXPECT_EQ(far_.asked, asked);
  }
  EXPECT_EQ(log_.names, std::vector<std::string>{"ledger.away"}) << "it was away all the time";
}

TEST_F(GuardedLedger, LearnsFromProbesWhileNobodyAsks) {
  far_.trouble = away();
  for (int i = 0; i < 5; ++i) guard_.probe();
  EXPECT_FALSE(guard_.is_present());
  EXPECT_EQ(far_.asked, 0);
}

TEST_F(GuardedLedger, CancelsWhatWaitsForAStoreThatIsAway) {
  std::latch waiting(2);
  far_.on_take = [&](ports::Call& call) {
    if (far_.asked > 1) return;
    waiting.count_down();
    while (!call.cancelled()) std::this_thread::yield();  // as a store does that is frozen
  };
  far_.trouble = model::Error{ErrorCode::Cancelled, "cancelled", {}, {}, {}};
  std::thread frozen([&] { EXPECT_EQ(take()->minute.remaining, 9u) << "the fallback answers"; });
  waiting.arrive_and_wait();
  far_.trouble = away();
  for (int i = 0; i < 5; ++i) guard_.probe();
  frozen.join();
}

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
/// any store.
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
    "DegradedRateLimitStore", conformance::rate_limit_store_suite(),
    [] { return std::make_unique<DegradedFixture>(); });

}  // namespace
}  // namespace kbase::tests
