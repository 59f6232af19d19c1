// SPDX-License-Identifier: Apache-2.0
#include "adapters/anthropic/anthropic_language_model.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/adapters/language_model/model_fixture.hpp"

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

TEST(Anthropic, SendsTheApiVersion) {
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", fake_anthropic().answer({})); });
  ModelClientFixture fixture(fake_anthropic(), server.url());
  EXPECT_TRUE(fixture.complete().completion);
  EXPECT_EQ(server.received().at(0).field("anthropic-version"), "2023-06-01");
}

TEST(Anthropic, RejectsATemperatureAboveOneBeforeSendingARequest) {
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", fake_anthropic().answer({})); });
  ModelClientFixture fixture(fake_anthropic(), server.url());
  ports::Prompt prompt = prompt_of("Hello?");
  prompt.temperature = 1.5;
  EXPECT_TRUE(failed_with(fixture.complete(prompt), ErrorCode::InvalidArgument, "temperature"));
  EXPECT_TRUE(server.received().empty());
  prompt.temperature = 1.0;
  EXPECT_TRUE(fixture.complete(prompt).completion);
}

TEST(Anthropic, ReportsWhyTheModelStopped) {
  using ports::FinishReason;
  const std::vector<std::pair<std::string, FinishReason>> reasons{
      {"end_turn", FinishReason::Stop},         {"stop_sequence", FinishReason::Stop},
      {"max_tokens", FinishReason::Length},     {"model_context_window_exceeded", FinishReason::Length},
      {"refusal", FinishReason::ContentFilter}, {"tool_use", FinishReason::Other}};
  for (const auto& [name, reason] : reasons) {
    Json answer = Json::parse(fake_anthropic().answer({}));
    answer["stop_reason"] = name;
    ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", answer.dump()); });
    const CompletionOutcome outcome = ModelClientFixture(fake_anthropic(), server.url()).complete();
    ASSERT_TRUE(outcome.completion) << outcome.error->detail;
    EXPECT_EQ(outcome.completion->finish_reason, reason) << name;
  }
}

TEST(Anthropic, ReadsContentThatIsNoListOfBlocks) {
  Json answer = Json::parse(fake_anthropic().answer({}));
  for (const Json& content : {Json("Hello"), Json{{"type", "text"}, {"text", "Hello"}}}) {
    answer["content"] = content;
    ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", answer.dump()); });
    EXPECT_EQ(ModelClientFixture(fake_anthropic(), server.url()).complete().text(), "Hello");
  }
}

TEST(Anthropic, OmitsThinkingBlocks) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    Parts parts = fake_anthropic().stream({});
    parts.insert(parts.begin() + 3,
                 "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
                 "\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}}\n\n");
    peer.answer("200 OK", joined(parts));
  });
  EXPECT_EQ(ModelClientFixture(fake_anthropic(), server.url()).complete("Hello?", true).text(),
            FakeCompletion().text());
}

TEST(Anthropic, MatchesTheSchemasOfTheOfficialClient) {
  const auto request = llm_schema("anthropic-request");
  if (!request) GTEST_SKIP() << "KBASE_TEST_DATA contains no schemas";
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", fake_anthropic().answer({})); });
  ModelClientFixture fixture(fake_anthropic(), server.url());
  EXPECT_TRUE(fixture.complete().completion);
  EXPECT_EQ(schema_error(server.received().at(0).body, *request), "");
  EXPECT_EQ(schema_error(fake_anthropic().answer({}), *llm_schema("anthropic-message")), "");
  EXPECT_EQ(
      schema_error(fake_anthropic().error("overloaded_error", "Overloaded"), *llm_schema("anthropic-error-response")),
      "");
  for (const std::string& part : fake_anthropic().stream({})) {
    const std::string data = part.substr(part.find("data: ") + 6);
    if (data.find("\"ping\"") == std::string::npos) {  // the one event that the client's schema does not describe
      EXPECT_EQ(schema_error(data, *llm_schema("anthropic-stream-event")), "") << part;
    }
  }
}

}  // namespace
}  // namespace kbase::tests
