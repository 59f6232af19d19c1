// SPDX-License-Identifier: Apache-2.0
// Token budget of POST /external/llm, reserved before a prompt and adjusted after it, counted in this process or in a
// Redis that several servers share. Manual: docs/guide/completions.md and docs/operations/config-plans-and-limits.md.
#include <optional>

#include "tests/e2e/language_model_fixture.hpp"
#include "tests/e2e/metrics.hpp"
#include "tests/support/redis_server.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

/// Uses five tokens. The prompt is estimated at two.
const FakeCompletion kFive{{"Yes."}, /*is_cut_by_length=*/false, 3, 2};

json prompt_with_max_tokens(int max_tokens, bool is_stream = false) {
  return {{"prompt", "Right?"}, {"max_tokens", max_tokens}, {"stream", is_stream}};
}

class TokenBudgetTest : public LanguageModelTest {
 protected:
  TokenBudgetTest() { service_.complete(kFive); }

  static void expect_success(const Response& response) { EXPECT_EQ(response.status, 200) << response.body; }

  /// Expects a rejection because the daily limit of `limit` tokens does not cover the request.
  static void expect_exhausted(const Response& response, int limit) {
    expect_error(response, 429, "RATE_LIMIT_EXCEEDED");
    const json details = response.json()["error"].value("details", json::object());
    EXPECT_EQ(details.value("limit", 0), limit) << response.body;
    EXPECT_EQ(details.value("reset", 1LL) % 86'400, 0) << "the end of the day: " << response.body;
    EXPECT_GE(response.number("retry-after"), 1);
    EXPECT_LE(response.number("retry-after"), 86'400);
    EXPECT_EQ(response.number("x-ratelimit-limit"), 60) << "these fields still describe requests";
    EXPECT_GT(response.number("x-ratelimit-remaining"), 0);
  }
};

TEST_F(TokenBudgetTest, RefundsReservedTokensThatWereNotUsed) {
  Client web = serve({"plans.developer.llm_tokens_per_day=30"});
  expect_success(prompt(web, prompt_with_max_tokens(28)));
  expect_exhausted(prompt(web, prompt_with_max_tokens(24)), 30);
  expect_success(prompt(web, prompt_with_max_tokens(23)));
  expect_exhausted(prompt(web, prompt_with_max_tokens(19, /*is_stream=*/true)), 30);
  expect_success(prompt(web, prompt_with_max_tokens(18, /*is_stream=*/true)));
  expect_exhausted(prompt(web, prompt_with_max_tokens(14)), 30);
  EXPECT_EQ(service_.prompts().size(), 3U) << "a rejected prompt is not sent";
}

TEST_F(TokenBudgetTest, ChargesTokensUsedBeyondTheEstimate) {
  service_.complete({{"Yes."}, /*is_cut_by_length=*/false, 20, 5});
  Client web = serve({"plans.developer.llm_tokens_per_day=30"});
  expect_success(prompt(web, prompt_with_max_tokens(1)));
  expect_exhausted(prompt(web, prompt_with_max_tokens(4)), 30);
  expect_success(prompt(web, prompt_with_max_tokens(3)));
  expect_exhausted(prompt(web, prompt_with_max_tokens(1)), 30);
}

TEST_F(TokenBudgetTest, ExistsPerKeyAndForTheService) {
  Client web = serve({"plans.developer.llm_tokens_per_day=30", "llm.tokens_per_day=20"});
  expect_exhausted(prompt(web, prompt_with_max_tokens(23)), 20);
  expect_success(prompt(web, prompt_with_max_tokens(18)));  // the key has 25 left: a rejected request charges nothing
  Client other(server().base_url(), base_.create_key("developer").text);
  expect_exhausted(prompt(other, prompt_with_max_tokens(14)), 20);
  for (int left = 13; left >= 3; left -= 5) expect_success(prompt(other, prompt_with_max_tokens(left)));
  expect_exhausted(prompt(other, prompt_with_max_tokens(14)), 30);
  expect_exhausted(prompt(web, prompt_with_max_tokens(1)), 20);
}

TEST_F(TokenBudgetTest, IsUnchangedIfTheServiceRejectsOrFails) {
  Client web = serve({"plans.developer.llm_tokens_per_day=30"});
  for (const char* status : {"401 Unauthorized", "429 Too Many Requests", "500 Internal Server Error"}) {
    service_.refuse(status, service_.api().error("some_error", "No."));
    EXPECT_GE(prompt(web, prompt_with_max_tokens(28)).status, 500);
    EXPECT_GE(prompt(web, prompt_with_max_tokens(28, /*is_stream=*/true)).status, 500);
  }
  service_.refuse("404 Not Found", service_.api().error("model_not_found", "No."));
  expect_bad_parameter(prompt(web, prompt_with_max_tokens(28)), "model");
  expect_bad_parameter(prompt(web, {{"prompt", "Right?"}, {"max_tokens", 28}, {"temperature", 3}}), "temperature");
  service_.complete(kFive);
  expect_success(prompt(web, prompt_with_max_tokens(28)));
}

TEST_F(TokenBudgetTest, KeepsTheWholeChargeIfTheUsageIsUnknown) {
  service_.say_nothing();
  Client web = serve({"plans.developer.llm_tokens_per_day=30", "llm.timeout=200ms"});
  expect_error(prompt(web, prompt_with_max_tokens(26)), 504, "UPSTREAM_TIMEOUT");
  service_.complete(kFive);
  expect_exhausted(prompt(web, prompt_with_max_tokens(1)), 30);
}

TEST_F(TokenBudgetTest, KeepsTheEstimateOfABrokenStream) {
  service_.play([this](const ReceivedRequest&, Peer& peer) {
    service_.begin(peer);
    peer.reset();
  });
  Client web = serve({"plans.developer.llm_tokens_per_day=30"});
  const Response broken = prompt(web, prompt_with_max_tokens(28, /*is_stream=*/true));
  EXPECT_EQ(events_of(broken.body).back().name, "error");
  service_.complete(kFive);
  expect_exhausted(prompt(web, prompt_with_max_tokens(26)), 30);
  expect_success(prompt(web, prompt_with_max_tokens(25)));  // charged: two for the prompt and one for the text
}

TEST_F(TokenBudgetTest, IsThePublicBudgetForAKeyWhosePlanIsGone) {
  const std::string gold = base_.create_key("gold", {"--set", "plans.gold.llm_tokens_per_day=1000"}).text;
  serve({"plans.public.llm_tokens_per_day=30"});
  Client web(server().base_url(), gold);
  expect_success(prompt(web, prompt_with_max_tokens(28)));
  const Response spent = prompt(web, prompt_with_max_tokens(24));
  expect_error(spent, 429, "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(spent.json()["error"]["details"]["limit"], 30);
}

TEST_F(TokenBudgetTest, HasNoLimitIfItIsZero) {
  Client web = serve({"plans.developer.llm_tokens_per_day=0"});
  for (int i = 0; i < 3; ++i) expect_success(prompt(web, prompt_with_max_tokens(4096)));
}

TEST_F(TokenBudgetTest, IsExposedInTheMetrics) {
  Client web = serve({"plans.developer.llm_tokens_per_day=30", "admin.port=0"});
  expect_success(prompt(web, prompt_with_max_tokens(28)));
  expect_success(prompt(web, prompt_with_max_tokens(20, /*is_stream=*/true)));
  expect_exhausted(prompt(web, prompt_with_max_tokens(28)), 30);
  expect_bad_parameter(prompt(web, {{"prompt", ""}}), "prompt");
  service_.refuse("500 Internal Server Error", "");
  EXPECT_EQ(prompt(web, prompt_with_max_tokens(9)).status, 502);
  const std::string text = Client(admin_url(base_)).get("/metrics").body;
  const auto completions = [&](const std::string& outcome) {
    return value_of(text, "kbase_llm_completions_total{outcome=\"" + outcome + "\"}");
  };
  EXPECT_EQ(completions("completed"), 2) << text;
  EXPECT_EQ(completions("spent"), 1);
  EXPECT_EQ(completions("wrong"), 0) << "its body was rejected before the prompt was counted";
  EXPECT_EQ(completions("failed"), 1);
  EXPECT_EQ(value_of(text, R"(kbase_llm_tokens_total{of="prompt"})"), 6);
  EXPECT_EQ(value_of(text, R"(kbase_llm_tokens_total{of="completion"})"), 4);
  EXPECT_EQ(value_of(text, "kbase_llm_first_piece_duration_seconds_count"), 1);
  EXPECT_EQ(value_of(text, "kbase_llm_open_streams"), 0);
  EXPECT_EQ(value_of(text, R"(kbase_rate_limit_adjustments_total{outcome="settled"})"), 3);
}

/// Servers that count in one Redis, and a key that both accept.
class SharedTokenBudget : public TokenBudgetTest {
 protected:
  void SetUp() override {
    if (!has_redis()) GTEST_SKIP() << kNoRedis;
    redis_.emplace();
  }

  std::vector<std::string> shared_settings() const {
    return {"plans.developer.llm_tokens_per_day=30",
            "rate_limit.timeout=5s",
            "rate_limit.plugin=redis",
            "rate_limit.config.url=" + redis_->url(),
            "rate_limit.secret=a-secret-that-several-servers-share",
            "keys=[{id: shared, name: shared, plan: developer, key: " + shared_key_ + "}]"};
  }

  const std::string shared_key_ = KnowledgeBase(Storage::Memory).create_key("developer").text;
  std::optional<RedisServer> redis_;
};

TEST_F(SharedTokenBudget, IsAdjustedForEveryServer) {
  serve(shared_settings());
  Client one(server().base_url(), shared_key_);
  const KnowledgeBase base(Storage::Memory);
  ServerProcess second = base.serve(arguments(shared_settings()));
  Client other(second.base_url(), shared_key_);
  expect_success(prompt(one, prompt_with_max_tokens(28)));
  expect_exhausted(prompt(other, prompt_with_max_tokens(24)), 30);
  expect_success(prompt(other, prompt_with_max_tokens(23)));
  expect_exhausted(prompt(one, prompt_with_max_tokens(19)), 30);
  expect_success(prompt(one, prompt_with_max_tokens(18, /*is_stream=*/true)));
  expect_exhausted(prompt(other, prompt_with_max_tokens(14)), 30);
}

TEST_F(SharedTokenBudget, RejectsPromptsWhileTheRateLimiterIsUnavailable) {
  serve(shared_settings());
  Client web(server().base_url(), shared_key_);
  expect_success(prompt(web, prompt_with_max_tokens(8)));
  redis_->kill();
  for (const bool is_stream : {false, true}) {
    const Response response = prompt(web, prompt_with_max_tokens(8, is_stream));
    expect_error(response, 503, "SERVICE_UNAVAILABLE");
    EXPECT_GE(response.number("retry-after"), 1);
  }
  EXPECT_EQ(web.get("/categories").status, 200) << "requests are counted locally in the meantime";
  EXPECT_EQ(service_.prompts().size(), 1U);
}

}  // namespace
}  // namespace kbase::tests
