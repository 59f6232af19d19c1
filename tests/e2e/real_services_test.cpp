// SPDX-License-Identifier: Apache-2.0
// The whole program with real upstream servers, which the variables of docs/architecture/testing.md name.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/external_base.hpp"
#include "tests/e2e/real_service.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;

struct Served {
  const char* name;
  const char* plugin;
  const char* url_variable;
  const char* path;
  bool has_keys;
};

/// Number of attempts to get a text: a small model writes at random and sometimes returns an empty text.
constexpr int kTries = 20;

const std::vector<Served> kServed{
    {"LlamaCppAsOpenAi", "openai", "KBASE_TEST_LLM_URL", "/v1", true},
    {"LlamaCppAsAnthropic", "anthropic", "KBASE_TEST_LLM_URL", "/v1", true},
    {"Ollama", "ollama", "KBASE_TEST_OLLAMA_URL", "", false},
};

void PrintTo(const Served& served, std::ostream* out) { *out << served.name; }

class RealModel : public testing::TestWithParam<Served> {
 protected:
  void SetUp() override {
    if (variable(GetParam().url_variable).empty()) GTEST_SKIP() << GetParam().url_variable << " names no server";
  }

  ExternalBase served(const ExternalBase::Sets& extra = {}) const {
    ExternalBase::Sets sets{std::string("llm.plugin=") + GetParam().plugin,
                            "llm.config.base_url=" + variable(GetParam().url_variable) + GetParam().path,
                            "llm.config.default_model=kbase-tiny", "llm.timeout=30s", "server.request_timeout=30s"};
    if (GetParam().has_keys) sets.push_back("llm.config.api_key=" + variable("KBASE_TEST_LLM_KEY"));
    sets.insert(sets.end(), extra.begin(), extra.end());
    return ExternalBase(sets);
  }

  /// Checks the `data` of a completion or of the event `done`.
  static void expect_end(const json& data) {
    EXPECT_THAT(data.value("model", ""), HasSubstr("kbase-tiny"));
    EXPECT_TRUE(data["finish_reason"] == "stop" || data["finish_reason"] == "length") << data;
    const json& usage = data["usage"];
    EXPECT_GT(usage["prompt_tokens"], 3);
    EXPECT_GT(usage["completion_tokens"], 0);
    EXPECT_LE(usage["completion_tokens"], 24);
    EXPECT_EQ(usage["total_tokens"], usage["prompt_tokens"].get<int>() + usage["completion_tokens"].get<int>());
  }
};
INSTANTIATE_TEST_SUITE_P(Each, RealModel, testing::ValuesIn(kServed),
                         [](const testing::TestParamInfo<Served>& test) { return test.param.name; });

TEST_P(RealModel, StreamsTheOutputOfTheModel) {
  const ExternalBase base = served();
  std::string text;
  for (int i = 0; i < kTries && text.empty(); ++i) {
    const Response response = base.client().send(prompt_of("Write about knowledge.", true, 24));
    ASSERT_EQ(response.status, 200) << response.body;
    EXPECT_THAT(response.field("content-type"), HasSubstr("text/event-stream"));
    const std::vector<StreamEvent> events = events_of(response.body);
    ASSERT_FALSE(events.empty()) << response.body;
    EXPECT_EQ(events.back().name, "done");
    expect_end(events.back().data);
    text = text_of(events);
  }
  EXPECT_FALSE(text.empty());
}

TEST_P(RealModel, ReturnsACompletionInOnePiece) {
  const ExternalBase base = served();
  const Response response = base.client().send(prompt_of("Write about knowledge.", false, 24));
  expect_common_fields(response);
  ASSERT_EQ(response.status, 200) << response.body;
  const json data = response.json()["data"];
  EXPECT_TRUE(data["completion"].is_string());
  expect_end(data);
}

TEST_P(RealModel, CountsTheReportedTokens) {
  const ExternalBase base = served({"plans.premium.llm_tokens_per_day=200"});
  Client web = base.client();
  const Response first = web.send(prompt_of("Write about knowledge.", false, 24));
  ASSERT_EQ(first.status, 200) << first.body;
  const int used = first.json()["data"]["usage"]["total_tokens"];
  const int left = 200 - used - 8;  // minus the estimate for this prompt's 24 bytes
  expect_error(web.send(prompt_of("Write about knowledge.", false, left + 1)), 429, "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(web.send(prompt_of("Write about knowledge.", false, left)).status, 200);
}

TEST_P(RealModel, IsAvailableInHealth) {
  const ExternalBase base = served();
  Client web = base.keyless_client();
  EXPECT_EQ(web.get("/health").json()["services"]["external_apis"]["llm"], "available");
}

TEST_P(RealModel, AnswersOnTheCommandLine) {
  std::vector<std::string> command{
      "external",     "llm",
      "--prompt",     "Write about knowledge.",
      "--max-tokens", "24",
      "--set",        std::string("llm.plugin=") + GetParam().plugin,
      "--set",        "llm.config.base_url=" + variable(GetParam().url_variable) + GetParam().path,
      "--set",        "llm.config.default_model=kbase-tiny",
      "--set",        "llm.timeout=30s"};
  if (GetParam().has_keys) {
    command.emplace_back("--set");
    command.push_back("llm.config.api_key=" + variable("KBASE_TEST_LLM_KEY"));
  }
  Outcome outcome;
  for (int i = 0; i < kTries && outcome.output.size() <= 1; ++i) {
    outcome = run_kbase(command);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  }
  EXPECT_GT(outcome.output.size(), 1U);
  EXPECT_THAT(outcome.errors, HasSubstr("kbase-tiny"));
  EXPECT_THAT(outcome.errors, HasSubstr("prompt tokens"));
}

TEST(RealLlamaCpp, RejectsAPromptThatIsTooLongForTheModel) {
  const std::string url = variable("KBASE_TEST_LLM_URL");
  if (url.empty()) GTEST_SKIP() << "KBASE_TEST_LLM_URL names no server";
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "knowledge ";
  for (const std::string plugin : {"openai", "anthropic"}) {
    const ExternalBase base({"llm.plugin=" + plugin, "llm.config.base_url=" + url + "/v1",
                             "llm.config.api_key=" + variable("KBASE_TEST_LLM_KEY"),
                             "llm.config.default_model=kbase-tiny", "llm.max_prompt_bytes=256KiB"});
    for (const bool is_stream : {false, true})
      expect_error(base.client().send(prompt_of(text, is_stream, 5)), 400, "INVALID_PARAMETER", "prompt");
  }
}

TEST(RealLlamaCpp, RejectsAnotherKey) {
  const std::string url = variable("KBASE_TEST_LLM_URL");
  if (url.empty()) GTEST_SKIP() << "KBASE_TEST_LLM_URL names no server";
  const ExternalBase base({"llm.plugin=openai", "llm.config.base_url=" + url + "/v1", "llm.config.api_key=sk-wrong",
                           "llm.config.default_model=kbase-tiny"});
  for (const bool is_stream : {false, true}) {
    const Response response = base.client().send(prompt_of("Hello?", is_stream, 5));
    expect_error(response, 502, "UPSTREAM_ERROR");
    EXPECT_EQ(response.body.find("sk-wrong"), std::string::npos);
  }
}

class RealGitea : public testing::Test {
 protected:
  void SetUp() override {
    if (url_.empty()) GTEST_SKIP() << "KBASE_TEST_GITEA_URL names no Gitea";
  }

  ExternalBase served() const {
    return ExternalBase(
        {"codehost.plugin=gitea", "codehost.config.base_url=" + url_, "codehost.config.token=" + token_});
  }

  /// Creates a private repository with the token, if it does not exist.
  void make_private_repository() const {
    const Response made = Client(url_, token_)
                              .send({.method = "POST",
                                     .target = "/api/v1/user/repos",
                                     .fields = {"Content-Type: application/json"},
                                     .body = R"({"name": "hidden", "private": true, "auto_init": true})",
                                     .whole_target = {}});
    ASSERT_TRUE(made.status == 201 || made.status == 409) << made.status << made.body;
  }

  const std::string url_ = variable("KBASE_TEST_GITEA_URL");
  const std::string user_ = variable("KBASE_TEST_GITEA_USER");
  const std::string token_ = variable("KBASE_TEST_GITEA_TOKEN");
};

TEST_F(RealGitea, ReturnsCodeInFourLanguagesAndNothingPrivate) {
  make_private_repository();
  const ExternalBase base = served();
  const Response response = base.keyless_client().get("/external/codehost/" + user_);
  expect_common_fields(response);
  ASSERT_EQ(response.status, 200) << response.body;
  const json data = response.json()["data"];
  EXPECT_EQ(data["profile"]["username"], user_);
  EXPECT_EQ(data["repositories"].size(), 2U);
  double shares = 0;
  std::set<std::string> languages;
  for (const auto& [language, share] : data["languages"].items()) {
    languages.insert(language);
    shares += share.get<double>();
  }
  EXPECT_EQ(languages, (std::set<std::string>{"C++", "Go", "Python", "Shell"})) << data["languages"];
  EXPECT_NEAR(shares, 1, 0.001);
  EXPECT_EQ(response.body.find("hidden"), std::string::npos);
  EXPECT_EQ(base.keyless_client().get("/external/codehost/" + user_).body, response.body);
}

TEST_F(RealGitea, ReturnsNotFoundForAnUnknownUser) {
  const ExternalBase base = served();
  expect_error(base.keyless_client().get("/external/codehost/no-such-user-of-kbase"), 404, "NOT_FOUND");
}

TEST_F(RealGitea, AnswersOnTheCommandLine) {
  const Outcome shown = run_kbase(
      {"external", "codehost", user_, "--set", "codehost.plugin=gitea", "--set", "codehost.config.base_url=" + url_});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_EQ(json::parse(shown.output)["profile"]["username"], user_);
}

}  // namespace
}  // namespace kbase::tests
