// SPDX-License-Identifier: Apache-2.0
// Configuration and reload of plans. Manual: docs/operations/config-plans-and-limits.md and signals.md.
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/e2e/metrics.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class PlansTest : public testing::Test {
 protected:
  PlansTest() { configure(""); }

  /// Rewrites the configuration with additional sections.
  void configure(const std::string& sections) {
    base_.write("kbase.yaml", "data_dir: " + (base_.folder() / "data").string() +
                                  "\nserver: { port: 0 }\nadmin: { port: 0 }\n" + sections);
  }

  /// Makes the server reload the configuration, and returns its log event: "config.reloaded" or "config.refused".
  json reload(ServerProcess& server, const std::string& sections) {
    configure(sections);
    const std::size_t before = events("config.").size();
    server.send_signal(SIGHUP);
    EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return events("config.").size() > before; })) << base_.log();
    return events("config.").back();
  }

  /// Returns the log events whose names start with `beginning`.
  std::vector<json> events(const std::string& beginning) const {
    std::vector<json> found;
    std::istringstream lines(base_.log());
    for (std::string line; std::getline(lines, line);)
      if (json event = json::parse(line, nullptr, false); event.is_object())
        if (event.value("event", "").starts_with(beginning)) found.push_back(std::move(event));
    return found;
  }

  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file(), Quota::Builtin};
};

TEST_F(PlansTest, ChangeOnReloadWithoutLossOfCounts) {
  ServerProcess server = base_.serve();
  Client web(server.base_url());
  for (int i = 0; i < 3; ++i) expect_data(web.get("/categories"));
  EXPECT_EQ(reload(server, "plans: { public: { per_minute: 5, per_day: 1000 } }\n")["event"], "config.reloaded");
  const Response fourth = web.get("/categories");
  EXPECT_EQ(fourth.number("x-ratelimit-limit"), 5);
  EXPECT_EQ(fourth.number("x-ratelimit-remaining"), 1);
  EXPECT_EQ(reload(server, "plans: { public: { per_minute: 2, per_day: 1000 } }\n")["event"], "config.reloaded");
  expect_error(web.get("/categories"), 429, "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(reload(server, "plans: { public: { per_minute: 100, per_day: 1000 } }\n")["event"], "config.reloaded");
  EXPECT_EQ(web.get("/categories").number("x-ratelimit-remaining"), 95);
}

TEST_F(PlansTest, AreNotRemovedOnReloadWhileInUse) {
  configure("plans: { gold: { per_minute: 7 } }\n");
  std::vector<KnowledgeBase::Key> keys;
  for (int i = 0; i < 7; ++i) keys.push_back(base_.create_key("gold"));
  ServerProcess server = base_.serve();
  Client golden(server.base_url(), keys[0].text);
  EXPECT_EQ(golden.get("/categories").number("x-ratelimit-limit"), 7);
  const json refused = reload(server, "plans: { public: { per_minute: 9 } }\n");
  EXPECT_EQ(refused["event"], "config.refused");
  const std::string reason = refused["message"];
  EXPECT_NE(reason.find("(gold)"), std::string::npos) << reason;
  EXPECT_NE(reason.find(" and 2 more"), std::string::npos) << reason;
  EXPECT_EQ(golden.get("/categories").number("x-ratelimit-remaining"), 5);
  EXPECT_EQ(Client(server.base_url()).get("/health").number("x-ratelimit-limit"), 10) << "no part of it was applied";

  EXPECT_EQ(base_.run({"keys", "revoke", keys[0].id}).exit_code, 0);
  for (std::size_t i = 1; i < keys.size(); ++i)
    EXPECT_EQ(base_.run({"keys", "update", keys[i].id, "--plan", "premium"}).exit_code, 0);
  EXPECT_EQ(reload(server, "plans: { public: { per_minute: 9 } }\n")["event"], "config.reloaded")
      << "a revoked key does not keep its plan in use";
  EXPECT_EQ(Client(server.base_url()).get("/health").number("x-ratelimit-limit"), 9);
}

TEST_F(PlansTest, AreRemovedWithTheirKeysAndOriginsInOneReload) {
  const std::string key = "keys: [{ id: page, plan: PLAN, key: kb_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL }]\n";
  const std::string origin = "rate_limit: { origins: [{ origin: 'https://a.example', plan: PLAN }] }\n";
  const auto with = [&](const std::string& plan) {
    std::string text = key + origin;
    for (std::size_t at; (at = text.find("PLAN")) != std::string::npos;) text.replace(at, 4, plan);
    return text;
  };
  configure("plans: { gold: { per_minute: 7 } }\n" + with("gold"));
  ServerProcess server = base_.serve();
  const json refused = reload(server, with("gold"));
  EXPECT_EQ(refused["event"], "config.refused");
  EXPECT_NE(refused["message"].get<std::string>().find("keys.0.plan"), std::string::npos) << refused;
  EXPECT_EQ(reload(server, with("premium"))["event"], "config.reloaded");
  Client web(server.base_url());
  EXPECT_EQ(web.get("/health", {"Origin: https://a.example"}).number("x-ratelimit-limit"), 300);
}

TEST_F(PlansTest, ApplyToThePagesOfAnOriginPerAddress) {
  configure(
      "plans: { site: { per_minute: 40 } }\n"
      "rate_limit: { origins: [{ origin: 'https://docs.example.org', plan: site }] }\n");
  const ServerProcess server = base_.serve();
  Client web(server.base_url());
  const std::vector<std::string> page = {"Origin: https://docs.example.org"};
  const Response first = web.get("/categories", page);
  expect_data(first);
  EXPECT_EQ(first.number("x-ratelimit-limit"), 40);
  EXPECT_EQ(first.number("x-ratelimit-remaining"), 39);
  for (const char* other :
       {"Origin: https://other.example.org", "Origin: null", "Origin: https://docs.example.org:444"})
    EXPECT_EQ(web.get("/categories", {other}).number("x-ratelimit-limit"), 10) << other;
  const Response again = web.get("/categories", page);
  EXPECT_EQ(again.number("x-ratelimit-remaining"), 35) << "all of an address's requests are counted together";
  EXPECT_EQ(web.get("/health", page).number("x-ratelimit-limit"), 40);
  EXPECT_EQ(web.send({.method = "OPTIONS",
                      .target = "/categories",
                      .fields = {page[0], "Access-Control-Request-Method: GET"},
                      .body = {},
                      .whole_target = {}})
                .number("x-ratelimit-remaining"),
            35);
  EXPECT_EQ(web.get("/" + std::string(20'000, 'x'), page).status, 414);

  const std::string key = base_.create_key("developer").text;
  EXPECT_EQ(Client(server.base_url(), key).get("/categories", page).number("x-ratelimit-limit"), 60);
  const Response guessed = Client(server.base_url(), "kb_guess").get("/categories", page);
  EXPECT_EQ(guessed.status, 401);
  EXPECT_EQ(guessed.number("x-ratelimit-limit"), 10) << "an origin does not make guessing keys cheaper";
}

TEST_F(PlansTest, AreCountedInTheMetrics) {
  const auto key = base_.create_key("premium");
  const ServerProcess server = base_.serve();
  Client web(server.base_url());
  Client with_key(server.base_url(), key.text);
  for (int i = 0; i < 12; ++i) web.get("/categories");
  for (int i = 0; i < 4; ++i) with_key.get("/categories");
  web.get("/health");
  const std::string text = Client(admin_url(base_)).get("/metrics").body;
  EXPECT_EQ(value_of(text, R"(kbase_quota_requests_total{plan="public",client="address"})"), 10) << text;
  EXPECT_EQ(value_of(text, R"(kbase_quota_requests_total{plan="premium",client="key"})"), 4);
  EXPECT_EQ(value_of(text, R"(kbase_quota_denials_total{client="address",window="minute"})"), 2);
  EXPECT_EQ(text.find(key.id), std::string::npos);
}

TEST_F(PlansTest, AreReportedIfMissingAtTheStartAndTheirKeysGetThePublicLimits) {
  configure("plans: { gold: { per_minute: 7 } }\n");
  const auto key = base_.create_key("gold");
  configure("");
  ServerProcess server = base_.serve();
  const Response response = Client(server.base_url(), key.text).get("/categories");
  expect_data(response);
  EXPECT_EQ(response.number("x-ratelimit-limit"), 10);
  const auto warnings = events("keys.plan_unknown");
  ASSERT_EQ(warnings.size(), 1U) << base_.log();
  EXPECT_NE(warnings[0].dump().find(key.id + " (gold)"), std::string::npos) << warnings[0];
  EXPECT_EQ(reload(server, "logging: { level: debug }\n")["event"], "config.reloaded") << "no existing plan is removed";
}

TEST_F(PlansTest, CountAnUnlistedProxyAsOneClientAndLogARemedy) {
  ServerProcess server = base_.serve();
  Client web(server.base_url());
  web.get("/categories");
  EXPECT_TRUE(events("http.proxy_not_trusted").empty());
  for (const char* address : {"203.0.113.7", "203.0.113.8"})
    EXPECT_EQ(web.get("/categories", {std::string("X-Forwarded-For: ") + address}).status, 200);
  EXPECT_EQ(server.stop(), 0);
  const auto warnings = events("http.proxy_not_trusted");
  ASSERT_EQ(warnings.size(), 1U) << base_.log();
  EXPECT_EQ(warnings[0].value("configuration", ""), R"(server: { trusted_proxies: ["127.0.0.1"] })");
  EXPECT_EQ(base_.log().find("203.0.113"), std::string::npos);
}

}  // namespace
}  // namespace kbase::tests
