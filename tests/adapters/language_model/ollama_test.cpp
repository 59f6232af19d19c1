// SPDX-License-Identifier: Apache-2.0
#include "adapters/ollama/ollama_language_model.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/adapters/language_model/model_world.hpp"

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

TEST(Ollama, BoundsTheTokensAndSaysWhetherItWantsAStream) {
  ScriptedHttpServer server([](const HeardRequest&, Peer& peer) { peer.answer("200 OK", fake_ollama().answer({})); });
  ModelWorld world(fake_ollama(), server.url());
  ports::Prompt prompt = prompt_of("Hello?");
  prompt.temperature = 0.25;
  EXPECT_TRUE(world.ask(prompt).completion);
  const Json request = Json::parse(server.heard().at(0).body);
  EXPECT_EQ(request.at("options"), (Json{{"num_predict", 100}, {"temperature", 0.25}}));
  EXPECT_EQ(request.at("stream"), false);  // Ollama streams by default
}

TEST(Ollama, EstimatesAPromptThatItHadInMemoryAndDidNotCount) {
  Json answer = Json::parse(fake_ollama().answer({}));
  answer.erase("prompt_eval_count");
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer("200 OK", answer.dump()); });
  const Told told = ModelWorld(fake_ollama(), server.url()).ask("123456789");
  ASSERT_TRUE(told.completion);
  EXPECT_EQ(told.completion->prompt_tokens, 3U);
  EXPECT_EQ(told.completion->completion_tokens, 4U);
}

TEST(Ollama, TakesAnAnswerThatIsNotDoneForBroken) {
  Json answer = Json::parse(fake_ollama().answer({}));
  answer["done"] = false;
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer("200 OK", answer.dump()); });
  EXPECT_TRUE(failed_with(ModelWorld(fake_ollama(), server.url()).ask(), ErrorCode::BadUpstream));
}

TEST(Ollama, HasTheShapesThatItsOwnClientKnows) {
  const auto request = llm_schema("ollama-chat-request");
  if (!request) GTEST_SKIP() << "KBASE_TEST_DATA has no shapes";
  ScriptedHttpServer server(
      [](const HeardRequest&, Peer& peer) { peer.answer("200 OK", joined(fake_ollama().stream({}))); });
  ModelWorld world(fake_ollama(), server.url());
  EXPECT_TRUE(world.ask("Hello?", true).completion);
  const Json sent = Json::parse(server.heard().at(0).body);
  EXPECT_EQ(misfit(sent.dump(), *request), "");
  EXPECT_EQ(misfit(sent.at("options").dump(), *llm_schema("ollama-options")), "");
  for (const std::string& part : fake_ollama().stream({}))
    EXPECT_EQ(misfit(part, *llm_schema("ollama-chat-response")), "") << part;
  EXPECT_EQ(misfit(fake_ollama().answer({}), *llm_schema("ollama-chat-response")), "");
}

}  // namespace
}  // namespace kbase::tests
