// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/cache.hpp"

#include <gtest/gtest.h>

#include "plugins/conformance/fixtures.hpp"

namespace kbase::tests {
namespace {

using conformance::ManualClock;
using memory::MemoryCache;
using std::chrono::hours;

bool has(MemoryCache& cache, std::string_view key) {
  ports::Call call;
  return *cache.get(call, key, [](std::string_view) { return Visit::Continue; });
}

void put(MemoryCache& cache, std::string_view key, std::size_t bytes) {
  ports::Call call;
  ASSERT_TRUE(cache.put(call, key, std::string(bytes, 'v'), hours(1)));
}

TEST(MemoryCache, KeepsWhatFits) {
  ManualClock clock;
  MemoryCache cache(clock, {.max_bytes = 4000});
  for (const char* key : {"a", "b", "c"}) put(cache, key, 1000);
  for (const char* key : {"a", "b", "c"}) EXPECT_TRUE(has(cache, key)) << key;
}

TEST(MemoryCache, EvictsTheLeastRecentlyUsedValue) {
  ManualClock clock;
  MemoryCache cache(clock, {.max_bytes = 4000});
  for (const char* key : {"a", "b", "c"}) put(cache, key, 1000);
  ASSERT_TRUE(has(cache, "a"));
  put(cache, "d", 1000);
  EXPECT_TRUE(has(cache, "a"));
  EXPECT_FALSE(has(cache, "b"));
  EXPECT_TRUE(has(cache, "c"));
  EXPECT_TRUE(has(cache, "d"));
}

TEST(MemoryCache, SubtractsTheBytesOfOverwrittenAndErasedValues) {
  ManualClock clock;
  MemoryCache cache(clock, {.max_bytes = 4000});
  ports::Call call;
  put(cache, "a", 1000);
  for (int i = 0; i < 100; ++i) put(cache, "b", 1000);
  for (int i = 0; i < 100; ++i) {
    put(cache, "c", 1000);
    ASSERT_TRUE(cache.erase(call, "c"));
  }
  put(cache, "c", 1000);
  for (const char* key : {"a", "b", "c"}) EXPECT_TRUE(has(cache, key)) << key;
}

TEST(MemoryCache, NeverKeepsAValueThatDoesNotFit) {
  ManualClock clock;
  MemoryCache cache(clock, {.max_bytes = 4000});
  put(cache, "a", 1000);
  put(cache, "large", 5000);
  EXPECT_FALSE(has(cache, "large"));
  EXPECT_TRUE(has(cache, "a")) << "it evicts no other value either";
  put(cache, "a", 5000);
  EXPECT_FALSE(has(cache, "a")) << "the old value is no longer valid";
}

TEST(MemoryCache, KeepsAValueOfAMebibyteByDefault) {
  ManualClock clock;
  MemoryCache cache(clock);
  put(cache, "a", 1U << 20U);
  EXPECT_TRUE(has(cache, "a"));
}

TEST(MemoryCache, AcceptsAnyTimeToLive) {
  ManualClock clock;
  MemoryCache cache(clock);
  ports::Call call;
  ASSERT_TRUE(cache.put(call, "a", "value", std::chrono::milliseconds::max()));
  clock.advance(hours(24 * 365));
  EXPECT_TRUE(has(cache, "a"));
}

TEST(MemoryCache, KeepsAReturnedValueValidWhileAnotherCallReplacesIt) {
  ManualClock clock;
  MemoryCache cache(clock);
  ports::Call call;
  ASSERT_TRUE(cache.put(call, "a", std::string(100, 'x'), hours(1)));
  const auto hit = cache.get(call, "a", [&](std::string_view value) {
    put(cache, "a", 200);  // as if from another thread
    EXPECT_EQ(value, std::string(100, 'x'));
    return Visit::Continue;
  });
  EXPECT_TRUE(*hit);
}

}  // namespace
}  // namespace kbase::tests
