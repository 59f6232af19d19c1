// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/rate_limit_store.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "plugins/conformance/manual_clock.hpp"

namespace kbase::tests {
namespace {

using conformance::ManualClock;
using memory::MemoryRateLimitStore;
using model::ErrorCode;
using model::Limits;
using model::Subject;
using ports::Take;
using ports::Taken;
using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Limits kLimits{4, 100};

model::Result<Taken> take(MemoryRateLimitStore& store, const Subject& subject, std::uint32_t cost = 1,
                          Limits limits = kLimits, Take::Mode mode = Take::Mode::Charge) {
  ports::Call call;
  const Take question{subject, cost, mode, limits};
  Taken answer;
  const Take* const takes[] = {&question};
  Taken* const taken[] = {&answer};
  if (const auto status = store.take(call, takes, taken); !status) return status.error();
  return answer;
}

std::uint32_t left_in_minute(MemoryRateLimitStore& store, const Subject& subject) {
  return take(store, subject, 0)->minute.remaining;
}

TEST(MemoryRateLimitStore, RemembersNobodyForWhomNothingWasCounted) {
  ManualClock clock;
  MemoryRateLimitStore store(clock);
  ASSERT_TRUE(take(store, {1}, 1, kLimits, Take::Mode::Peek));
  ASSERT_TRUE(take(store, {2}, 0));
  ASSERT_TRUE(take(store, {3}, 5));          // denied
  ASSERT_TRUE(take(store, {4}, 1, {0, 0}));  // without limits
  EXPECT_EQ(store.size(), 0U);
  ASSERT_TRUE(take(store, {5}));
  EXPECT_EQ(store.size(), 1U);
}

TEST(MemoryRateLimitStore, NeverRemembersMoreSubjectsThanItMay) {
  ManualClock clock;
  MemoryRateLimitStore store(clock, {.max_subjects = 70'000});
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const Subject subject{
        0, 0, 0, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8U), static_cast<std::uint8_t>(i >> 16U)};
    ASSERT_TRUE(take(store, subject)->allowed);
  }
  EXPECT_LE(store.size(), 70'000U);
  EXPECT_GT(store.size(), 65'000U);
  EXPECT_EQ(store.forgotten(), 100'000U - store.size());
}

TEST(MemoryRateLimitStore, ForgetsIdleSubjectsFirst) {
  ManualClock clock;
  MemoryRateLimitStore store(clock, {.max_subjects = 3});
  ASSERT_TRUE(take(store, {1}));
  clock.advance(days(1));
  ASSERT_TRUE(take(store, {2}));
  ASSERT_TRUE(take(store, {3}));
  ASSERT_TRUE(take(store, {4}));
  EXPECT_EQ(store.size(), 3U);
  EXPECT_EQ(store.forgotten(), 0U) << "forgetting subject 1, idle since yesterday, loses nothing";
  EXPECT_EQ(left_in_minute(store, {2}), 3U);
  EXPECT_EQ(left_in_minute(store, {3}), 3U);
}

TEST(MemoryRateLimitStore, ForgetsWhoHasMostLeftNext) {
  ManualClock clock;
  MemoryRateLimitStore store(clock, {.max_subjects = 3});
  ASSERT_TRUE(take(store, {1}, 2));
  ASSERT_TRUE(take(store, {2}, 1));
  ASSERT_TRUE(take(store, {3}, 3));
  ASSERT_TRUE(take(store, {4}, 2));
  EXPECT_EQ(store.forgotten(), 1U);
  EXPECT_EQ(left_in_minute(store, {1}), 2U);
  EXPECT_EQ(left_in_minute(store, {2}), 4U) << "subject 2 had used a quarter, the others more";
  EXPECT_EQ(left_in_minute(store, {3}), 1U);
}

TEST(MemoryRateLimitStore, ComparesPartsOfTheLimitsNotNumbers) {
  ManualClock clock;
  MemoryRateLimitStore store(clock, {.max_subjects = 2});
  ASSERT_TRUE(take(store, {1}, 200, {300, 100'000}));  // a third of its minute left
  ASSERT_TRUE(take(store, {2}, 1, {10, 1000}));        // nine tenths, though a smaller number
  ASSERT_TRUE(take(store, {3}));
  EXPECT_EQ(take(store, {1}, 0, {300, 100'000})->minute.remaining, 100U);
}

TEST(MemoryRateLimitStore, NeverForgetsWhoHasNothingLeft) {
  ManualClock clock;
  MemoryRateLimitStore store(clock, {.max_subjects = 2});
  ASSERT_TRUE(take(store, {1}, 4));
  ASSERT_TRUE(take(store, {2}, 4));
  const auto newcomer = take(store, {3});
  ASSERT_FALSE(newcomer);
  EXPECT_EQ(newcomer.error().code, ErrorCode::Unavailable);
  EXPECT_GT(newcomer.error().retry_after.count(), 0);
  EXPECT_FALSE(take(store, {1})->allowed);
  EXPECT_FALSE(take(store, {2})->allowed);

  clock.advance(seconds(60));
  EXPECT_TRUE(take(store, {3})->allowed) << "a minute later both have something left again";
}

TEST(MemoryRateLimitStore, CountsExactlyThroughManyWindows) {
  // The ring wraps round, grows while it is wrapped and empties again; the definition says what it must answer.
  ManualClock clock;
  MemoryRateLimitStore store(clock);
  constexpr Limits limits{150, 0};
  std::deque<model::Instant> counted;
  for (int i = 0; i < 20'000; ++i) {
    clock.advance(milliseconds(i / 300 % 2 == 0 ? i * i % 2801 : i * i % 53));
    while (!counted.empty() && clock.now() - counted.front() >= seconds(60)) counted.pop_front();
    const bool fits = counted.size() < 150;
    if (fits) counted.push_back(clock.now());
    const Taken taken = *take(store, {1}, 1, limits);
    ASSERT_EQ(taken.allowed, fits) << "take " << i;
    ASSERT_EQ(taken.minute.remaining, 150 - counted.size()) << "take " << i;
    ASSERT_EQ(taken.minute.reset, counted.front() + seconds(60)) << "take " << i;
    if (i % 5000 == 4999) clock.advance(seconds(61));
  }
}

TEST(MemoryRateLimitStore, KeepsAgesWhenTheClockStepsBack) {
  ManualClock clock;
  MemoryRateLimitStore store(clock);
  ASSERT_TRUE(take(store, {1}));
  clock.advance(seconds(40));
  ASSERT_TRUE(take(store, {1}));
  clock.set(clock.now() - std::chrono::hours(5));
  EXPECT_EQ(left_in_minute(store, {1}), 2U);
  clock.advance(seconds(20));
  EXPECT_EQ(left_in_minute(store, {1}), 3U) << "the first request is 60 seconds old";
  clock.advance(seconds(40));
  EXPECT_EQ(left_in_minute(store, {1}), 4U);
}

TEST(MemoryRateLimitStore, SurvivesTheTurnOf32BitMilliseconds) {
  ManualClock clock;
  MemoryRateLimitStore store(clock);
  const model::Instant turn(milliseconds(0x19C'0000'0000));  // a multiple of 2^32, in January 2026
  clock.set(turn - seconds(30));
  ASSERT_TRUE(take(store, {1}, 4)->allowed);
  clock.advance(milliseconds(59'999));
  EXPECT_FALSE(take(store, {1})->allowed);
  clock.advance(milliseconds(1));
  EXPECT_TRUE(take(store, {1})->allowed);
  clock.advance(milliseconds(std::int64_t{1} << 32U));
  EXPECT_EQ(left_in_minute(store, {1}), 4U) << "49.7 days later the low bits are the same again";
}

}  // namespace
}  // namespace kbase::tests
