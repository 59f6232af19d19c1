// SPDX-License-Identifier: Apache-2.0
// Rate limits as clients see them. Manual: docs/guide/rate-limits.md.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/faketime.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class QuotaTest : public ChangingTest {
 protected:
  /// Server with the built-in plans, changed by `settings` ("plans.public.per_day=5").
  static ServedBase served(const std::vector<std::string>& settings = {}) {
    std::vector<std::string> arguments;
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return ServedBase(GetParam(), fixture_corpus_file(), Quota::Builtin, arguments);
  }
};

INSTANTIATE_TEST_SUITE_P(Storage, QuotaTest, every_storage(), name_of);

void expect_limited(const Response& response, int limit) {
  expect_error(response, 429, "RATE_LIMIT_EXCEEDED");
  const json details = response.json()["error"].value("details", json::object());
  EXPECT_EQ(details.value("limit", 0), limit) << response.body;
  EXPECT_EQ(details.value("reset", 0LL), response.number("x-ratelimit-reset")) << response.body;
  EXPECT_EQ(response.number("x-ratelimit-limit"), limit);
  EXPECT_EQ(response.number("x-ratelimit-remaining"), 0);
  EXPECT_GE(response.number("retry-after"), 1);
}

/// Sends `each` requests from each of `threads` threads. Returns the number answered with 200; expects 429 for the
/// rest.
int admitted_at_once(const ServedBase& served, int threads, int each, const std::string& key = {}) {
  std::atomic<int> admitted{0};
  std::vector<std::jthread> clients;
  for (int t = 0; t < threads; ++t)
    clients.emplace_back([&] {
      Client web = served.client(key);
      for (int i = 0; i < each; ++i) {
        const long status = web.get("/categories").status;
        EXPECT_TRUE(status == 200 || status == 429) << status;
        if (status == 200) ++admitted;
      }
    });
  clients.clear();
  return admitted;
}

TEST_P(QuotaTest, AllowsTenPublicRequestsAMinute) {
  const ServedBase base = served();
  Client web = base.client();
  for (int left = 9; left >= 0; --left) {
    const Response response = web.get("/categories");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.number("x-ratelimit-limit"), 10);
    EXPECT_EQ(response.number("x-ratelimit-remaining"), left);
    // std::time() is not used: on Linux it lags by some milliseconds (time(2)).
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const long long until_reset = response.number("x-ratelimit-reset") - now.time_since_epoch().count();
    EXPECT_GE(until_reset, 50);
    EXPECT_LE(until_reset, 61);
  }
  const Response refused = web.get("/categories");
  expect_limited(refused, 10);
  EXPECT_LE(refused.number("retry-after"), 61);
  EXPECT_EQ(refused.field("ratelimit-policy"), "\"minute\";q=10;w=60, \"day\";q=1000;w=86400");
  EXPECT_TRUE(refused.field("ratelimit").starts_with("\"minute\";r=0;t=")) << refused.field("ratelimit");
  EXPECT_NE(refused.field("ratelimit").find("\"day\";r=990;t="), std::string::npos) << refused.field("ratelimit");
}

TEST_P(QuotaTest, CountsEveryRequestExceptHealthAndOptions) {
  const ServedBase base = served();
  Client web = base.client();
  const Response list = web.get("/categories");
  EXPECT_EQ(list.number("x-ratelimit-remaining"), 9);
  EXPECT_EQ(web.get("/categories", {"If-None-Match: " + list.field("etag")}).number("x-ratelimit-remaining"), 8);
  EXPECT_EQ(web.head("/categories").number("x-ratelimit-remaining"), 7);
  EXPECT_EQ(web.get("/no-such").number("x-ratelimit-remaining"), 6);
  EXPECT_EQ(web.get("/search").number("x-ratelimit-remaining"), 5);
  EXPECT_EQ(web.get("/external/codehost/ada").number("x-ratelimit-remaining"), 4);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(web.get("/health").number("x-ratelimit-remaining"), 4);
    EXPECT_EQ(web.send({.method = "OPTIONS", .target = "/recent", .fields = {}, .body = {}, .whole_target = {}})
                  .number("x-ratelimit-remaining"),
              4);
  }
}

TEST_P(QuotaTest, RejectsBeforeOtherErrors) {
  const ServedBase base = served({"plans.public.per_minute=1"});
  Client web = base.client();
  web.get("/categories");
  expect_limited(web.get("/no-such"), 1);
  expect_limited(web.get("/search"), 1);
  expect_limited(web.get("/categories", {"Authorization: Bearer nonsense"}), 1);
  expect_limited(web.send({.method = "POST", .target = "/search", .fields = {}, .body = {}, .whole_target = {}}), 1);
  EXPECT_EQ(web.get("/health").status, 200);
}

TEST_P(QuotaTest, IsExactForManyClientsAtOnce) {
  const ServedBase base = served();
  EXPECT_EQ(admitted_at_once(base, 8, 5), 10);
}

TEST_P(QuotaTest, ReturnsToEachOfManyConcurrentRequestsItsOwnCount) {
  const ServedBase base = served({"plans.public.per_minute=60"});
  std::mutex mutex;
  std::multiset<long long> shown;
  std::vector<std::jthread> clients;
  for (int t = 0; t < 6; ++t)
    clients.emplace_back([&] {
      Client web = base.client();
      for (int i = 0; i < 12; ++i) {
        const Response response = web.get("/categories");
        const std::lock_guard lock(mutex);
        if (response.status == 200) shown.insert(response.number("x-ratelimit-remaining"));
        if (response.status != 200) expect_limited(response, 60);
      }
    });
  clients.clear();
  std::multiset<long long> each_once;
  for (int left = 0; left < 60; ++left) each_once.insert(left);
  EXPECT_EQ(shown, each_once);
}

TEST_P(QuotaTest, CountsAKeySeparatelyWithItsPlan) {
  ServedBase base = served({"plans.developer.per_minute=25"});
  const std::string key = base.base().create_key("developer").text;
  const std::string other = base.base().create_key("premium").text;
  EXPECT_EQ(admitted_at_once(base, 6, 6, key), 25);
  EXPECT_EQ(base.client().get("/categories").number("x-ratelimit-remaining"), 9);
  const Response premium = base.client(other).get("/categories");
  EXPECT_EQ(premium.number("x-ratelimit-limit"), 300);
  EXPECT_EQ(premium.number("x-ratelimit-remaining"), 299);
  EXPECT_EQ(base.client(key).get("/health").number("x-ratelimit-remaining"), 0);
}

TEST_P(QuotaTest, ChargesABadKeyToTheAddress) {
  const ServedBase base = served();
  Client web = base.client();
  for (int left = 9; left >= 0; --left) {
    const Response response = web.get("/categories", {"Authorization: Bearer kb_guess"});
    expect_error(response, 401, "UNAUTHORIZED");
    EXPECT_EQ(response.number("x-ratelimit-remaining"), left);
  }
  expect_limited(web.get("/categories", {"Authorization: Bearer kb_guess"}), 10);
}

TEST_P(QuotaTest, AllowsADayNoMoreThanItsLimit) {
  const ServedBase base = served({"plans.public.per_minute=0", "plans.public.per_day=5"});
  Client web = base.client();
  for (int left = 4; left >= 0; --left) EXPECT_EQ(web.get("/categories").number("x-ratelimit-remaining"), left);
  const Response refused = web.get("/categories");
  expect_limited(refused, 5);
  EXPECT_EQ(refused.number("x-ratelimit-reset") % 86400, 0);
  EXPECT_EQ(refused.field("ratelimit-policy"), "\"day\";q=5;w=86400");
}

TEST_P(QuotaTest, ReportsTheWindowWithTheFewestRequestsLeft) {
  const ServedBase base = served({"plans.public.per_minute=10", "plans.public.per_day=3"});
  const Response response = base.client().get("/categories");
  EXPECT_EQ(response.number("x-ratelimit-limit"), 3);
  EXPECT_EQ(response.number("x-ratelimit-remaining"), 2);
  EXPECT_EQ(response.number("x-ratelimit-reset") % 86400, 0);
}

TEST_P(QuotaTest, ReportsTheGreatestNumbersWithoutLimits) {
  const ServedBase base = served({"plans.public.per_minute=0", "plans.public.per_day=0"});
  const Response response = base.client().get("/categories");
  EXPECT_EQ(response.number("x-ratelimit-limit"), 2147483647);
  EXPECT_EQ(response.number("x-ratelimit-remaining"), 2147483647);
  EXPECT_EQ(response.number("x-ratelimit-reset") % 86400, 0);
  EXPECT_FALSE(response.has("ratelimit"));
  EXPECT_FALSE(response.has("ratelimit-policy"));
}

TEST_P(QuotaTest, ReportsTheRemainingRequestsInUncountedResponses) {
  const ServedBase base = served({"server.max_connections=1"});
  Client web = base.client();
  Response counted;
  const auto is_counted = [&] { return (counted = web.get("/categories")).status == 200; };
  ASSERT_TRUE(eventually(kWithinASecond, is_counted)) << "the one connection is free again";
  EXPECT_EQ(counted.number("x-ratelimit-remaining"), 9);

  const Response overloaded = base.client().get("/categories");
  expect_error(overloaded, 503, "SERVICE_UNAVAILABLE");
  EXPECT_EQ(overloaded.number("x-ratelimit-remaining"), 9);
  EXPECT_EQ(overloaded.field("x-ratelimit-reset"), counted.field("x-ratelimit-reset"));

  const Response refused = web.get("/" + std::string(20'000, 'x'));
  expect_error(refused, 414, "URI_TOO_LONG");
  EXPECT_EQ(refused.number("x-ratelimit-remaining"), 9);

  ASSERT_TRUE(eventually(kWithinASecond, is_counted));
  EXPECT_EQ(counted.number("x-ratelimit-remaining"), 8);
}

TEST_P(QuotaTest, ResetsTheDayAtMidnightUtc) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a preloaded library and the address sanitizer exclude each other";
#endif
  const std::filesystem::path library = faketime_library();
  if (library.empty()) GTEST_SKIP() << kNoFaketime;
  if (GetParam().counting == Counting::Redis) GTEST_SKIP() << "Redis counts by its own clock";
  const KnowledgeBase base(GetParam(), fixture_corpus_file(), Quota::Builtin);
  const ServerProcess server = base.serve({"--set", "plans.public.per_minute=0", "--set", "plans.public.per_day=2"},
                                          {"LD_PRELOAD=" + library.string(), "FAKETIME=@2026-03-14 23:59:55", "TZ=UTC",
                                           "FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1"});
  Client web(server.base_url());
  EXPECT_EQ(web.get("/categories").status, 200);
  EXPECT_EQ(web.get("/categories").status, 200);
  const Response refused = web.get("/categories");
  expect_limited(refused, 2);
  EXPECT_EQ(refused.number("x-ratelimit-reset"), 1773532800);  // 2026-03-15T00:00:00Z
  EXPECT_TRUE(eventually(std::chrono::seconds(12), [&] { return web.get("/categories").status == 200; }));
  EXPECT_EQ(web.get("/health").number("x-ratelimit-remaining"), 1);
}

}  // namespace
}  // namespace kbase::tests
