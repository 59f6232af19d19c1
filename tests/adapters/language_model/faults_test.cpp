// SPDX-License-Identifier: Apache-2.0
// Services that fail: broken, slow and invalid responses.
#include <gtest/gtest.h>
#include <atomic>
#include <thread>

#include "tests/adapters/language_model/model_world.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

class FaultOf : public OfEveryApi {
 protected:
  std::string length_of(const std::string& body) const {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  }
};
INSTANTIATE_TEST_SUITE_P(Api, FaultOf, testing::ValuesIn(fake_apis()), name_of_api);

TEST_P(FaultOf, AStreamThatIsCutAnywhereIsNeverTakenForWhole) {
  const Parts parts = api().stream({});
  const std::string whole = joined(parts);
  std::size_t broken = 0;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const Told told = told_by(stream_head(api()) + whole.substr(0, size), true);
    if (told.completion) {  // only the token counts or the end mark are missing
      EXPECT_EQ(told.text(), FakeCompletion().text()) << size;
    } else {
      EXPECT_TRUE(failed_with(told, ErrorCode::BadUpstream)) << size;
      ++broken;
    }
  }
  EXPECT_GT(broken, whole.size() / 7 / 3);
}

TEST_P(FaultOf, AnAnswerThatIsCutAnywhereIsBroken) {
  const std::string body = api().answer({});
  for (std::size_t size = 0; size < body.size(); size += 11) {
    EXPECT_TRUE(failed_with(told_by("HTTP/1.1 200 OK\r\n\r\n" + body.substr(0, size), false), ErrorCode::BadUpstream));
    EXPECT_TRUE(failed_with(told_by(length_of(body) + body.substr(0, size), false), ErrorCode::BadUpstream));
  }
}

TEST_P(FaultOf, AWrongLengthIsNeverReadAsACompletion) {
  const std::string stream = joined(api().stream({}));
  const Told told =
      told_by("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(stream.size() / 2) + "\r\n\r\n" + stream, true);
  EXPECT_TRUE(failed_with(told, ErrorCode::BadUpstream));
}

TEST_P(FaultOf, AConnectionThatDiesInMidStreamKeepsThePiecesThatCame) {
  const Parts parts = api().stream({});
  std::atomic<bool> is_told{false};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    peer.send(stream_head(api()));
    for (std::size_t i = 0; i <= api().first_text(); ++i) peer.send(parts[i]);
    EXPECT_TRUE(eventually(10s, [&] { return is_told.load(); }));
    peer.reset();
  });
  ModelWorld world(api(), server.url());
  const auto note = [&](std::string_view) {
    is_told = true;
    return model::Visit::Continue;
  };
  EXPECT_TRUE(failed(world.model().complete(world.call, prompt_of("Hello?", true), note), ErrorCode::BadUpstream));
  EXPECT_EQ(server.heard().size(), 1U);
}

TEST_P(FaultOf, NonsenseIsABadAnswer) {
  for (const std::string& body :
       {std::string(), std::string("nonsense"), std::string("<html></html>"), std::string("[]"), std::string("null"),
        std::string("{}"), std::string("data: [DONE]\n\n"), std::string("data: {}\n\ndata: []\n\n"),
        std::string("data: nonsense\n\n"), std::string("{\"message\":5}\n"), std::string(1000, '\0'),
        std::string(200'000, '['), std::string("data: ") + std::string(200'000, '[') + "\n\n",
        std::string("{\"choices\":[{\"message\":{\"content\":{}},\"finish_reason\":7}],\"usage\":[]}")})
    for (const bool is_stream : {false, true})
      EXPECT_TRUE(failed_with(answered("200 OK", body, is_stream), ErrorCode::BadUpstream)) << body.substr(0, 40);
}

TEST_P(FaultOf, WhatIsNoHttpIsABadAnswer) {
  EXPECT_TRUE(failed_with(told_by("SSH-2.0-OpenSSH_9.2\r\n", true), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed_with(told_by("", true), ErrorCode::Unavailable));
}

TEST_P(FaultOf, AFloodOfFieldsIsABadAnswer) {
  std::string flood = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 10'000; ++i) flood += "X-Field-" + std::to_string(i) + ": value\r\n";
  EXPECT_TRUE(failed_with(told_by(flood + "\r\n" + api().answer({}), false), ErrorCode::BadUpstream));
}

TEST_P(FaultOf, AnAnswerHasItsLimit) {
  FakeCompletion completion;
  completion.pieces = {std::string(5U << 20U, 'x')};
  const Told told = answered("200 OK", api().answer(completion));
  EXPECT_TRUE(failed_with(told, ErrorCode::BadUpstream));
  EXPECT_TRUE(told.pieces.empty());
}

TEST_P(FaultOf, AnEndlessLineHasItsLimit) {
  std::atomic<bool> is_over{false};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    peer.send(stream_head(api()) + "data: ");
    for (int i = 0; i < 1024 && !is_over; ++i) peer.send(std::string(1U << 20U, 'x'));
    peer.close();
  });
  EXPECT_TRUE(failed_with(ModelWorld(api(), server.url()).ask("Hello?", true), ErrorCode::BadUpstream));
  is_over = true;
}

TEST_P(FaultOf, AStreamThatNeverSaysAnythingEndsAtTheLimitOfItsSize) {
  const std::string nothing = &api() == &fake_ollama() ? "\n" : ": awake\n\n";
  std::atomic<bool> is_over{false};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    std::string piece;
    while (piece.size() < 64U << 10U) piece += nothing;
    peer.send(stream_head(api()));
    for (int i = 0; i < 1024 && !is_over; ++i) peer.send(piece);
    peer.close();
  });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.max_body_bytes = 1U << 20U;
  EXPECT_TRUE(failed_with(ModelWorld(api(), options).ask("Hello?", true), ErrorCode::BadUpstream));
  is_over = true;
}

TEST_P(FaultOf, APackedAnswerIsReadAndABombIsNot) {
  const std::string gzip = "200 OK\r\nContent-Encoding: gzip";
  EXPECT_TRUE(answered(gzip, packed(api().answer({}))).completion);
  EXPECT_TRUE(answered(gzip, packed(joined(api().stream({}))), true).completion);
  const std::string bomb = packed(std::string(64U << 20U, ' '));
  EXPECT_TRUE(failed_with(answered(gzip, bomb), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed_with(answered(gzip, bomb, true), ErrorCode::BadUpstream));
}

TEST_P(FaultOf, AnErrorsEndlessBodyIsReadNoFurtherThanItMatters) {
  std::atomic<bool> is_over{false};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    peer.send("HTTP/1.1 401 Unauthorized\r\n\r\n");
    for (int i = 0; i < 1024 && !is_over; ++i) peer.send(std::string(1U << 20U, 'x'));
    peer.close();
  });
  EXPECT_TRUE(failed_with(ModelWorld(api(), server.url()).ask(), ErrorCode::BadUpstream));
  is_over = true;
}

/// Returns the result of a stream while the clock advances. If no timeout ends the stream, it is cancelled.
Told while_time_passes(ModelWorld& world) {
  std::atomic<bool> has_ended{false};
  std::atomic<bool> is_given_up{false};
  world.call.cancel = &is_given_up;
  std::thread time([&] { is_given_up = !world.passes_until([&] { return has_ended.load(); }); });
  Told told = world.ask("Hello?", true);
  has_ended = true;
  time.join();
  world.call.cancel = {};
  return told;
}

TEST_P(FaultOf, ASlowFirstByteAndAStallEndInTime) {
  for (const bool has_begun : {false, true}) {
    ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
      if (has_begun) peer.send(stream_head(api()) + api().stream({}).front());
      peer.wait_until_left();
    });
    curl::ClientOptions options = CurlWorld::options(server.url());
    options.first_byte_timeout = 1s;
    options.idle_timeout = 1s;
    ModelWorld world(api(), options);
    EXPECT_TRUE(failed_with(while_time_passes(world), ErrorCode::Deadline));
  }
}

TEST_P(FaultOf, TheDeadlineOfTheCallEndsAStream) {
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    peer.send(stream_head(api()) + api().stream({}).front());
    peer.wait_until_left();
  });
  ModelWorld world(api(), server.url());
  world.call.deadline = world.clock.steady() + 1s;
  EXPECT_TRUE(failed_with(while_time_passes(world), ErrorCode::Deadline));
}

TEST_P(FaultOf, AServiceThatIsGoneIsUnavailable) {
  std::string url;
  {
    const ScriptedHttpServer gone([](const HeardRequest&, Peer&) {});
    url = gone.url();
  }
  EXPECT_TRUE(failed_with(ModelWorld(api(), url).ask(), ErrorCode::Unavailable));
}

}  // namespace
}  // namespace kbase::tests
