// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/rate_limit_store.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "plugins/conformance/fixtures.hpp"

namespace kbase::tests {
namespace {

using conformance::ManualClock;
using memory::MemoryRateLimitStore;
using memory::RateLimitOptions;
using model::ClientId;
using model::Limits;
using ports::AcquireRequest;
using ports::Decision;
using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Limits kLimits{4, 100};
constexpr ClientId kNetwork{9};
constexpr ClientId kNoGroup{};

class Count final : public ports::Counter, public ports::Gauge {
 public:
  void add(std::uint64_t more = 1) noexcept override { value += static_cast<std::int64_t>(more); }
  void add(std::int64_t more) noexcept override { value += more; }

  std::int64_t value = 0;
};

/// A store with its own clock. By default, all clients share one network as their fallback bucket.
struct RateLimiter {
  explicit RateLimiter(RateLimitOptions options = {}) : store(clock, options, {&forgotten, &shared_accounts}) {}

  Result<Decision> acquire(const ClientId& client_id, std::uint32_t cost = 1, Limits limits = kLimits,
                           const ClientId& fallback_bucket = kNetwork) {
    return execute({client_id, cost, AcquireRequest::Mode::Charge, limits, fallback_bucket});
  }
  Result<Decision> peek(const ClientId& client_id, Limits limits = kLimits) {
    return execute({client_id, 1, AcquireRequest::Mode::Peek, limits, kNetwork});
  }
  std::uint32_t left_in_minute(const ClientId& client_id) { return peek(client_id)->minute.remaining; }

  ManualClock clock;
  Count forgotten;
  Count shared_accounts;
  MemoryRateLimitStore store;

 private:
  Result<Decision> execute(const AcquireRequest& request) {
    ports::Call call;
    Decision answer;
    const AcquireRequest* const requests[] = {&request};
    Decision* const decisions[] = {&answer};
    if (const auto status = store.acquire(call, requests, decisions); !status) return status.error();
    return answer;
  }
};

ClientId client_number(std::uint32_t number) {
  return {0,
          0,
          0,
          static_cast<std::uint8_t>(number),
          static_cast<std::uint8_t>(number >> 8U),
          static_cast<std::uint8_t>(number >> 16U)};
}

TEST(MemoryRateLimitStore, StoresNoClientWithoutCharges) {
  RateLimiter rate_limiter;
  ASSERT_TRUE(rate_limiter.peek({1}));
  ASSERT_TRUE(rate_limiter.acquire({2}, 0));
  ASSERT_TRUE(rate_limiter.acquire({3}, 5));          // denied
  ASSERT_TRUE(rate_limiter.acquire({4}, 1, {0, 0}));  // without limits
  EXPECT_EQ(rate_limiter.store.stats().clients, 0U);
  ASSERT_TRUE(rate_limiter.acquire({5}));
  EXPECT_EQ(rate_limiter.store.stats().clients, 1U);
}

TEST(MemoryRateLimitStore, NeverStoresMoreClientsThanItsMaximum) {
  RateLimiter rate_limiter({.max_clients = 70'000});
  for (std::uint32_t i = 0; i < 100'000; ++i) ASSERT_TRUE(rate_limiter.acquire(client_number(i))->allowed);
  const std::size_t remembered = rate_limiter.store.stats().clients;
  EXPECT_LE(remembered, 70'000U);
  EXPECT_GT(remembered, 65'000U);
  EXPECT_EQ(rate_limiter.forgotten.value, 100'000 - static_cast<std::int64_t>(remembered));
}

TEST(MemoryRateLimitStore, StoresAMillionClientsIn120BytesEach) {
  RateLimiter rate_limiter({.max_clients = 2'000'000});
  for (std::uint32_t i = 0; i < 1'000'000; ++i) ASSERT_TRUE(rate_limiter.acquire(client_number(i))->allowed);
  EXPECT_EQ(rate_limiter.store.stats().clients, 1'000'000U);
  EXPECT_LE(rate_limiter.store.stats().held_bytes, 120'000'000U);
}

TEST(MemoryRateLimitStore, EvictsIdleClientsFirst) {
  RateLimiter rate_limiter({.max_clients = 3});
  ASSERT_TRUE(rate_limiter.acquire({1}));
  rate_limiter.clock.advance(days(1));
  ASSERT_TRUE(rate_limiter.acquire({2}));
  ASSERT_TRUE(rate_limiter.acquire({3}));
  ASSERT_TRUE(rate_limiter.acquire({4}));
  EXPECT_EQ(rate_limiter.store.stats().clients, 3U);
  EXPECT_EQ(rate_limiter.forgotten.value, 0) << "evicting client 1, idle since yesterday, loses nothing";
  EXPECT_EQ(rate_limiter.left_in_minute({2}), 3U);
  EXPECT_EQ(rate_limiter.left_in_minute({3}), 3U);
}

TEST(MemoryRateLimitStore, ReleasesTheMemoryOfIdleClients) {
  RateLimiter rate_limiter({.max_clients = 50'000});
  for (std::uint32_t i = 0; i < 20'000; ++i) ASSERT_TRUE(rate_limiter.acquire(client_number(i), 4, {4, 0}));
  const std::size_t held = rate_limiter.store.stats().held_bytes;
  rate_limiter.clock.advance(seconds(60));
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    ASSERT_TRUE(rate_limiter.acquire(client_number(20'000 + i), 4, {4, 0}));
    rate_limiter.clock.advance(milliseconds(30));  // each client counts while 2,000 new ones are added
  }
  EXPECT_LE(rate_limiter.store.stats().clients, 6'000U);
  EXPECT_LT(rate_limiter.store.stats().held_bytes, held);
}

TEST(MemoryRateLimitStore, EvictsTheClientWithTheMostRemainingNext) {
  RateLimiter rate_limiter({.max_clients = 3});
  ASSERT_TRUE(rate_limiter.acquire({1}, 2));
  ASSERT_TRUE(rate_limiter.acquire({2}, 1));
  ASSERT_TRUE(rate_limiter.acquire({3}, 3));
  ASSERT_TRUE(rate_limiter.acquire({4}, 2));
  EXPECT_EQ(rate_limiter.forgotten.value, 1);
  EXPECT_EQ(rate_limiter.left_in_minute({1}), 2U);
  EXPECT_EQ(rate_limiter.left_in_minute({2}), 4U) << "client 2 had used a quarter, the others more";
  EXPECT_EQ(rate_limiter.left_in_minute({3}), 1U);
}

TEST(MemoryRateLimitStore, ComparesFractionsOfTheLimits) {
  RateLimiter rate_limiter({.max_clients = 2});
  ASSERT_TRUE(rate_limiter.acquire({1}, 200, {300, 100'000}));  // a third of its minute limit is left
  ASSERT_TRUE(rate_limiter.acquire({2}, 1, {10, 1000}));        // nine tenths are left, although the number is smaller
  ASSERT_TRUE(rate_limiter.acquire({3}));
  EXPECT_EQ(rate_limiter.peek({1}, {300, 100'000})->minute.remaining, 100U);
}

TEST(MemoryRateLimitStore, ChargesNewClientsToTheirFallbackBucketIfAllOthersAreExhausted) {
  RateLimiter rate_limiter({.max_clients = 2});
  ASSERT_TRUE(rate_limiter.acquire({1}, 4));
  ASSERT_TRUE(rate_limiter.acquire({2}, 4));
  const auto first = rate_limiter.acquire({3});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->account, Decision::Account::Shared);
  EXPECT_EQ(rate_limiter.acquire({4})->minute.remaining, 2U) << "the account belongs to the fallback bucket";
  EXPECT_FALSE(rate_limiter.acquire({1})->allowed);
  EXPECT_FALSE(rate_limiter.acquire({2})->allowed);
  EXPECT_EQ(rate_limiter.shared_accounts.value, 1);

  rate_limiter.clock.advance(seconds(60));
  EXPECT_EQ(rate_limiter.acquire({3})->account, Decision::Account::Own) << "a minute later, both have requests left";
  rate_limiter.clock.advance(days(1));
  ASSERT_TRUE(rate_limiter.acquire({5}));
  EXPECT_EQ(rate_limiter.shared_accounts.value, 0) << "an idle account is removed";
}

TEST(MemoryRateLimitStore, LimitsTheNumberOfFallbackBuckets) {
  RateLimiter rate_limiter({.max_clients = 16});
  std::uint32_t number = 0;
  for (; number < 16; ++number) ASSERT_TRUE(rate_limiter.acquire(client_number(number), 4));
  ASSERT_TRUE(rate_limiter.acquire(client_number(number++), 4, kLimits, {1}));
  ASSERT_TRUE(rate_limiter.acquire(client_number(number++), 4, kLimits, {2}));
  const auto third = rate_limiter.acquire(client_number(number++), 4, kLimits, {3});
  ASSERT_FALSE(third) << "two fallback buckets for sixteen clients, and both are exhausted";
  EXPECT_EQ(third.error().code, ErrorCode::Unavailable);
  EXPECT_FALSE(rate_limiter.acquire(client_number(number++), 4, kLimits, {1})->allowed);
}

TEST(MemoryRateLimitStore, ReservesEntriesForKeys) {
  RateLimiter rate_limiter({.max_clients = 2});
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(rate_limiter.acquire(client_number(i), 4));
  const auto key = rate_limiter.acquire({1}, 4, kLimits, kNoGroup);
  ASSERT_TRUE(key) << "regardless of the number of addresses";
  EXPECT_EQ(key->account, Decision::Account::Own);
  ASSERT_TRUE(rate_limiter.acquire({2}, 4, kLimits, kNoGroup));
  const auto third = rate_limiter.acquire({3}, 4, kLimits, kNoGroup);
  ASSERT_FALSE(third) << "keys have no fallback bucket";
  EXPECT_EQ(third.error().code, ErrorCode::Unavailable);
  EXPECT_GT(third.error().retry_after.count(), 0);
}

TEST(MemoryRateLimitStore, HasEntriesForAllKindsWithTheMinimumMemory) {
  RateLimiter rate_limiter({.max_bytes = 1U << 20U});
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(rate_limiter.acquire(client_number(i))->allowed);
    EXPECT_TRUE(rate_limiter.acquire(client_number(1000 + i), 1, kLimits, kNoGroup)->allowed);
  }
  EXPECT_EQ(rate_limiter.shared_accounts.value, 0);
}

TEST(MemoryRateLimitStore, ProtectsTheEntriesOfKeysFromAFloodOfAddresses) {
  constexpr Limits kMany{300, 0};
  RateLimiter rate_limiter({.max_clients = 10'000, .max_bytes = 1U << 20U});
  for (int round = 0; round < 60; ++round) {
    for (std::uint32_t i = 0; i < 2000; ++i) ASSERT_TRUE(rate_limiter.acquire(client_number(i), 1, kMany));
    rate_limiter.clock.advance(milliseconds(10));
  }
  for (std::uint32_t i = 0; i < 500; ++i) {
    const auto key = rate_limiter.acquire(client_number(10'000 + i), 1, kMany, kNoGroup);
    ASSERT_TRUE(key) << i;
    EXPECT_EQ(key->minute.remaining, 299U);
  }
}

TEST(MemoryRateLimitStore, AdjustsTheAccountThatWasCharged) {
  RateLimiter rate_limiter({.max_clients = 2});
  ASSERT_TRUE(rate_limiter.acquire({1}, 4));
  ASSERT_TRUE(rate_limiter.acquire({2}, 4));
  constexpr Limits kMany{0, 100};
  const auto settled = [&](const ClientId& client_id, const ClientId& fallback_bucket) {
    const AcquireRequest request{client_id, 60, AcquireRequest::Mode::ChargeExactly, kMany, fallback_bucket};
    const auto decision = rate_limiter.acquire(client_id, 60, kMany, fallback_bucket);
    EXPECT_TRUE(decision && decision->allowed);
    ports::Call call;
    EXPECT_TRUE(rate_limiter.store.adjust(call, request, *decision, 10));
    return rate_limiter.acquire(client_id, 90, kMany, fallback_bucket)->allowed;
  };
  EXPECT_TRUE(settled({3}, kNetwork)) << "that of its network, because the table is full";
  EXPECT_TRUE(settled({4}, kNoGroup)) << "the account of a key";
  rate_limiter.clock.advance(days(1));
  EXPECT_TRUE(settled({5}, kNetwork)) << "the account of an address";
}

TEST(MemoryRateLimitStore, EvictsNoClientForAPeek) {
  constexpr Limits kOne{1, 0};
  constexpr Limits kTen{10, 0};
  RateLimiter rate_limiter({.max_clients = 8});
  for (std::uint32_t i = 0; i < 8; ++i) ASSERT_TRUE(rate_limiter.acquire(client_number(i), 1, kOne)->allowed);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(rate_limiter.peek(client_number(i), kTen)->minute.remaining, 9U);
  EXPECT_EQ(rate_limiter.acquire(client_number(100), 1, kOne)->account, Decision::Account::Shared);
  EXPECT_EQ(rate_limiter.forgotten.value, 0);
}

TEST(MemoryRateLimitStore, StaysWithinItsMemoryLimit) {
  constexpr Limits kMany{300, 0};
  RateLimiter rate_limiter({.max_clients = 1000, .max_bytes = 200'000});
  std::uint32_t admitted = 0;
  for (int round = 0; round < 400; ++round) {
    for (std::uint32_t i = 0; i < 500; ++i)
      admitted += rate_limiter.acquire(client_number(i), 1, kMany)->allowed ? 1 : 0;
    rate_limiter.clock.advance(milliseconds(100));
    ASSERT_LE(rate_limiter.store.stats().held_bytes, 200'000U);
  }
  EXPECT_EQ(admitted, 500U * 300) << "within the first minute, every client has the whole limit";
  rate_limiter.clock.advance(seconds(30));
  std::uint32_t at_once = 0;
  while (rate_limiter.acquire(client_number(499), 1, kMany)->allowed) ++at_once;
  EXPECT_LE(at_once, 101U) << "at 70 s, at most the requests of the first 10 s have expired";
  rate_limiter.clock.advance(seconds(60));
  EXPECT_EQ(rate_limiter.peek(client_number(499), kMany)->minute.remaining, 300U) << "a minute later, all have expired";
}

TEST(MemoryRateLimitStore, FindsEveryClientWhileOthersAreAddedAndRemoved) {
  // Removing an account moves others, and entries of the hash table with them; a map holds the expected counts.
  RateLimiter rate_limiter;
  std::mt19937 random(7);
  std::map<std::uint32_t, std::deque<model::Instant>> counted;
  for (int i = 0; i < 200'000; ++i) {
    rate_limiter.clock.advance(milliseconds(random() % 40));
    const auto number = static_cast<std::uint32_t>(random() % 10'000);
    auto& charges = counted[number];
    while (!charges.empty() && rate_limiter.clock.now() - charges.front() >= seconds(60)) charges.pop_front();
    const bool fits = charges.size() < 4;
    if (fits) charges.push_back(rate_limiter.clock.now());
    const Decision decision = *rate_limiter.acquire(client_number(number), 1, {4, 0});
    ASSERT_EQ(decision.allowed, fits) << "acquire " << i;
    ASSERT_EQ(decision.minute.remaining, 4 - charges.size()) << "acquire " << i;
  }
  EXPECT_LT(rate_limiter.store.stats().clients, 7'000U)
      << "about 3,000 of 10,000 clients send requests within a minute";
}

TEST(MemoryRateLimitStore, CountsExactlyThroughManyWindows) {
  // The ring buffer wraps round, grows while wrapped and becomes empty again; a deque holds the expected counts.
  RateLimiter rate_limiter;
  ManualClock& clock = rate_limiter.clock;
  constexpr Limits limits{150, 0};
  std::deque<model::Instant> counted;
  for (int i = 0; i < 20'000; ++i) {
    clock.advance(milliseconds(i / 300 % 2 == 0 ? i * i % 2801 : i * i % 53));
    while (!counted.empty() && clock.now() - counted.front() >= seconds(60)) counted.pop_front();
    const bool fits = counted.size() < 150;
    if (fits) counted.push_back(clock.now());
    const Decision decision = *rate_limiter.acquire({1}, 1, limits);
    ASSERT_EQ(decision.allowed, fits) << "acquire " << i;
    ASSERT_EQ(decision.minute.remaining, 150 - counted.size()) << "acquire " << i;
    ASSERT_EQ(decision.minute.reset, counted.front() + seconds(60)) << "acquire " << i;
    if (i % 5000 == 4999) clock.advance(seconds(61));
  }
}

TEST(MemoryRateLimitStore, KeepsAgesWhenTheClockStepsBack) {
  RateLimiter rate_limiter;
  ManualClock& clock = rate_limiter.clock;
  ASSERT_TRUE(rate_limiter.acquire({1}));
  clock.advance(seconds(40));
  ASSERT_TRUE(rate_limiter.acquire({1}));
  clock.set(clock.now() - std::chrono::hours(5));
  EXPECT_EQ(rate_limiter.left_in_minute({1}), 2U);
  clock.advance(seconds(20));
  EXPECT_EQ(rate_limiter.left_in_minute({1}), 3U) << "the first request is 60 seconds old";
  clock.advance(seconds(40));
  EXPECT_EQ(rate_limiter.left_in_minute({1}), 4U);
}

TEST(MemoryRateLimitStore, HandlesTheWraparoundOfItsTimestamps) {
  RateLimiter rate_limiter;
  ManualClock& clock = rate_limiter.clock;
  const model::Instant turn(milliseconds(0x19C'0000'0000));  // a multiple of 2^16 ms, as every 65.536 s
  clock.set(turn - seconds(30));
  ASSERT_TRUE(rate_limiter.acquire({1}, 3)->allowed);
  clock.advance(milliseconds(59'999));
  EXPECT_FALSE(rate_limiter.acquire({1}, 2)->allowed);
  EXPECT_TRUE(rate_limiter.acquire({1})->allowed);
  clock.advance(milliseconds(1));
  EXPECT_EQ(rate_limiter.left_in_minute({1}), 3U);
  clock.advance(milliseconds(59'998));
  EXPECT_EQ(rate_limiter.left_in_minute({1}), 3U)
      << "the charge is two minutes old and its timestamp has wrapped round once";
  clock.advance(milliseconds(1 << 16));
  EXPECT_EQ(rate_limiter.left_in_minute({1}), 4U);
}

TEST(MemoryRateLimitStore, CountsCostsThatExceedOneCharge) {
  constexpr Limits kMany{1'000'000, 0};
  RateLimiter rate_limiter;
  ManualClock& clock = rate_limiter.clock;
  EXPECT_EQ(rate_limiter.acquire({1}, 65'536, kMany)->minute.remaining, 934'464U);
  EXPECT_EQ(rate_limiter.acquire({1}, 300'000, kMany)->minute.remaining, 634'464U);
  clock.advance(seconds(30));
  EXPECT_EQ(rate_limiter.acquire({1}, 600'000, kMany)->minute.remaining, 34'464U);
  EXPECT_FALSE(rate_limiter.acquire({1}, 34'465, kMany)->allowed);
  clock.advance(seconds(30));
  EXPECT_EQ(rate_limiter.peek({1}, kMany)->minute.remaining, 400'000U);
  clock.advance(seconds(30));
  EXPECT_EQ(rate_limiter.peek({1}, kMany)->minute.remaining, 1'000'000U);
}

TEST(MemoryRateLimitStore, NeverUndercountsACostThatExceedsItsMemory) {
  constexpr Limits kMany{4'000'000'000, 0};
  RateLimiter rate_limiter({.max_clients = 8, .max_bytes = 65'536});
  ManualClock& clock = rate_limiter.clock;
  ASSERT_TRUE(rate_limiter.acquire({1}, 3'000'000'000, kMany)->allowed) << "more charges than fit into the memory";
  clock.advance(seconds(59));
  EXPECT_EQ(rate_limiter.peek({1}, kMany)->minute.remaining, 1'000'000'000U);
  ASSERT_TRUE(rate_limiter.acquire({1}, 1, kMany)->allowed);
  clock.advance(seconds(2));
  EXPECT_LE(rate_limiter.peek({1}, kMany)->minute.remaining, 3'999'999'999U);
  clock.advance(seconds(60));
  EXPECT_EQ(rate_limiter.peek({1}, kMany)->minute.remaining, 4'000'000'000U);
}

}  // namespace
}  // namespace kbase::tests
