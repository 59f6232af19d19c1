// SPDX-License-Identifier: Apache-2.0
// Successful completions of every API, and the order and size of their pieces.
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "tests/adapters/language_model/model_world.hpp"

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

class CompletionOf : public OfEveryApi {};
INSTANTIATE_TEST_SUITE_P(Api, CompletionOf, testing::ValuesIn(fake_apis()), name_of_api);

void expect_all_of(const Told& told) {
  ASSERT_TRUE(told.completion) << told.error->detail;
  EXPECT_EQ(told.text(), FakeCompletion().text());
  EXPECT_EQ(told.completion->model, kFakeModel);
  EXPECT_EQ(told.completion->finish_reason, ports::FinishReason::Stop);
  EXPECT_EQ(told.completion->prompt_tokens, 11U);
  EXPECT_EQ(told.completion->completion_tokens, 4U);
}

TEST_P(CompletionOf, AnAnswerIsOnePiece) {
  const Told told = answered("200 OK\r\nContent-Type: application/json", api().answer({}));
  expect_all_of(told);
  EXPECT_EQ(told.pieces.size(), 1U);
}

TEST_P(CompletionOf, AStreamIsAsManyPiecesAsCame) {
  const Told told = answered("200 OK\r\nContent-Type: " + api().stream_type(), joined(api().stream({})), true);
  expect_all_of(told);
  EXPECT_EQ(told.pieces, FakeCompletion().pieces);
}

TEST_P(CompletionOf, AStreamMayEndWithItsConnectionOrInChunksOfOneByte) {
  expect_all_of(told_by(stream_head(api()) + joined(api().stream({})), true));
  std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char byte : joined(api().stream({}))) chunked += std::string("1\r\n") + byte + "\r\n";
  expect_all_of(told_by(chunked + "0\r\n\r\n", true));
}

TEST_P(CompletionOf, APieceIsToldBeforeTheNextIsSent) {
  const FakeCompletion completion;
  const Parts parts = api().stream(completion);
  std::atomic<std::size_t> told{0};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    peer.send(stream_head(api()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      peer.send(parts[i]);
      const std::size_t wanted =
          i < api().first_text() ? 0 : std::min(i - api().first_text() + 1, completion.pieces.size());
      EXPECT_TRUE(eventually(10s, [&] { return told >= wanted; })) << "the piece of part " << i;
    }
    peer.close();
  });
  ModelWorld world(api(), server.url());
  const auto count = [&](std::string_view) {
    ++told;
    return model::Visit::Continue;
  };
  EXPECT_TRUE(succeeded(world.model().complete(world.call, prompt_of("Hello?", true), count)));
}

TEST_P(CompletionOf, ACompletionThatWasCutSaysSo) {
  FakeCompletion completion;
  completion.is_cut_by_length = true;
  for (const bool is_stream : {false, true}) {
    const std::string body = is_stream ? joined(api().stream(completion)) : api().answer(completion);
    const Told told = answered("200 OK", body, is_stream);
    ASSERT_TRUE(told.completion);
    EXPECT_EQ(told.completion->finish_reason, ports::FinishReason::Length);
  }
}

TEST_P(CompletionOf, AnEmptyCompletionHasNoPiece) {
  FakeCompletion completion;
  completion.pieces.clear();
  for (const bool is_stream : {false, true}) {
    const Told told =
        answered("200 OK", is_stream ? joined(api().stream(completion)) : api().answer(completion), is_stream);
    EXPECT_TRUE(told.completion) << told.error->detail;
    EXPECT_TRUE(told.pieces.empty());
  }
}

TEST_P(CompletionOf, ThePromptIsSentOnceAsItIs) {
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer("200 OK", api().answer({})); });
  const std::string text =
      "\"Gr\xC3\xBC\xC3\x9F"
      "e\"\n\\ \x01 \xF0\x9F\x98\x80";
  ModelWorld world(api(), server.url());
  ports::Prompt prompt = prompt_of(text);
  prompt.temperature = 0.5;
  EXPECT_TRUE(world.ask(prompt).completion);
  ASSERT_EQ(server.heard().size(), 1U);
  const HeardRequest heard = server.heard().front();
  EXPECT_EQ(heard.method + " " + heard.target, "POST /v1" + api().path());
  EXPECT_EQ(heard.field("content-type"), "application/json");
  EXPECT_NE(heard.head.find(api().key_line()), std::string::npos) << heard.head;
  const Json request = Json::parse(heard.body);
  EXPECT_EQ(request.at("model"), kFakeModel);
  EXPECT_EQ(request.at("messages"), Json::array({{{"role", "user"}, {"content", text}}}));
}

TEST_P(CompletionOf, ATemperatureThatNobodySetIsNotSent) {
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer("200 OK", api().answer({})); });
  EXPECT_TRUE(ModelWorld(api(), server.url()).ask().completion);
  EXPECT_EQ(server.heard().at(0).body.find("temperature"), std::string::npos);
}

TEST_P(CompletionOf, AVisitorThatStopsEndsTheServicesWork) {
  const Parts parts = api().stream({});
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    peer.send(stream_head(api()));
    for (std::size_t i = 0; i <= api().first_text(); ++i) peer.send(parts[i]);
    peer.wait_until_left();
  });
  ModelWorld world(api(), server.url());
  const auto stop = [](std::string_view) { return model::Visit::Stop; };
  EXPECT_TRUE(failed(world.model().complete(world.call, prompt_of("Hello?", true), stop), ErrorCode::Cancelled));
  server.wait_until_idle();
}

TEST_P(CompletionOf, ACallThatIsCancelledEndsTheServicesWork) {
  std::atomic<bool> is_cancelled{false};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    peer.send(stream_head(api()));
    is_cancelled = true;
    peer.wait_until_left();
  });
  ModelWorld world(api(), server.url());
  world.call.cancel = &is_cancelled;
  EXPECT_TRUE(failed_with(world.ask("Hello?", true), ErrorCode::Cancelled));
  server.wait_until_idle();
}

TEST_P(CompletionOf, HealthAsksForWhatCostsNothing) {
  ScriptedHttpServer server([](const HeardRequest&, Peer& peer) { peer.answer("200 OK", "{}"); });
  ModelWorld world(api(), server.url());
  EXPECT_TRUE(succeeded(world.model().health(world.call)));
  const HeardRequest heard = server.heard().at(0);
  EXPECT_EQ(heard.method, "GET");
  EXPECT_NE(heard.head.find(api().key_line()), std::string::npos);
}

TEST_P(CompletionOf, HealthNoticesARefusedKeyAndAFailureButNoMissingList) {
  std::string status;
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer(status); });
  ModelWorld world(api(), server.url());
  const auto health = [&](const char* answer) {
    status = answer;
    return world.model().health(world.call);
  };
  EXPECT_TRUE(failed(health("401 Unauthorized"), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed(health("500 Oops"), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed(health("529 Overloaded"), ErrorCode::Unavailable));
  EXPECT_TRUE(succeeded(health("404 Not Found")));
}

}  // namespace
}  // namespace kbase::tests
