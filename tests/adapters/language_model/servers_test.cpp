// SPDX-License-Identifier: Apache-2.0
// Tests on real language model servers, if this machine has them: llama.cpp at KBASE_TEST_LLM_URL with
// KBASE_TEST_LLM_KEY, Ollama at KBASE_TEST_OLLAMA_URL. The small models write random text, and sometimes nothing.
#include <gtest/gtest.h>

#include <cstdlib>

#include "adapters/anthropic/anthropic_language_model.hpp"
#include "adapters/ollama/ollama_language_model.hpp"
#include "adapters/openai/openai_language_model.hpp"
#include "domain/base/text.hpp"
#include "tests/adapters/language_model/model_fixture.hpp"

namespace kbase::tests {
namespace {

constexpr const char* kServedModel = "kbase-tiny";
constexpr int kTries = 20;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// A real server and the adapter that connects to it.
struct Served {
  const char* name;
  const char* url_variable;
  const char* path;
  std::unique_ptr<ports::LanguageModel> (*open)(const std::string& base_url, const std::string& key,
                                                ports::HttpClient& http, const ports::Clock& clock);
  bool has_keys;
  bool knows_its_models;
};

template <class Adapter, class Options>
std::unique_ptr<ports::LanguageModel> open(const std::string& base_url, const std::string& key, ports::HttpClient& http,
                                           const ports::Clock& clock) {
  Options options;
  options.base_url = base_url;
  options.api_key = key;
  return std::make_unique<Adapter>(options, http, clock);
}

constexpr auto kOpenAi = open<openai::OpenAiLanguageModel, openai::Options>;
constexpr auto kAnthropic = open<anthropic::AnthropicLanguageModel, anthropic::Options>;
constexpr auto kOllama = open<ollama::OllamaLanguageModel, ollama::Options>;

const std::vector<Served> kServed{
    {"OpenAiOfLlamaCpp", "KBASE_TEST_LLM_URL", "/v1", kOpenAi, true, false},
    {"AnthropicOfLlamaCpp", "KBASE_TEST_LLM_URL", "/v1", kAnthropic, true, false},
    {"Ollama", "KBASE_TEST_OLLAMA_URL", "", kOllama, false, true},
    {"OpenAiOfOllama", "KBASE_TEST_OLLAMA_URL", "/v1", kOpenAi, false, true},
};

void PrintTo(const Served& served, std::ostream* out) { *out << served.name; }

class RealServer : public testing::TestWithParam<Served> {
 protected:
  void SetUp() override {
    const std::string url = variable(GetParam().url_variable);
    if (url.empty()) GTEST_SKIP() << GetParam().url_variable << " is not set";
    curl::ClientOptions options = CurlFixture::options(url);
    http_ = fixture_.client(options);
    model_ = opened(GetParam().has_keys ? variable("KBASE_TEST_LLM_KEY") : "");
  }

  std::unique_ptr<ports::LanguageModel> opened(const std::string& key, const char* path = GetParam().path) {
    return GetParam().open(variable(GetParam().url_variable) + path, key, *http_, fixture_.clock);
  }

  static ports::Prompt prompt(bool is_stream, std::uint32_t max_tokens) {
    ports::Prompt prompt = prompt_of("Write about knowledge.", is_stream);
    prompt.model = kServedModel;
    prompt.max_tokens = max_tokens;
    prompt.temperature = 1.0;
    return prompt;
  }

  CompletionOutcome complete(const ports::Prompt& prompt) { return tests::complete(*model_, fixture_.call, prompt); }

  /// Asks again if the model wrote nothing, which the adapters refuse.
  CompletionOutcome complete_with_text(const ports::Prompt& prompt) {
    CompletionOutcome outcome = complete(prompt);
    for (int i = 1; i < kTries && outcome.error && outcome.error->detail == "the response has no text"; ++i)
      outcome = complete(prompt);
    return outcome;
  }

  CurlFixture fixture_;
  std::unique_ptr<ports::HttpClient> http_;
  std::unique_ptr<ports::LanguageModel> model_;
};
INSTANTIATE_TEST_SUITE_P(Each, RealServer, testing::ValuesIn(kServed),
                         [](const testing::TestParamInfo<Served>& test) { return test.param.name; });

TEST_P(RealServer, IsHealthy) { EXPECT_TRUE(succeeded(model_->health(fixture_.call))); }

TEST_P(RealServer, CompletesWithRealTokenCounts) {
  for (const bool is_stream : {false, true}) {
    const CompletionOutcome outcome = complete_with_text(prompt(is_stream, 12));
    ASSERT_TRUE(outcome.completion) << outcome.error->detail;
    EXPECT_NE(outcome.completion->model.find(kServedModel), std::string::npos) << outcome.completion->model;
    EXPECT_GT(outcome.completion->prompt_tokens, 3U);
    EXPECT_GT(outcome.completion->completion_tokens, 0U);
    EXPECT_LE(outcome.completion->completion_tokens, 12U);
    const bool is_truncated = outcome.completion->finish_reason == ports::FinishReason::Length;
    EXPECT_TRUE(!is_truncated || outcome.completion->completion_tokens == 12);  // or token 12 ends the text
    for (const std::string& piece : outcome.pieces) EXPECT_TRUE(!piece.empty() && utf8::is_valid(piece)) << piece;
    EXPECT_TRUE(is_stream || outcome.pieces.size() <= 1);
  }
}

TEST_P(RealServer, StreamsInManyPieces) {
  CompletionOutcome longest;
  for (int i = 0; i < kTries && longest.pieces.size() < 3; ++i) longest = complete(prompt(true, 40));
  ASSERT_TRUE(longest.completion);
  EXPECT_GE(longest.pieces.size(), 3U);
}

TEST_P(RealServer, RespondsAgainAfterAnAbandonedStream) {
  bool has_text = false;
  const auto stop = [&](std::string_view) {
    has_text = true;
    return Visit::Stop;
  };
  for (int i = 0; i < kTries && !has_text; ++i) {
    const auto left = model_->complete(fixture_.call, prompt(true, 200), stop);
    EXPECT_EQ(has_text, failed(left, ErrorCode::Cancelled));
  }
  EXPECT_TRUE(has_text);
  const CompletionOutcome again = complete_with_text(prompt(true, 5));
  EXPECT_TRUE(again.completion) << again.error->detail;
}

TEST_P(RealServer, RejectsAWrongKey) {
  if (!GetParam().has_keys) GTEST_SKIP() << "this server has no keys";
  model_ = opened("sk-wrong-key-of-mine");
  const CompletionOutcome outcome = complete(prompt(true, 5));
  ASSERT_TRUE(failed_with(outcome, ErrorCode::BadUpstream));
  EXPECT_NE(outcome.error->detail.find("set llm.config.api_key"), std::string::npos) << outcome.error->detail;
  EXPECT_EQ(outcome.error->detail.find("sk-wrong"), std::string::npos);
}

TEST_P(RealServer, RejectsAnUnknownModel) {
  if (!GetParam().knows_its_models) GTEST_SKIP() << "this server accepts any model name";
  ports::Prompt unknown = prompt(false, 5);
  unknown.model = "no-such-model";
  EXPECT_TRUE(failed_with(complete(unknown), ErrorCode::InvalidArgument, "model"));
  unknown.is_stream = true;
  EXPECT_TRUE(failed_with(complete(unknown), ErrorCode::InvalidArgument, "model"));
}

TEST_P(RealServer, AcceptsNoPromptsOnOtherPaths) {
  model_ = opened(variable("KBASE_TEST_LLM_KEY"), "/elsewhere");
  const CompletionOutcome outcome = complete(prompt(true, 5));
  ASSERT_TRUE(failed_with(outcome, ErrorCode::BadUpstream));
  EXPECT_NE(outcome.error->detail.find("base_url"), std::string::npos) << outcome.error->detail;
}

TEST_P(RealServer, ReportsThatAPromptIsTooLong) {
  if (std::string_view(GetParam().url_variable) != "KBASE_TEST_LLM_URL")
    GTEST_SKIP() << "this server truncates the prompt";
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "knowledge ";
  ports::Prompt too_long = prompt(true, 5);
  too_long.text = text;
  EXPECT_TRUE(failed_with(complete(too_long), ErrorCode::InvalidArgument, "prompt"));
}

}  // namespace
}  // namespace kbase::tests
