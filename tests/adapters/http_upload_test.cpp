// SPDX-License-Identifier: Apache-2.0
// Request bodies that are passed on while they arrive, from the socket to the endpoint.
#include <atomic>
#include <future>
#include <string>

#include "tests/adapters/http_server_fixture.hpp"

namespace kbase::tests {
namespace {

class Upload : public HttpServer {
 protected:
  Upload() {
    options.max_import_bytes = 1'000'000;
    options.body_timeout = std::chrono::seconds(30);
    admission_ = admitted(clock.now());
    admission_.has_key = true;
    admission_.scopes = model::kKnownScopes;
    allow_writer_ =
        NAMED_ALLOW_CALL(access, admit(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(admission_);
  }

  static std::string head(std::string_view framing) {
    return "POST /api/v1/import?source=docs HTTP/1.1\r\nHost: x\r\n" + std::string(framing) + "\r\n\r\n";
  }

  /// Reads the body to its end, or to its failure.
  Result<ports::ImportResult> read_body(FunctionRef<Result<std::string>()> next) {
    for (;;) {
      Result<std::string> piece = next();
      if (!piece) return piece.error();
      if (piece->empty()) break;
      body_ += *piece;
      has_read_ = true;
    }
    ports::ImportResult result;
    result.report.added = body_.size();
    return result;
  }

  /// Runs the request that the pool got.
  void run() {
    ASSERT_TRUE(eventually(kLong, [&] { return executor.held() > 0; }));
    EXPECT_TRUE(executor.run_one());
  }

  ports::Admission admission_;
  std::unique_ptr<trompeloeil::expectation> allow_writer_;
  std::string body_;
  std::atomic<bool> has_read_ = false;
};

TEST_F(Upload, PassesOnABodyHoweverItArrives) {
  start();
  const std::string chunked = "6\r\nline 1\r\n6\r\nline 2\r\n0\r\n\r\n";
  const std::string plain = "line 1line 2";
  for (const bool is_chunked : {false, true})
    for (const bool is_split : {false, true}) {
      REQUIRE_CALL(writing, import(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(read_body(_2));
      body_.clear();
      RawClient sender = client();
      const std::string start_of = head(is_chunked ? "Transfer-Encoding: chunked" : "Content-Length: 12");
      const std::string& bytes = is_chunked ? chunked : plain;
      auto running = std::async(std::launch::async, [&] { run(); });
      if (is_split) {
        sender.send(start_of);
        for (const char byte : bytes) sender.send({&byte, 1});
      } else {
        sender.send(start_of + bytes);
      }
      const HttpAnswer answer = sender.answer();
      running.get();
      EXPECT_EQ(answer.status, 200) << answer.body;
      EXPECT_EQ(body_, plain);
      EXPECT_EQ(answer.field("connection"), "close");
      EXPECT_TRUE(sender.ends());
    }
}

TEST_F(Upload, AsksForTheBodyOnceItIsRead) {
  start();
  REQUIRE_CALL(writing, import(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(read_body(_2));
  RawClient sender = client();
  sender.send(head("Expect: 100-continue\r\nContent-Length: 4"));
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() > 0; }));
  EXPECT_FALSE(sender.is_readable(0));
  auto running = std::async(std::launch::async, [&] { run(); });
  EXPECT_EQ(sender.answer().status, 100);
  sender.send("body");
  EXPECT_EQ(sender.answer().status, 200);
  running.get();
  EXPECT_EQ(body_, "body");
}

TEST_F(Upload, ReceivesNoMoreThanTheReaderTakes) {
  start();
  REQUIRE_CALL(writing, import(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(read_body(_2));
  RawClient sender = client();
  sender.send(head("Content-Length: 900000"));
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() > 0; }));
  auto sending = std::async(std::launch::async, [&] { sender.send(std::string(900'000, 'x')); });
  EXPECT_EQ(served_client().connect_error(), 0);  // others are served meanwhile
  run();
  sending.get();
  EXPECT_EQ(sender.answer().status, 200);
  EXPECT_EQ(body_.size(), 900'000u);
}

TEST_F(Upload, ABodyThatStopsIsReportedToTheReader) {
  start();
  REQUIRE_CALL(writing, import(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(read_body(_2)).TIMES(2);
  for (const bool is_reset : {false, true}) {
    RawClient sender = client();
    sender.send(head("Content-Length: 100") + "part");
    auto running = std::async(std::launch::async, [&] { run(); });
    EXPECT_TRUE(eventually(kLong, [&] { return has_read_.exchange(false); }));
    is_reset ? sender.reset() : sender.leave();
    running.get();  // ends, although the rest never arrives
  }
  EXPECT_EQ(body_, "partpart");
}

TEST_F(Upload, APauseInTheBodyTimesOut) {
  start();
  REQUIRE_CALL(writing, import(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(read_body(_2));
  RawClient sender = client();
  sender.send(head("Content-Length: 100") + "part");
  auto running = std::async(std::launch::async, [&] { run(); });
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 0; }));
  advance_until_readable(sender, std::chrono::seconds(5));
  EXPECT_EQ(sender.answer().status, 408);
  running.get();
}

TEST_F(Upload, ABodyThatDripsTimesOut) {
  start();
  REQUIRE_CALL(writing, import(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(read_body(_2));
  RawClient sender = client();
  sender.send(head("Content-Length: 100000"));
  auto running = std::async(std::launch::async, [&] { run(); });
  int sent = 0;
  EXPECT_TRUE(eventually(kLong, [&] {
    sender.send("x");
    ++sent;
    EXPECT_TRUE(eventually(kLong, [&] { return has_read_.exchange(false) || sender.is_readable(0); }));
    clock.advance(std::chrono::seconds(5));
    return sender.is_readable(200);
  }));
  EXPECT_LT(sent, 20);
  EXPECT_EQ(sender.answer().status, 408);
  running.get();
}

TEST_F(Upload, ATooLargeBodyIsRefused) {
  start();
  RawClient sender = client();
  sender.send(head("Content-Length: 1000001"));
  EXPECT_EQ(sender.answer().status, 413);

  REQUIRE_CALL(writing, import(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(read_body(_2));
  RawClient chunked = client();
  chunked.send(head("Transfer-Encoding: chunked") + "f4241\r\n");
  auto running = std::async(std::launch::async, [&] { run(); });
  chunked.send(std::string(1'000'001, 'x'));
  EXPECT_EQ(chunked.answer().status, 413);
  running.get();
  const std::vector<std::string> lines = log.lines();
  EXPECT_EQ(lines.size(), 2u) << "one for each request";
  for (const std::string& line : lines) EXPECT_NE(line.find("status=413"), std::string::npos) << line;
}

TEST_F(Upload, ARefusedRequestDoesNotWaitForItsBody) {
  start();
  admission_.scopes = static_cast<model::Scopes>(model::Scope::Read);
  RawClient sender = client();
  sender.send(head("Content-Length: 100"));
  auto running = std::async(std::launch::async, [&] { run(); });
  EXPECT_EQ(sender.answer().status, 403);
  running.get();
}

}  // namespace
}  // namespace kbase::tests
