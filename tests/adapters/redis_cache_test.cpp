// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/cache.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/redis_fixture.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/redis_server.hpp"

namespace kbase::tests {
namespace {

using conformance::ManualClock;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr const char* kPlace = "kbase:cache:key";

class RedisCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_redis()) GTEST_SKIP() << kNoRedis;
    server_.emplace();
    cache_ = open();
  }

  std::unique_ptr<redis::RedisCache> open() {
    redis::KeyspaceOptions options;
    options.url = server_->url();
    return redis::RedisCache::open(options, clock_).value();
  }

  Result<std::string> get(std::string_view key, ports::Call call = {}) {
    std::string value = "nothing";
    const auto hit = cache_->get(call, key, [&](std::string_view stored) {
      value = stored;
      return Visit::Continue;
    });
    if (!hit) return hit.error();
    return value;
  }

  Status put(std::string_view key, std::string_view value) {
    ports::Call call;
    return cache_->put(call, key, value, hours(1));
  }

  ManualClock clock_;
  std::optional<RedisServer> server_;
  std::unique_ptr<redis::RedisCache> cache_;
};

TEST_F(RedisCacheTest, StoresNothingThatItCouldNotReadBack) {
  ASSERT_TRUE(succeeded(put("key", "value")));
  ASSERT_TRUE(succeeded(put("key", std::string(std::size_t{33} << 20, 'x'))));
  EXPECT_EQ(get("key").value(), "nothing") << "the previous value of the key is no longer valid";
}

TEST_F(RedisCacheTest, ReturnsAValueOfAnotherProcess) {
  ASSERT_TRUE(succeeded(put("key", "value")));
  cache_ = open();
  EXPECT_EQ(get("key").value(), "value");
}

TEST_F(RedisCacheTest, MissesForeignValues) {
  ASSERT_TRUE(succeeded(put("key", "a value of some length")));
  const std::string stored = server_->ask({"GET", kPlace}).text;
  server_->ask({"SET", kPlace, "short"});
  EXPECT_EQ(get("key").value(), "nothing");
  server_->ask({"SET", kPlace, stored.substr(0, stored.size() - 1)});
  EXPECT_EQ(get("key").value(), "nothing") << "a truncated value";
  server_->ask({"SET", "kbase:cache:other", stored});
  EXPECT_EQ(get("other").value(), "nothing") << "another key's value";
  server_->ask({"SET", kPlace, stored});
  EXPECT_EQ(get("key").value(), "a value of some length");
}

TEST_F(RedisCacheTest, SetsAnExpirationOnEveryValue) {
  ports::Call call;
  ASSERT_TRUE(succeeded(cache_->put(call, "key", "value", milliseconds::max())));
  EXPECT_GT(server_->ask({"PTTL", kPlace}).integer, 0);
}

TEST_F(RedisCacheTest, RemovesValuesThatExpiredByItsOwnClock) {
  ASSERT_TRUE(succeeded(put("key", "value")));
  clock_.advance(hours(1));
  EXPECT_EQ(get("key").value(), "nothing");
  EXPECT_EQ(server_->ask({"EXISTS", kPlace}).integer, 0);
}

TEST_F(RedisCacheTest, ReportsAFullRedis) {
  server_->ask({"CONFIG", "SET", "maxmemory", "1"});
  const auto full = put("key", "value");
  ASSERT_TRUE(failed(full, ErrorCode::Unavailable));
  EXPECT_NE(full.error().message.find("maxmemory"), std::string::npos);
}

TEST_F(RedisCacheTest, WaitsForAFrozenRedisUntilTheDeadline) {
  ASSERT_TRUE(succeeded(put("key", "value")));
  server_->send_signal(SIGSTOP);
  ports::Call call;
  call.deadline = clock_.steady() + milliseconds(20);
  EXPECT_TRUE(failed(get("key", call), ErrorCode::Deadline));
  server_->send_signal(SIGCONT);
  EXPECT_EQ(get("key").value(), "value") << "the late reply is not matched with another request";
}

}  // namespace
}  // namespace kbase::tests
