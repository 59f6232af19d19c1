// SPDX-License-Identifier: Apache-2.0
// Successful completions of every API, and the order and size of their pieces.
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "tests/adapters/language_model/model_fixture.hpp"

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

class CompletionTest : public OfEveryApi {};
INSTANTIATE_TEST_SUITE_P(Api, CompletionTest, testing::ValuesIn(fake_apis()), name_of_api);

void expect_full_completion(const CompletionOutcome& outcome) {
  ASSERT_TRUE(outcome.completion) << outcome.error->detail;
  EXPECT_EQ(outcome.text(), FakeCompletion().text());
  EXPECT_EQ(outcome.completion->model, kFakeModel);
  EXPECT_EQ(outcome.completion->finish_reason, ports::FinishReason::Stop);
  EXPECT_EQ(outcome.completion->prompt_tokens, 11U);
  EXPECT_EQ(outcome.completion->completion_tokens, 4U);
}

TEST_P(CompletionTest, AResponseIsOnePiece) {
  const CompletionOutcome outcome = outcome_of_response("200 OK\r\nContent-Type: application/json", api().answer({}));
  expect_full_completion(outcome);
  EXPECT_EQ(outcome.pieces.size(), 1U);
}

TEST_P(CompletionTest, AStreamHasOnePiecePerEvent) {
  const CompletionOutcome outcome =
      outcome_of_response("200 OK\r\nContent-Type: " + api().stream_type(), joined(api().stream({})), true);
  expect_full_completion(outcome);
  EXPECT_EQ(outcome.pieces, FakeCompletion().pieces);
}

TEST_P(CompletionTest, AStreamCanEndWithTheConnectionOrConsistOfOneByteChunks) {
  expect_full_completion(outcome_of_bytes(stream_head(api()) + joined(api().stream({})), true));
  std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char byte : joined(api().stream({}))) chunked += std::string("1\r\n") + byte + "\r\n";
  expect_full_completion(outcome_of_bytes(chunked + "0\r\n\r\n", true));
}

TEST_P(CompletionTest, APieceIsPassedOnBeforeTheNextOneIsSent) {
  const FakeCompletion completion;
  const Parts parts = api().stream(completion);
  std::atomic<std::size_t> outcome{0};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send(stream_head(api()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      peer.send(parts[i]);
      const std::size_t wanted =
          i < api().first_text() ? 0 : std::min(i - api().first_text() + 1, completion.pieces.size());
      EXPECT_TRUE(eventually(10s, [&] { return outcome >= wanted; })) << "the piece of event " << i;
    }
    peer.close();
  });
  ModelClientFixture fixture(api(), server.url());
  const auto count = [&](std::string_view) {
    ++outcome;
    return Visit::Continue;
  };
  EXPECT_TRUE(succeeded(fixture.model().complete(fixture.call, prompt_of("Hello?", true), count)));
}

TEST_P(CompletionTest, ATruncatedCompletionIsReported) {
  FakeCompletion completion;
  completion.is_cut_by_length = true;
  for (const bool is_stream : {false, true}) {
    const std::string body = is_stream ? joined(api().stream(completion)) : api().answer(completion);
    const CompletionOutcome outcome = outcome_of_response("200 OK", body, is_stream);
    ASSERT_TRUE(outcome.completion);
    EXPECT_EQ(outcome.completion->finish_reason, ports::FinishReason::Length);
  }
}

TEST_P(CompletionTest, AnEmptyCompletionHasNoPiece) {
  FakeCompletion completion;
  completion.pieces.clear();
  for (const bool is_stream : {false, true}) {
    const CompletionOutcome outcome = outcome_of_response(
        "200 OK", is_stream ? joined(api().stream(completion)) : api().answer(completion), is_stream);
    EXPECT_TRUE(outcome.completion) << outcome.error->detail;
    EXPECT_TRUE(outcome.pieces.empty());
  }
}

TEST_P(CompletionTest, ThePromptIsSentOnceUnchanged) {
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", api().answer({})); });
  const std::string text =
      "\"Gr\xC3\xBC\xC3\x9F"
      "e\"\n\\ \x01 \xF0\x9F\x98\x80";
  ModelClientFixture fixture(api(), server.url());
  ports::Prompt prompt = prompt_of(text);
  prompt.temperature = 0.5;
  EXPECT_TRUE(fixture.complete(prompt).completion);
  ASSERT_EQ(server.received().size(), 1U);
  const ReceivedRequest received = server.received().front();
  EXPECT_EQ(received.method + " " + received.target, "POST /v1" + api().path());
  EXPECT_EQ(received.field("content-type"), "application/json");
  EXPECT_NE(received.head.find(api().key_line()), std::string::npos) << received.head;
  const Json request = Json::parse(received.body);
  EXPECT_EQ(request.at("model"), kFakeModel);
  EXPECT_EQ(request.at("messages"), Json::array({{{"role", "user"}, {"content", text}}}));
}

TEST_P(CompletionTest, AnUnsetTemperatureIsNotSent) {
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", api().answer({})); });
  EXPECT_TRUE(ModelClientFixture(api(), server.url()).complete().completion);
  EXPECT_EQ(server.received().at(0).body.find("temperature"), std::string::npos);
}

TEST_P(CompletionTest, AStoppingVisitorClosesTheConnection) {
  const Parts parts = api().stream({});
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send(stream_head(api()));
    for (std::size_t i = 0; i <= api().first_text(); ++i) peer.send(parts[i]);
    peer.wait_until_left();
  });
  ModelClientFixture fixture(api(), server.url());
  const auto stop = [](std::string_view) { return Visit::Stop; };
  EXPECT_TRUE(failed(fixture.model().complete(fixture.call, prompt_of("Hello?", true), stop), ErrorCode::Cancelled));
  server.wait_until_idle();
}

TEST_P(CompletionTest, ACancelledCallClosesTheConnection) {
  std::atomic<bool> is_cancelled{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send(stream_head(api()));
    is_cancelled = true;
    peer.wait_until_left();
  });
  ModelClientFixture fixture(api(), server.url());
  fixture.call.cancel = &is_cancelled;
  EXPECT_TRUE(failed_with(fixture.complete("Hello?", true), ErrorCode::Cancelled));
  server.wait_until_idle();
}

TEST_P(CompletionTest, HealthCheckUsesAFreeRequest) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "{}"); });
  ModelClientFixture fixture(api(), server.url());
  EXPECT_TRUE(succeeded(fixture.model().health(fixture.call)));
  const ReceivedRequest received = server.received().at(0);
  EXPECT_EQ(received.method, "GET");
  EXPECT_NE(received.head.find(api().key_line()), std::string::npos);
}

TEST_P(CompletionTest, HealthCheckDetectsARejectedKeyAndAFailureButIgnoresAMissingList) {
  std::string status;
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer(status); });
  ModelClientFixture fixture(api(), server.url());
  const auto health = [&](const char* answer) {
    status = answer;
    return fixture.model().health(fixture.call);
  };
  EXPECT_TRUE(failed(health("401 Unauthorized"), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed(health("500 Oops"), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed(health("529 Overloaded"), ErrorCode::Unavailable));
  EXPECT_TRUE(succeeded(health("404 Not Found")));
}

}  // namespace
}  // namespace kbase::tests
