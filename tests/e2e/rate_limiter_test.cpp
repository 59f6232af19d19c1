// SPDX-License-Identifier: Apache-2.0
// Remote rate limiter, as clients of the servers see it. Manual: docs/operations/config-plans-and-limits.md and
// limits.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/redis_server.hpp"

namespace kbase::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Longest delay of a request by a hung rate limiter: 100 ms, doubled because a machine can be busy.
constexpr milliseconds kDelayed{200};

/// Servers that count in one Redis.
class RateLimiterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_redis()) GTEST_SKIP() << kNoRedis;
    redis_.emplace();
  }

  ServedBase served(std::vector<std::string> settings = {}) const {
    settings.insert(settings.end(), {"rate_limit.plugin=redis", "rate_limit.config.url=" + redis_->url(),
                                     "rate_limit.secret=a-secret-that-several-servers-share"});
    std::vector<std::string> arguments;
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return ServedBase(Storage::Memory, fixture_corpus_file(), Quota::Builtin, arguments);
  }

  /// Sends 80 requests from 8 clients, expects `status` for each, and returns the longest response time.
  static milliseconds slowest(const ServedBase& base, long status) {
    std::atomic<std::int64_t> longest{0};
    std::vector<std::jthread> clients;
    for (int client = 0; client < 8; ++client)
      clients.emplace_back([&] {
        Client web = base.client();
        for (int i = 0; i < 10; ++i) {
          const auto began = steady_clock::now();
          EXPECT_EQ(web.get("/categories").status, status);
          const auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - began).count();
          std::int64_t known = longest;
          while (took > known && !longest.compare_exchange_weak(known, took)) continue;
        }
      });
    clients.clear();
    return milliseconds(longest);
  }

  static std::string health_of(const ServedBase& base) { return base.client().get("/health").json()["status"]; }

  /// Whether /health becomes degraded. The state is updated once a second, so requests are sent while waiting.
  static bool is_degraded(const ServedBase& base) {
    return eventually(kWithinASecond, [&] {
      base.client().get("/categories");
      return health_of(base) == "degraded";
    });
  }

  static bool is_counted_again(const ServedBase& base, milliseconds timeout) {
    return eventually(timeout, [&] { return health_of(base) == "healthy"; });
  }

  std::optional<RedisServer> redis_;
};

TEST_F(RateLimiterTest, CountsTheRequestsOfSeveralServersTogether) {
  const ServedBase one = served();
  const ServedBase other = served();
  for (long long left = 9; left >= 0; --left)
    EXPECT_EQ((left % 2 != 0 ? one : other).client().get("/categories").number("x-ratelimit-remaining"), left);
  expect_error(one.client().get("/categories"), 429, "RATE_LIMIT_EXCEEDED");
  expect_error(other.client().get("/categories"), 429, "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(other.client().get("/health").number("x-ratelimit-remaining"), 0);
}

TEST_F(RateLimiterTest, CountsLocallyWhileTheStoreIsFrozen) {
  const ServedBase base = served({"plans.public.per_minute=1000"});
  EXPECT_EQ(base.client().get("/categories").number("x-ratelimit-remaining"), 999);
  redis_->send_signal(SIGSTOP);
  EXPECT_LT(slowest(base, 200), kDelayed);
  const Response local = base.client().get("/categories");
  EXPECT_LT(local.number("x-ratelimit-remaining"), 950) << "requests in the meantime are counted locally";
  EXPECT_TRUE(is_degraded(base));
  EXPECT_LT(slowest(base, 200), kDelayed);
  redis_->send_signal(SIGCONT);
  ASSERT_TRUE(is_counted_again(base, kWithinFiveSeconds));
  EXPECT_GT(base.client().get("/categories").number("x-ratelimit-remaining"), 900) << "the count of the shared store";
}

TEST_F(RateLimiterTest, CountsLocallyWhileTheStoreIsGone) {
  const ServedBase base = served({"plans.public.per_minute=1000"});
  EXPECT_EQ(base.client().get("/categories").status, 200);
  redis_->kill();
  EXPECT_LT(slowest(base, 200), kDelayed);
  EXPECT_TRUE(is_degraded(base));
  redis_->start();
  EXPECT_TRUE(is_counted_again(base, kWithinFiveSeconds));
}

TEST_F(RateLimiterTest, CountsLocallyWhileTheStoreIsFull) {
  const ServedBase base = served({"plans.public.per_minute=1000"});
  EXPECT_EQ(base.client().get("/categories").status, 200);
  redis_->ask({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_LT(slowest(base, 200), kDelayed);
  EXPECT_TRUE(is_degraded(base));
  redis_->ask({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(is_counted_again(base, kWithinFiveSeconds));
}

TEST_F(RateLimiterTest, AnswersAsConfiguredWhileTheStoreIsUnavailable) {
  ServedBase denying = served({"rate_limit.when_unavailable=deny"});
  const ServedBase allowing = served({"rate_limit.when_unavailable=allow"});
  const Request completion{.method = "POST", .target = "/external/llm", .fields = {}, .body = "{}", .whole_target = {}};
  expect_error(allowing.client().send(completion), 401, "UNAUTHORIZED");
  redis_->kill();
  for (int i = 0; i < 3; ++i) expect_error(denying.client().get("/categories"), 503, "SERVICE_UNAVAILABLE");
  EXPECT_EQ(denying.client().get("/categories").number("retry-after"), 1) << "it is checked every second";
  EXPECT_EQ(denying.client().get("/health").status, 200);
  EXPECT_EQ(denying.server().stop(), 0);
  const std::string log = denying.base().log();
  const std::size_t first = log.find("\"rate_limit.failed\"");
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find("\"rate_limit.failed\"", first + 1), std::string::npos) << "once a minute";
  expect_error(allowing.client().send(completion), 503, "SERVICE_UNAVAILABLE");
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(allowing.client().get("/categories").number("x-ratelimit-remaining"), 10) << "nothing is counted";
}

}  // namespace
}  // namespace kbase::tests
