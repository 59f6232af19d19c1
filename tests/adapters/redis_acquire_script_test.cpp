// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <random>

#include "adapters/memory/rate_limit_store.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/redis_fixture.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/redis_server.hpp"

namespace kbase::tests {
namespace {

using model::Limits;
using ports::AcquireRequest;
using ports::Decision;
using std::chrono::milliseconds;

class RedisAcquireScript : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_redis()) GTEST_SKIP() << kNoRedis;
    server_.emplace();
  }

  redis::Options options() const {
    redis::Options made = RedisRateLimiter::with_url(server_->url());
    made.clock_source = redis::Options::ClockSource::Caller;
    return made;
  }

  std::optional<RedisServer> server_;
  conformance::ManualClock clock_;
};

std::string text_of(const Decision& decision, Limits limits) {
  std::string text = decision.allowed ? "yes" : "no";
  if (limits.per_minute != 0)
    text += ' ' + std::to_string(decision.minute.remaining) + ' ' + model::format_instant(decision.minute.reset) + ' ' +
            std::to_string(decision.minute.reset.time_since_epoch().count() % 1000);
  if (limits.per_day != 0)
    text += ' ' + std::to_string(decision.day.remaining) + ' ' + model::format_instant(decision.day.reset);
  return text;
}

/// A random history of one client: acquires of any cost and peeks, milliseconds, minutes or days apart. The clock
/// sometimes steps back, and the limits sometimes change.
class History {
 public:
  explicit History(std::uint32_t seed) : random_(seed), limits_(any_limits()) {}

  /// Moves the clock and returns the next request.
  AcquireRequest next(const model::ClientId& client_id, conformance::ManualClock& clock) {
    if (one_in(40)) limits_ = any_limits();
    move(clock);
    const std::uint32_t cost = one_in(20) ? up_to(limits_.per_minute + 2) : up_to(3);
    return {client_id, cost, one_in(6) ? AcquireRequest::Mode::Peek : AcquireRequest::Mode::Charge, limits_};
  }

  /// One in four acquires is adjusted, some steps later.
  struct Adjustment {
    AcquireRequest request;
    Decision decision;
    std::uint32_t used;
  };
  std::optional<Adjustment> next_adjustment(const AcquireRequest& request, const Decision& decision) {
    if (one_in(4)) open_.push_back({request, decision, up_to(2 * request.cost)});
    if (open_.empty() || !one_in(6)) return std::nullopt;
    const Adjustment next = open_.front();
    open_.pop_front();
    return next;
  }

 private:
  std::uint32_t up_to(std::uint32_t most) { return static_cast<std::uint32_t>(random_() % (most + 1ULL)); }
  bool one_in(std::uint32_t times) { return up_to(times - 1) == 0; }

  Limits any_limits() {
    const std::uint32_t per_minute[] = {0, 1, 5, 60, 600};
    const std::uint32_t per_day[] = {0, 3, 100, 5000};
    return {per_minute[up_to(4)], per_day[up_to(3)]};
  }

  void move(conformance::ManualClock& clock) {
    const std::uint32_t kind = up_to(99);
    if (kind < 50) return clock.advance(milliseconds(up_to(2)));
    if (kind < 85) return clock.advance(milliseconds(up_to(2000)));
    if (kind < 93) return clock.advance(milliseconds(up_to(70'000)));
    if (kind < 94) return clock.advance(milliseconds(up_to(100'000'000)));
    if (kind < 98) return clock.set(clock.now() - milliseconds(up_to(70'000)));
    if (kind < 99) return clock.set(clock.now() - milliseconds(up_to(200'000'000)));
  }

  std::mt19937 random_;
  Limits limits_;
  std::deque<Adjustment> open_;
};

TEST_F(RedisAcquireScript, ReturnsTheDecisionsOfTheMemoryStoreForEveryHistory) {
  RedisRateLimiter rate_limiter(options(), &clock_);
  memory::MemoryRateLimitStore model(clock_);
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    History history(seed);
    const model::ClientId client_id{static_cast<std::uint8_t>(seed), 1};
    for (int step = 0; step < 400; ++step) {
      const AcquireRequest request = history.next(client_id, clock_);
      Decision expected;
      const AcquireRequest* const requests[] = {&request};
      Decision* const answers[] = {&expected};
      ports::Call call;
      ASSERT_TRUE(succeeded(model.acquire(call, requests, answers)));
      const auto decision = rate_limiter.acquire(request);
      ASSERT_TRUE(succeeded(decision));
      ASSERT_EQ(text_of(*decision, request.limits), text_of(expected, request.limits))
          << "seed " << seed << ", step " << step << ", cost " << request.cost << " at "
          << model::format_instant(clock_.now());
      if (const auto next_adjustment = history.next_adjustment(request, expected)) {
        const auto& [of, answer, used] = *next_adjustment;
        ASSERT_TRUE(succeeded(model.adjust(call, of, answer, used)));
        ASSERT_TRUE(succeeded(rate_limiter.adjust(of, answer, used)));
      }
    }
  }
}

TEST_F(RedisAcquireScript, StoresAtMostTwiceTheCountedCharges) {
  RedisRateLimiter rate_limiter(options(), &clock_);
  const AcquireRequest request{{1}, 1, AcquireRequest::Mode::Charge, {1000, 0}};
  std::int64_t longest = 0;
  for (int i = 0; i < 3000; ++i) {
    clock_.advance(milliseconds(100));  // a minute contains 600 charges
    ASSERT_TRUE(rate_limiter.acquire(request)->allowed);
    longest = std::max(longest, server_->ask({"STRLEN", "kbase:rl:01000000000000000000000000000000"}).integer);
  }
  EXPECT_LE(longest, 32 + 8 * (2 * 601 + 1));
  EXPECT_EQ(rate_limiter.acquire(request)->minute.remaining, 1000U - 601)
      << "the charges of the last 59.9 s and two new ones";
}

TEST_F(RedisAcquireScript, SetsAnExpirationOnEveryKey) {
  RedisRateLimiter rate_limiter(options(), &clock_);
  const auto expiry = [&](AcquireRequest request) {
    EXPECT_TRUE(succeeded(rate_limiter.acquire(request)));
    const auto keys = server_->ask({"KEYS", "*"});
    const std::int64_t left = keys.elements.size() == 1 ? server_->ask({"PTTL", keys.elements[0].text}).integer : -99;
    server_->ask({"FLUSHALL"});
    return milliseconds(left);
  };
  const milliseconds minute = expiry({{1}, 1, {}, {10, 0}});
  EXPECT_GT(minute, milliseconds(50'000));
  EXPECT_LE(minute, milliseconds(60'000)) << "when the charge has left the window";
  const milliseconds day = expiry({{2}, 1, {}, {10, 10}});
  EXPECT_GT(day, std::chrono::hours(11));
  EXPECT_LE(day, std::chrono::hours(12)) << "the clock says noon";
  EXPECT_EQ(expiry({{3}, 0, {}, {10, 10}}), milliseconds(-99)) << "a client without charges has no key";
  EXPECT_EQ(expiry({{4}, 5, {}, {0, 0}}), milliseconds(-99)) << "nor a client without limits";
}

TEST_F(RedisAcquireScript, IsAdjustedInTheKeyThatItWrote) {
  RedisRateLimiter rate_limiter(options(), &clock_);
  const AcquireRequest estimate{{1}, 60, AcquireRequest::Mode::ChargeExactly, {0, 100}};
  const auto decision = rate_limiter.acquire(estimate);
  ASSERT_TRUE(succeeded(decision));
  server_->ask({"SCRIPT", "FLUSH"});
  ASSERT_TRUE(succeeded(rate_limiter.adjust(estimate, *decision, 10)));
  EXPECT_EQ(rate_limiter.acquire(AcquireRequest{{1}, 0, AcquireRequest::Mode::Peek, {0, 100}})->day.remaining, 90U)
      << "once, with its whole text";
  const std::string key = server_->ask({"KEYS", "*"}).elements.at(0).text;
  EXPECT_GT(server_->ask({"PTTL", key}).integer, milliseconds(std::chrono::hours(11)).count())
      << "it expires as before";
  server_->ask({"DEL", key});
  ASSERT_TRUE(succeeded(rate_limiter.adjust(estimate, *decision, 90)));
  EXPECT_TRUE(server_->ask({"KEYS", "*"}).elements.empty()) << "an expired charge is not adjusted";
}

TEST_F(RedisAcquireScript, IsSentAgainIfTheServerHasDroppedIt) {
  RedisRateLimiter rate_limiter(options(), &clock_);
  EXPECT_EQ(rate_limiter.acquire(1)->minute.remaining, 99U);
  server_->ask({"SCRIPT", "FLUSH"});
  EXPECT_EQ(rate_limiter.acquire(1)->minute.remaining, 98U) << "it is charged once";
  EXPECT_EQ(rate_limiter.acquire(1)->minute.remaining, 97U);
}

}  // namespace
}  // namespace kbase::tests
