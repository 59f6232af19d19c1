// SPDX-License-Identifier: Apache-2.0
// Services that fail: broken, slow and invalid responses.
#include <gtest/gtest.h>
#include <atomic>
#include <thread>

#include "tests/adapters/language_model/model_fixture.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

class FaultTest : public OfEveryApi {
 protected:
  std::string length_of(const std::string& body) const {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  }
};
INSTANTIATE_TEST_SUITE_P(Api, FaultTest, testing::ValuesIn(fake_apis()), name_of_api);

TEST_P(FaultTest, ATruncatedStreamIsNeverComplete) {
  const Parts parts = api().stream({});
  const std::string whole = joined(parts);
  std::size_t broken = 0;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const CompletionOutcome outcome = outcome_of_bytes(stream_head(api()) + whole.substr(0, size), true);
    if (outcome.completion) {  // only the token counts or the end mark are missing
      EXPECT_EQ(outcome.text(), FakeCompletion().text()) << size;
    } else {
      EXPECT_TRUE(failed_with(outcome, ErrorCode::BadUpstream)) << size;
      ++broken;
    }
  }
  EXPECT_GT(broken, whole.size() / 7 / 3);
}

TEST_P(FaultTest, ATruncatedResponseIsInvalid) {
  const std::string body = api().answer({});
  for (std::size_t size = 0; size < body.size(); size += 11) {
    EXPECT_TRUE(
        failed_with(outcome_of_bytes("HTTP/1.1 200 OK\r\n\r\n" + body.substr(0, size), false), ErrorCode::BadUpstream));
    EXPECT_TRUE(failed_with(outcome_of_bytes(length_of(body) + body.substr(0, size), false), ErrorCode::BadUpstream));
  }
}

TEST_P(FaultTest, AWrongContentLengthIsNeverACompletion) {
  const std::string stream = joined(api().stream({}));
  const CompletionOutcome outcome = outcome_of_bytes(
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(stream.size() / 2) + "\r\n\r\n" + stream, true);
  EXPECT_TRUE(failed_with(outcome, ErrorCode::BadUpstream));
}

TEST_P(FaultTest, ALostConnectionKeepsReceivedPieces) {
  const Parts parts = api().stream({});
  std::atomic<bool> is_received{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send(stream_head(api()));
    for (std::size_t i = 0; i <= api().first_text(); ++i) peer.send(parts[i]);
    EXPECT_TRUE(eventually(10s, [&] { return is_received.load(); }));
    peer.reset();
  });
  ModelClientFixture fixture(api(), server.url());
  const auto note = [&](std::string_view) {
    is_received = true;
    return Visit::Continue;
  };
  EXPECT_TRUE(failed(fixture.model().complete(fixture.call, prompt_of("Hello?", true), note), ErrorCode::BadUpstream));
  EXPECT_EQ(server.received().size(), 1U);
}

TEST_P(FaultTest, NonsenseIsABadResponse) {
  for (const std::string& body :
       {std::string(), std::string("nonsense"), std::string("<html></html>"), std::string("[]"), std::string("null"),
        std::string("{}"), std::string("data: [DONE]\n\n"), std::string("data: {}\n\ndata: []\n\n"),
        std::string("data: nonsense\n\n"), std::string("{\"message\":5}\n"), std::string(1000, '\0'),
        std::string(200'000, '['), std::string("data: ") + std::string(200'000, '[') + "\n\n",
        std::string("{\"choices\":[{\"message\":{\"content\":{}},\"finish_reason\":7}],\"usage\":[]}")})
    for (const bool is_stream : {false, true})
      EXPECT_TRUE(failed_with(outcome_of_response("200 OK", body, is_stream), ErrorCode::BadUpstream))
          << body.substr(0, 40);
}

TEST_P(FaultTest, InvalidHttpIsABadResponse) {
  EXPECT_TRUE(failed_with(outcome_of_bytes("SSH-2.0-OpenSSH_9.2\r\n", true), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed_with(outcome_of_bytes("", true), ErrorCode::Unavailable));
}

TEST_P(FaultTest, TooManyFieldsAreABadResponse) {
  std::string flood = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 10'000; ++i) flood += "X-Field-" + std::to_string(i) + ": value\r\n";
  EXPECT_TRUE(failed_with(outcome_of_bytes(flood + "\r\n" + api().answer({}), false), ErrorCode::BadUpstream));
}

TEST_P(FaultTest, AResponseHasASizeLimit) {
  FakeCompletion completion;
  completion.pieces = {std::string(5U << 20U, 'x')};
  const CompletionOutcome outcome = outcome_of_response("200 OK", api().answer(completion));
  EXPECT_TRUE(failed_with(outcome, ErrorCode::BadUpstream));
  EXPECT_TRUE(outcome.pieces.empty());
}

TEST_P(FaultTest, ALineHasASizeLimit) {
  std::atomic<bool> is_over{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send(stream_head(api()) + "data: ");
    for (int i = 0; i < 1024 && !is_over; ++i) peer.send(std::string(1U << 20U, 'x'));
    peer.close();
  });
  EXPECT_TRUE(failed_with(ModelClientFixture(api(), server.url()).complete("Hello?", true), ErrorCode::BadUpstream));
  is_over = true;
}

TEST_P(FaultTest, AStreamWithoutTextEndsAtTheSizeLimit) {
  const std::string nothing = &api() == &fake_ollama() ? "\n" : ": awake\n\n";
  std::atomic<bool> is_over{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    std::string piece;
    while (piece.size() < 64U << 10U) piece += nothing;
    peer.send(stream_head(api()));
    for (int i = 0; i < 1024 && !is_over; ++i) peer.send(piece);
    peer.close();
  });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.max_body_bytes = 1U << 20U;
  EXPECT_TRUE(failed_with(ModelClientFixture(api(), options).complete("Hello?", true), ErrorCode::BadUpstream));
  is_over = true;
}

TEST_P(FaultTest, ACompressedResponseIsReadUpToTheSizeLimit) {
  const std::string gzip = "200 OK\r\nContent-Encoding: gzip";
  EXPECT_TRUE(outcome_of_response(gzip, packed(api().answer({}))).completion);
  EXPECT_TRUE(outcome_of_response(gzip, packed(joined(api().stream({}))), true).completion);
  const std::string bomb = packed(std::string(64U << 20U, ' '));
  EXPECT_TRUE(failed_with(outcome_of_response(gzip, bomb), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed_with(outcome_of_response(gzip, bomb, true), ErrorCode::BadUpstream));
}

TEST_P(FaultTest, AnEndlessErrorBodyIsReadUpToALimit) {
  std::atomic<bool> is_over{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 401 Unauthorized\r\n\r\n");
    for (int i = 0; i < 1024 && !is_over; ++i) peer.send(std::string(1U << 20U, 'x'));
    peer.close();
  });
  EXPECT_TRUE(failed_with(ModelClientFixture(api(), server.url()).complete(), ErrorCode::BadUpstream));
  is_over = true;
}

/// Returns the result of a stream while the clock advances. If no timeout ends the stream, it is cancelled.
CompletionOutcome complete_while_time_advances(ModelClientFixture& fixture) {
  std::atomic<bool> has_ended{false};
  std::atomic<bool> is_cancelled{false};
  fixture.call.cancel = &is_cancelled;
  std::thread time([&] { is_cancelled = !fixture.advance_until([&] { return has_ended.load(); }); });
  CompletionOutcome outcome = fixture.complete("Hello?", true);
  has_ended = true;
  time.join();
  fixture.call.cancel = {};
  return outcome;
}

TEST_P(FaultTest, ASlowFirstByteAndAStallTimeOut) {
  for (const bool has_begun : {false, true}) {
    ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
      if (has_begun) peer.send(stream_head(api()) + api().stream({}).front());
      peer.wait_until_left();
    });
    curl::ClientOptions options = CurlFixture::options(server.url());
    options.first_byte_timeout = 1s;
    options.idle_timeout = 1s;
    ModelClientFixture fixture(api(), options);
    EXPECT_TRUE(failed_with(complete_while_time_advances(fixture), ErrorCode::Deadline));
  }
}

TEST_P(FaultTest, TheDeadlineOfTheCallEndsAStream) {
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send(stream_head(api()) + api().stream({}).front());
    peer.wait_until_left();
  });
  ModelClientFixture fixture(api(), server.url());
  fixture.call.deadline = fixture.clock.steady() + 1s;
  EXPECT_TRUE(failed_with(complete_while_time_advances(fixture), ErrorCode::Deadline));
}

TEST_P(FaultTest, AMissingServiceIsUnavailable) {
  std::string url;
  {
    const ScriptedHttpServer gone([](const ReceivedRequest&, Peer&) {});
    url = gone.url();
  }
  EXPECT_TRUE(failed_with(ModelClientFixture(api(), url).complete(), ErrorCode::Unavailable));
}

}  // namespace
}  // namespace kbase::tests
