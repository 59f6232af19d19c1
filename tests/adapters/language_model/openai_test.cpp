// SPDX-License-Identifier: Apache-2.0
#include "adapters/openai/openai_language_model.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/adapters/language_model/model_fixture.hpp"

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

Json request_with(const openai::Options& set, bool is_stream) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("500 No"); });
  CurlFixture fixture;
  const auto http = fixture.client(server.url());
  openai::Options options = set;
  options.base_url = server.url();
  openai::OpenAiLanguageModel model(options, *http, fixture.clock);
  EXPECT_TRUE(failed_with(complete(model, fixture.call, prompt_of("Hello?", is_stream)), ErrorCode::BadUpstream));
  return Json::parse(server.received().at(0).body);
}

TEST(OpenAi, SendsTheTokenLimitInTheConfiguredMember) {
  openai::Options options;
  EXPECT_EQ(request_with(options, false).at("max_tokens"), 100);
  options.token_limit = openai::Options::TokenLimit::MaxCompletionTokens;
  const Json request = request_with(options, false);
  EXPECT_EQ(request.at("max_completion_tokens"), 100);
  EXPECT_FALSE(request.contains("max_tokens"));
}

TEST(OpenAi, RequestsTokenCountsOfStreamsUnlessDisabled) {
  openai::Options options;
  EXPECT_EQ(request_with(options, true).at("stream_options").at("include_usage"), true);
  EXPECT_FALSE(request_with(options, false).contains("stream_options"));
  options.requests_usage = false;
  EXPECT_FALSE(request_with(options, true).contains("stream_options"));
}

CompletionOutcome outcome_of_stream(const std::string& body) {
  ScriptedHttpServer server(
      [&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK\r\nContent-Type: text/event-stream", body); });
  return ModelClientFixture(fake_openai(), server.url()).complete("Hello?", true);
}

std::string chunk(const std::string& delta, const std::string& reason) {
  return R"(data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":)" +
         delta + ",\"finish_reason\":" + reason + "}]}\n\n";
}

TEST(OpenAi, ReportsWhyTheModelStopped) {
  using ports::FinishReason;
  const std::vector<std::pair<std::string, FinishReason>> reasons{{"stop", FinishReason::Stop},
                                                                  {"length", FinishReason::Length},
                                                                  {"content_filter", FinishReason::ContentFilter},
                                                                  {"tool_calls", FinishReason::Other}};
  for (const auto& [name, reason] : reasons) {
    const CompletionOutcome outcome =
        outcome_of_stream(chunk(R"({"content":"x"})", "\"" + name + "\"") + "data: [DONE]\n\n");
    ASSERT_TRUE(outcome.completion) << outcome.error->detail;
    EXPECT_EQ(outcome.completion->finish_reason, reason);
  }
}

TEST(OpenAi, ReturnsARefusalAsText) {
  const CompletionOutcome outcome = outcome_of_stream(chunk(R"({"content":null,"refusal":"I can't."})", "\"stop\""));
  EXPECT_EQ(outcome.text(), "I can't.");
}

TEST(OpenAi, AcceptsAStreamWithoutEndMarkAndTokenCounts) {
  const CompletionOutcome outcome =
      outcome_of_stream(chunk(R"({"content":"123456"})", "null") + chunk("{}", "\"stop\""));
  ASSERT_TRUE(outcome.completion) << outcome.error->detail;
  EXPECT_EQ(outcome.completion->prompt_tokens, 2U);  // estimated
  EXPECT_EQ(outcome.completion->completion_tokens, 2U);
}

TEST(OpenAi, IgnoresEverythingAfterTheEndMark) {
  const CompletionOutcome outcome = outcome_of_stream(chunk(R"({"content":"x"})", "\"stop\"") + "data: [DONE]\n\n" +
                                                      chunk(R"({"content":"y"})", "\"stop\""));
  EXPECT_EQ(outcome.text(), "x");
}

TEST(OpenAi, JoinsSplitCharacters) {
  const CompletionOutcome outcome =
      outcome_of_stream(chunk("{\"content\":\"Gr\xC3\"}", "null") + chunk("{\"content\":\"\xBC\xC3\"}", "null") +
                        chunk("{\"content\":\"\x9F\x65\"}", "\"stop\""));
  EXPECT_EQ(outcome.pieces, (std::vector<std::string>{"Gr", "\xC3\xBC",
                                                      "\xC3\x9F"
                                                      "e"}));
}

TEST(OpenAi, JoinsTheHalvesOfASurrogatePair) {
  const CompletionOutcome outcome =
      outcome_of_stream(chunk(R"({"content":"a\ud83d"})", "null") + chunk(R"({"content":"\ude00"})", "\"stop\""));
  EXPECT_EQ(outcome.pieces, (std::vector<std::string>{"a", "\xF0\x9F\x98\x80"}));
}

CompletionOutcome outcome_of_choice(const std::string& choice) {
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.answer("200 OK", R"({"model":"m","choices":[)" + choice + R"(],"usage":{"completion_tokens":2}})");
  });
  return ModelClientFixture(fake_openai(), server.url()).complete();
}

TEST(OpenAi, ReadsTextInOtherPlaces) {
  for (const char* const choice :
       {R"({"message":{"content":[{"type":"text","text":"Hel"},{"text":"lo"}]},"finish_reason":"stop"})",
        R"({"message":{"content":["Hel","lo"]},"finish_reason":"stop"})",
        R"({"message":{"content":{"text":"Hello"}},"finish_reason":"stop"})",
        R"({"text":"Hello","finish_reason":"stop"})"})
    EXPECT_EQ(outcome_of_choice(choice).text(), "Hello") << choice;
  EXPECT_EQ(outcome_of_stream("data: {\"choices\":[{\"text\":\"Hello\",\"finish_reason\":\"stop\"}]}\n\n").text(),
            "Hello");
}

TEST(OpenAi, RejectsAResponseWithoutText) {
  for (const char* const choice :
       {R"({"message":{"role":"assistant"},"finish_reason":"stop"})",
        R"({"message":{"content":null},"finish_reason":"stop"})", R"({"answer":"Hello","finish_reason":"stop"})"})
    EXPECT_TRUE(failed_with(outcome_of_choice(choice), ErrorCode::BadUpstream)) << choice;
  EXPECT_TRUE(outcome_of_choice(R"({"message":{"content":""},"finish_reason":"stop"})").completion);
  EXPECT_TRUE(outcome_of_choice(R"({"message":{"content":null},"finish_reason":"length"})").completion);
}

TEST(OpenAi, MatchesTheSchemasOfTheOfficialClient) {
  const auto request = llm_schema("openai-request");
  if (!request) GTEST_SKIP() << "KBASE_TEST_DATA contains no schemas";
  EXPECT_EQ(schema_error(request_with({}, false).dump(), *request), "");
  EXPECT_EQ(schema_error(fake_openai().answer({}), *llm_schema("openai-chat-completion")), "");
  for (const std::string& part : fake_openai().stream({}))
    if (part.find("[DONE]") == std::string::npos) {
      EXPECT_EQ(schema_error(part.substr(6), *llm_schema("openai-chat-completion-chunk")), "") << part;
    }
}

}  // namespace
}  // namespace kbase::tests
