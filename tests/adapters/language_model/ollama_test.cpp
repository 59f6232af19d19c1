// SPDX-License-Identifier: Apache-2.0
#include "adapters/ollama/ollama_language_model.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/adapters/language_model/model_fixture.hpp"

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

TEST(Ollama, SendsTheTokenLimitAndTheStreamFlag) {
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", fake_ollama().answer({})); });
  ModelClientFixture fixture(fake_ollama(), server.url());
  ports::Prompt prompt = prompt_of("Hello?");
  prompt.temperature = 0.25;
  EXPECT_TRUE(fixture.complete(prompt).completion);
  const Json request = Json::parse(server.received().at(0).body);
  EXPECT_EQ(request.at("options"), (Json{{"num_predict", 100}, {"temperature", 0.25}}));
  EXPECT_EQ(request.at("stream"), false);  // Ollama streams by default
}

TEST(Ollama, EstimatesTheTokensOfACachedPrompt) {
  Json answer = Json::parse(fake_ollama().answer({}));
  answer.erase("prompt_eval_count");
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", answer.dump()); });
  const CompletionOutcome outcome = ModelClientFixture(fake_ollama(), server.url()).complete("123456789");
  ASSERT_TRUE(outcome.completion);
  EXPECT_EQ(outcome.completion->prompt_tokens, 3U);
  EXPECT_EQ(outcome.completion->completion_tokens, 4U);
}

TEST(Ollama, ReadsTheTextOfTheOlderApi) {
  Json answer = Json::parse(fake_ollama().answer({}));
  answer.erase("message");
  answer["response"] = "Hello";
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", answer.dump()); });
  EXPECT_EQ(ModelClientFixture(fake_ollama(), server.url()).complete().text(), "Hello");
}

TEST(Ollama, RejectsAnIncompleteResponse) {
  Json answer = Json::parse(fake_ollama().answer({}));
  answer["done"] = false;
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", answer.dump()); });
  EXPECT_TRUE(failed_with(ModelClientFixture(fake_ollama(), server.url()).complete(), ErrorCode::BadUpstream));
}

TEST(Ollama, MatchesTheSchemasOfTheOfficialClient) {
  const auto request = llm_schema("ollama-chat-request");
  if (!request) GTEST_SKIP() << "KBASE_TEST_DATA contains no schemas";
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", joined(fake_ollama().stream({}))); });
  ModelClientFixture fixture(fake_ollama(), server.url());
  EXPECT_TRUE(fixture.complete("Hello?", true).completion);
  const Json sent = Json::parse(server.received().at(0).body);
  EXPECT_EQ(schema_error(sent.dump(), *request), "");
  EXPECT_EQ(schema_error(sent.at("options").dump(), *llm_schema("ollama-options")), "");
  for (const std::string& part : fake_ollama().stream({}))
    EXPECT_EQ(schema_error(part, *llm_schema("ollama-chat-response")), "") << part;
  EXPECT_EQ(schema_error(fake_ollama().answer({}), *llm_schema("ollama-chat-response")), "");
}

}  // namespace
}  // namespace kbase::tests
