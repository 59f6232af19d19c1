// SPDX-License-Identifier: Apache-2.0
// Streamed responses over real client sockets.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "adapters/http/response.hpp"
#include "tests/adapters/http_server_fixture.hpp"

namespace kbase::tests {
namespace {

using http::BodyPipe;
using trompeloeil::_;

constexpr std::string_view kPrompt = R"({"prompt":"Why?","stream":true})";

// --------------------------------------------------------------------------------------------- the pipe

TEST(BodyPipe, FramesWrittenDataAsChunks) {
  BodyPipe pipe(BodyPipe::Framing::Chunked, [] {});
  ASSERT_TRUE(pipe.write("twelve bytes"));
  ASSERT_TRUE(pipe.write(""));
  std::string bytes;
  EXPECT_EQ(pipe.read(bytes), BodyPipe::State::Open);
  EXPECT_EQ(bytes, "c\r\ntwelve bytes\r\n") << "an empty chunk would end the body";
  EXPECT_EQ(pipe.read(bytes), BodyPipe::State::Open);
  EXPECT_EQ(bytes, "");
  pipe.end();
  EXPECT_EQ(pipe.read(bytes), BodyPipe::State::Open);
  EXPECT_EQ(bytes, "0\r\n\r\n");
  EXPECT_EQ(pipe.read(bytes), BodyPipe::State::Complete);
}

TEST(BodyPipe, SendsNoChunksToAnOldClient) {
  BodyPipe pipe(BodyPipe::Framing::UntilClose, [] {});
  ASSERT_TRUE(pipe.write("text"));
  pipe.end();
  std::string bytes;
  EXPECT_EQ(pipe.read(bytes), BodyPipe::State::Open);
  EXPECT_EQ(bytes, "text");
  EXPECT_EQ(pipe.read(bytes), BodyPipe::State::Complete);
}

TEST(BodyPipe, HasNoLastChunkAfterAFailure) {
  BodyPipe pipe(BodyPipe::Framing::Chunked, [] {});
  pipe.abort();
  std::string bytes;
  EXPECT_EQ(pipe.read(bytes), BodyPipe::State::Aborted);
  EXPECT_EQ(bytes, "");
}

TEST(BodyPipe, NotifiesOnceUntilItIsEmptied) {
  int notified = 0;
  BodyPipe pipe(BodyPipe::Framing::Chunked, [&] { ++notified; });
  ASSERT_TRUE(pipe.write("a"));
  ASSERT_TRUE(pipe.write("b"));
  EXPECT_EQ(notified, 1);
  std::string bytes;
  pipe.read(bytes);
  ASSERT_TRUE(pipe.write("c"));
  EXPECT_EQ(notified, 2);
}

TEST(BodyPipe, BlocksAWriterUntilASlowReaderReads) {
  BodyPipe pipe(BodyPipe::Framing::Chunked, [] {});
  ASSERT_TRUE(pipe.write(std::string(BodyPipe::kCapacity, 'x')));
  auto written = std::async(std::launch::async, [&] { return pipe.write("more"); });
  EXPECT_EQ(written.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  std::string bytes;
  pipe.read(bytes);
  EXPECT_EQ(written.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout) << "it has not been sent yet";
  pipe.read(bytes);
  EXPECT_TRUE(written.get());
}

TEST(BodyPipe, NotifiesAWriterWhenTheReaderLeaves) {
  const auto pipe = std::make_shared<BodyPipe>(BodyPipe::Framing::Chunked, [] {});
  ASSERT_TRUE(pipe->write(std::string(BodyPipe::kCapacity, 'x')));
  auto written = std::async(std::launch::async, [&] { return pipe->write("more"); });
  { const http::BodyReader dropped(pipe); }
  EXPECT_FALSE(written.get());
  EXPECT_FALSE(pipe->write("again"));
}

// --------------------------------------------------------------------------------------------- the server

/// A server whose completions are produced by a test, on a separate thread.
class HttpStream : public HttpServer {
 protected:
  using Producer = std::function<Result<ports::Completions::Outcome>(ports::Call&, Visitor<std::string_view>)>;

  HttpStream() {
    keyed_ = admitted(clock.now());
    keyed_.has_key = true;
  }
  ~HttpStream() override {
    server.reset();  // disconnects its clients, so that the completions end
    if (producer_thread_.joinable()) producer_thread_.join();
  }

  /// Returns a client whose prompt is being completed.
  RawClient start_completion(Producer producer, std::string_view version = "1.1", std::string_view fields = "") {
    producer_ = std::move(producer);
    start();
    RawClient web = client();
    web.send("POST /api/v1/external/llm HTTP/" + std::string(version) + "\r\nHost: x\r\n" + std::string(fields) +
             "Content-Length: " + std::to_string(kPrompt.size()) + "\r\n\r\n" + std::string(kPrompt));
    EXPECT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
    producer_thread_ = std::thread([this] { executor.run_one(); });
    return web;
  }

  static ports::Completions::Outcome done() { return ports::Completion{"small", ports::FinishReason::Stop, 3, 5}; }

  ports::Admission keyed_;
  Producer producer_;
  std::thread producer_thread_;
  std::unique_ptr<trompeloeil::expectation> answers_[2] = {
      NAMED_ALLOW_CALL(access, admit(_, _, _)).LR_RETURN(keyed_),
      NAMED_ALLOW_CALL(completions, complete(_, _, _, _)).LR_RETURN(producer_(_1, _4))};
};

constexpr std::string_view kDone =
    R"(data: {"model":"small","finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}})";

TEST_F(HttpStream, SendsEachPieceWhenItArrives) {
  std::promise<void> seen;
  RawClient web = start_completion([&](ports::Call&, Visitor<std::string_view> text) {
    text("Be");
    seen.get_future().wait();
    text("cause\n.");
    return done();
  });
  const HttpAnswer head = web.answer(/*to_head=*/true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.field("content-type"), "text/event-stream");
  EXPECT_EQ(head.field("transfer-encoding"), "chunked");
  EXPECT_EQ(head.field("cache-control"), "no-store, no-transform");
  EXPECT_EQ(head.field("content-length"), "(absent)");
  EXPECT_EQ(head.field("x-ratelimit-limit"), "10");
  EXPECT_EQ(web.chunk(), "event: delta\ndata: {\"text\":\"Be\"}\n\n");
  seen.set_value();
  EXPECT_EQ(web.chunk(), "event: delta\ndata: {\"text\":\"cause\\n.\"}\n\n");
  EXPECT_EQ(web.chunk(), "event: done\n" + std::string(kDone) + "\n\n");
  EXPECT_EQ(web.chunk(), "");
  web.get("/item/a");
  EXPECT_EQ(web.answer().status, 200) << "the connection stays open";
}

TEST_F(HttpStream, EndsWithTheConnectionForHttp10) {
  RawClient web = start_completion(
      [](ports::Call&, Visitor<std::string_view> text) {
        text("x");
        return done();
      },
      "1.0", "Connection: keep-alive\r\n");
  const HttpAnswer head = web.answer(/*to_head=*/true);
  EXPECT_EQ(head.field("connection"), "close");
  EXPECT_EQ(head.field("transfer-encoding"), "(absent)");
  EXPECT_EQ(web.rest(), "event: delta\ndata: {\"text\":\"x\"}\n\nevent: done\n" + std::string(kDone) + "\n\n");
}

TEST_F(HttpStream, IsNeverCompressed) {
  RawClient web = start_completion(
      [](ports::Call&, Visitor<std::string_view> text) {
        text(std::string(5000, 'x'));
        return done();
      },
      "1.1", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(web.answer(/*to_head=*/true).field("content-encoding"), "(absent)");
}

TEST_F(HttpStream, SendsAnErrorResponseForAFailureBeforeTheFirstPiece) {
  RawClient web = start_completion([](ports::Call&, Visitor<std::string_view>) {
    return Error{ErrorCode::Deadline, "Late."};
  });
  const HttpAnswer answer = web.answer();
  EXPECT_EQ(answer.status, 504);
  EXPECT_EQ(answer.error_code(), "UPSTREAM_TIMEOUT");
}

TEST_F(HttpStream, SendsAnErrorEventForAFailureAfterSomePieces) {
  RawClient web = start_completion([](ports::Call&, Visitor<std::string_view> text) {
    text("half");
    return Error{ErrorCode::BadUpstream, "The service broke off.", "why"};
  });
  EXPECT_EQ(web.answer(/*to_head=*/true).status, 200);
  EXPECT_EQ(web.chunk(), "event: delta\ndata: {\"text\":\"half\"}\n\n");
  const std::string error = web.chunk();
  EXPECT_EQ(error.find("event: error\ndata: {\"error\":{\"code\":\"UPSTREAM_ERROR\","), 0u) << error;
  EXPECT_NE(error.find("\"timestamp\""), std::string::npos);
  EXPECT_EQ(web.chunk(), "");
}

TEST_F(HttpStream, ReportsThatTheTokensAreUsedUp) {
  RawClient web = start_completion([this](ports::Call&, Visitor<std::string_view>) {
    return ports::Completions::Outcome(ports::TokensSpent{50'000, 12, clock.now() + std::chrono::hours(12)});
  });
  const HttpAnswer answer = web.answer();
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.error_code(), "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(answer.json().at("error").at("details").at("limit"), 50'000);
  EXPECT_EQ(answer.field("retry-after"), "43200");
}

TEST_F(HttpStream, SendsACommentDuringSilence) {
  std::promise<void> seen;
  RawClient web = start_completion([&](ports::Call&, Visitor<std::string_view> text) {
    text("x");
    seen.get_future().wait();
    return done();
  });
  web.answer(/*to_head=*/true);
  web.chunk();
  advance_until_readable(web, std::chrono::seconds(5));
  EXPECT_EQ(web.chunk(), ":\n\n");
  seen.set_value();
  EXPECT_EQ(web.chunk().substr(0, 11), "event: done");
}

/// Produces pieces until the client does not want more, then sets `left`.
auto stream_until(std::atomic<bool>& left) {
  return [&left](ports::Call& call, Visitor<std::string_view> text) {
    text("x");
    while (!call.cancelled() && text(std::string(1000, 'y')) == Visit::Continue) std::this_thread::yield();
    left = true;
    return Error{ErrorCode::Cancelled, "The client disconnected."};
  };
}

/// Produces nothing until the call is cancelled, then sets `left`.
auto wait_until(std::atomic<bool>& left, bool after_a_piece, std::atomic<bool>* begun = nullptr) {
  return [&left, after_a_piece, begun](ports::Call& call, Visitor<std::string_view> text) {
    if (begun != nullptr) *begun = true;
    if (after_a_piece) text("x");
    while (!call.cancelled()) std::this_thread::yield();
    left = true;
    return Error{ErrorCode::Cancelled, "The client disconnected."};
  };
}

TEST_F(HttpStream, CancelsTheCallOfADisconnectedClient) {
  std::atomic<bool> left = false;
  RawClient web = start_completion(wait_until(left, /*after_a_piece=*/true));
  web.answer(/*to_head=*/true);
  web.leave();
  EXPECT_TRUE(eventually(kLong, [&] { return left.load(); }));
}

TEST_F(HttpStream, CancelsTheCallOfAClientDisconnectedBeforeTheFirstPiece) {
  std::atomic<bool> left = false;
  std::atomic<bool> begun = false;
  RawClient web = start_completion(wait_until(left, /*after_a_piece=*/false, &begun));
  ASSERT_TRUE(eventually(kLong, [&] { return begun.load(); }));
  web.leave();
  EXPECT_TRUE(eventually(kLong, [&] { return left.load(); }));
}

TEST_F(HttpStream, CancelsTheCallOfADisconnectedClientAfterAnExtraLineEnd) {
  std::atomic<bool> left = false;
  RawClient web = start_completion(wait_until(left, /*after_a_piece=*/true));
  web.send("\r\n");
  web.answer(/*to_head=*/true);
  web.leave();
  EXPECT_TRUE(eventually(kLong, [&] { return left.load(); }));
}

/// Bytes that this process has allocated from the heap; 0 if a sanitizer replaces the heap.
std::size_t allocated_bytes() {
  const struct mallinfo2 heap = ::mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

TEST_F(HttpStream, ForgetsTheRequestsOfAPipeliningClient) {
  constexpr int kRequests = 30'000;
  const std::string request = "POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\nX-Filler: " + std::string(200, '.') +
                              "\r\nContent-Length: 2\r\n\r\n{}";
  start();
  RawClient web = client();
  const std::jthread sender([&] {
    for (int i = 0; i < kRequests; ++i) web.send(request);
  });
  const std::jthread worker([&](const std::stop_token& end) {
    while (!end.stop_requested())
      if (!executor.run_one()) std::this_thread::yield();
  });
  std::size_t before = 0, most = 0;
  int answered = 0;
  for (; answered < kRequests && web.answer().status == 400; ++answered) {
    if (answered == 1'000) before = allocated_bytes();
    most = std::max(most, allocated_bytes());
  }
  web.end_output();
  EXPECT_EQ(answered, kRequests);
  EXPECT_LT(most, before + 15'000'000) << "not twice that; the mocks use a fifth of a KB per request";
}

TEST_F(HttpStream, DoesNotCountADisconnectedClientAsAFailure) {
  std::atomic<bool> left = false;
  RawClient web = start_completion(wait_until(left, /*after_a_piece=*/true));
  web.answer(/*to_head=*/true);
  web.leave();
  producer_thread_.join();
  for (const std::string& line : log.lines()) EXPECT_FALSE(line.starts_with("http.failed")) << line;
}

TEST_F(HttpStream, DisconnectsAClientThatReadsNothing) {
  std::atomic<bool> left = false;
  RawClient web = start_completion(stream_until(left));
  EXPECT_TRUE(eventually(kLong, [&] {
    clock.advance(std::chrono::seconds(10));
    return left.load();
  }));
}

TEST_F(HttpStream, EndsAStreamAtItsTimeoutEvenIfTheClientReads) {
  std::atomic<bool> left = false;
  options.send_timeout = std::chrono::minutes(1);
  options.stream_timeout = std::chrono::minutes(1);
  RawClient web = start_completion(stream_until(left));
  web.answer(/*to_head=*/true);
  EXPECT_TRUE(eventually(kLong, [&] {
    web.chunk();
    clock.advance(std::chrono::seconds(1));
    return left.load();
  }));
}

TEST_F(HttpStream, ReportsTheTimeoutOfAStream) {
  options.stream_timeout = std::chrono::minutes(10);
  std::promise<void> seen;
  RawClient web = start_completion([&](ports::Call&, Visitor<std::string_view> text) {
    text("x");
    seen.get_future().wait();
    return Error{ErrorCode::Deadline, "Too late."};
  });
  web.answer(/*to_head=*/true);
  web.chunk();
  clock.advance(options.stream_timeout);
  EXPECT_EQ(web.chunk(), ":\n\n") << "the server has read its clock";
  seen.set_value();
  EXPECT_TRUE(web.chunk().starts_with("event: error\n"));
  EXPECT_EQ(web.chunk(), "");
}

TEST_F(HttpStream, EndsWhenTheServerStops) {
  std::atomic<bool> left = false;
  options.drain_timeout = std::chrono::milliseconds(50);
  RawClient web = start_completion(wait_until(left, /*after_a_piece=*/true));
  web.answer(/*to_head=*/true);
  server->drain();
  server.reset();
  EXPECT_TRUE(eventually(kLong, [&] { return left.load(); }));
}

}  // namespace
}  // namespace kbase::tests
