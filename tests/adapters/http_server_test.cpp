// SPDX-License-Identifier: Apache-2.0
// Requests and responses over real client sockets.
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "tests/adapters/http_server_fixture.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;

TEST_F(HttpServer, AnswersSequentialRequests) {
  start();
  RawClient web = client();
  for (const char* id : {"a", "b", "c"}) {
    web.get("/item/" + std::string(id));
    const HttpAnswer answer = web.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.json().at("data").at("id"), id);
  }
}

TEST_F(HttpServer, AnswersPipelinedRequestsInOrderAcrossThreads) {
  start();
  RawClient web = client();
  web.send(
      "GET /api/v1/item/a HTTP/1.1\r\nHost: x\r\n\r\n"
      "GET /api/v1/stats HTTP/1.1\r\nHost: x\r\nX-Request-Id: s1\r\n\r\n"
      "GET /api/v1/item/b HTTP/1.1\r\nHost: x\r\n\r\nGET /api/v1/item/c HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(web.answer().json().at("data").at("id"), "a");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.run_one(); }));
  EXPECT_EQ(web.answer().field("x-request-id"), "s1");
  EXPECT_EQ(web.answer().json().at("data").at("id"), "b");
  EXPECT_EQ(web.answer().json().at("data").at("id"), "c");
}

TEST_F(HttpServer, ClosesWhenTheClientRequestsIt) {
  start();
  RawClient web = client();
  web.get("/item/a", "Connection: close\r\n");
  EXPECT_EQ(web.answer().field("connection"), "close");
  EXPECT_TRUE(web.ends());
}

TEST_F(HttpServer, ClosesAfterAResponseToHttp10WithoutKeepAlive) {
  start();
  RawClient web = client();
  web.send("GET /api/v1/item/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(web.answer().field("connection"), "keep-alive");
  web.send("GET /api/v1/item/a HTTP/1.0\r\n\r\n");
  EXPECT_EQ(web.answer().field("connection"), "close");
  EXPECT_TRUE(web.ends());
}

TEST_F(HttpServer, AnswersAHalfClosedClient) {
  start();
  RawClient web = client();
  web.get("/item/a");
  web.get("/stats");
  web.end_output();
  EXPECT_EQ(web.answer().status, 200);
  ASSERT_TRUE(eventually(kLong, [&] { return executor.run_one(); }));
  EXPECT_EQ(web.answer().status, 404);
  EXPECT_TRUE(web.ends());
}

TEST_F(HttpServer, ReportsAnIncompleteRequest) {
  start();
  RawClient web = client();
  web.send("POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  web.end_output();
  EXPECT_EQ(web.answer().status, 400);
  EXPECT_TRUE(web.ends());
}

TEST_F(HttpServer, AnswersAnInvalidRequestInJsonAndCloses) {
  start();
  const std::string slashes(20'000, '/');
  const std::pair<std::string, int> cases[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET / HTTP/1.1\n\n", 400},
      {"GET / HTTP/2.0\r\n\r\n", 505},
      {"GET " + slashes + " HTTP/1.1\r\nHost: x\r\n\r\n", 414},
      {"GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(70'000, 'v') + "\r\n\r\n", 431},
      {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n", 413},
  };
  for (const auto& [bytes, status] : cases) {
    RawClient web = client();
    web.send(bytes + "GET /api/v1/item/smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
    const HttpAnswer answer = web.answer();
    EXPECT_EQ(answer.status, status) << bytes.substr(0, 60);
    EXPECT_EQ(answer.field("connection"), "close");
    EXPECT_EQ(answer.field("x-ratelimit-limit"), "10");
    EXPECT_NE(answer.field("x-request-id"), "(absent)");
    EXPECT_NE(answer.field("date"), "(absent)");
    EXPECT_EQ(answer.field("access-control-allow-origin"), "*");
    EXPECT_TRUE(answer.json().at("error").at("code").is_string());
    EXPECT_TRUE(web.ends());
  }
}

TEST_F(HttpServer, AcceptsAChunkEndSplitBetweenCrAndLf) {
  start();
  RawClient web = client();
  web.send("POST /api/v1/item/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r");
  web.send("\n0\r\n\r");
  web.send("\n");
  EXPECT_EQ(web.answer().status, 405);
  web.get("/item/a");
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(HttpServer, Sends100ContinueToAWaitingClient) {
  start();
  RawClient web = client();
  web.send("POST /api/v1/item/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(web.answer().status, 100);
  web.send("hi");
  EXPECT_EQ(web.answer().status, 405);
}

TEST_F(HttpServer, AnswersHeadWithoutABodyAndContinues) {
  start();
  RawClient web = client();
  web.send("HEAD /api/v1/item/a HTTP/1.1\r\nHost: x\r\n\r\nGET /api/v1/item/a HTTP/1.1\r\nHost: x\r\n\r\n");
  const HttpAnswer head = web.answer(true);
  const HttpAnswer get = web.answer();
  EXPECT_EQ(head.field("content-length"), get.field("content-length"));
  EXPECT_EQ(get.json().at("data").at("id"), "a");
}

TEST_F(HttpServer, SendsALargeResponseToASlowReaderWhileServingOthers) {
  content = std::string(8 << 20, 'c');
  start();
  RawClient slow = client(4096);
  slow.get("/item/a");
  RawClient other = client();
  for (int i = 0; i < 3; ++i) {
    other.send("HEAD /api/v1/item/b HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(other.answer(true).status, 200);
  }
  const HttpAnswer answer = slow.answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json().at("data").at("content"), content);
}

TEST_F(HttpServer, DropsTheResponseForADisconnectedClient) {
  start();
  RawClient gone = client();
  gone.get("/stats", "X-Request-Id: of-the-one-that-left\r\n");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
  gone.reset();
  RawClient next = client();
  next.get("/stats", "X-Request-Id: of-the-next\r\n");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 2; }));
  EXPECT_TRUE(executor.run_one());
  EXPECT_TRUE(executor.run_one());
  EXPECT_EQ(next.answer().field("x-request-id"), "of-the-next");
}

TEST_F(HttpServer, CancelsWorkWhenItsClientDisconnects) {
  ports::CancelSource cancel;
  std::atomic<bool> is_requested{false};
  std::atomic<bool> seen{false};
  allow_statistics = NAMED_ALLOW_CALL(statistics, report(_))
                         .LR_SIDE_EFFECT(cancel = _1.cancel; is_requested = true;
                                         seen = eventually(kLong, [&] { return cancel.requested(); }))
                         .RETURN(Error{ErrorCode::Cancelled, ""});
  start();
  RawClient web = client();
  web.get("/stats");
  std::jthread worker([&] { eventually(kLong, [&] { return executor.run_one(); }); });
  ASSERT_TRUE(eventually(kLong, [&] { return is_requested.load(); }));
  web.reset();
  worker.join();
  EXPECT_TRUE(seen);
}

TEST_F(HttpServer, NeverMixesUpResponsesWhileClientsConnectAndDisconnect) {
  options.threads = 2;
  start();
  std::atomic<bool> done{false};
  std::jthread pool([&] {
    while (!done)
      if (!executor.run_one()) std::this_thread::yield();
  });
  std::vector<std::jthread> clients;
  std::atomic<int> answered{0};
  for (int member = 0; member < 4; ++member) {
    clients.emplace_back([&, member] {
      for (int round = 0; round < 150; ++round) {
        RawClient web = client();
        for (int i = 0; i < 3; ++i) {
          const std::string id = std::to_string(member) + "-" + std::to_string(round) + "-" + std::to_string(i);
          web.get(i == 1 ? "/item/" + id : "/stats", "X-Request-Id: " + id + "\r\n");
          if (i == 2 && round % 3 == 0) {
            web.reset();
            break;
          }
          if (web.answer().field("x-request-id") == id) ++answered;
        }
      }
    });
  }
  clients.clear();
  done = true;
  EXPECT_EQ(answered, 4 * (150 * 2 + 100));
}

/// A second lookup could miss and then wait for the service on the reactor thread.
TEST_F(HttpServer, LooksUpACachedReplyOnce) {
  allowances[2] = NAMED_ALLOW_CALL(access, is_inline(trompeloeil::_)).RETURN(false);
  REQUIRE_CALL(users, find_cached("ada")).RETURN(ports::UserReply{R"({"profile":{}})", std::chrono::seconds(7)});
  start();
  RawClient web = client();
  web.get("/external/codehost/ada");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.run_one(); }));
  EXPECT_EQ(web.answer().body, R"({"success":true,"data":{"profile":{}}})");
}

TEST_F(HttpServer, SearchesOnTheReactorIfTheSearchIsQuick) {
  options.inline_quick_search = true;
  ALLOW_CALL(search, validator(_, _)).RETURN(ports::Validator{});
  REQUIRE_CALL(search, search(_, _, _)).WITH(_1.is_quick).RETURN(ports::SearchPage{});
  start();
  RawClient web = client();
  web.get("/search?q=wolf");
  EXPECT_EQ(web.answer().status, 200);
  EXPECT_EQ(executor.held(), 0U);
}

TEST_F(HttpServer, HandsASearchThatIsNotQuickToTheExecutorAndCountsItOnce) {
  options.inline_quick_search = true;
  ALLOW_CALL(search, validator(_, _)).RETURN(ports::Validator{});
  trompeloeil::sequence order;
  REQUIRE_CALL(access, admit(_, _, _)).RETURN(admitted(clock.now()));
  REQUIRE_CALL(search, search(_, _, _))
      .WITH(_1.is_quick)
      .IN_SEQUENCE(order)
      .RETURN(Error{ErrorCode::Deadline, "Slow."});
  REQUIRE_CALL(search, search(_, _, _)).WITH(!_1.is_quick).IN_SEQUENCE(order).RETURN(ports::SearchPage{});
  start();
  RawClient web = client();
  web.get("/search?q=wolf");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
  executor.capacity = 0;  // a request that was counted is not refused
  EXPECT_TRUE(executor.run_one());
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(HttpServer, GivesASearchOnTheReactorTwoMilliseconds) {
  options.inline_quick_search = true;
  ALLOW_CALL(search, validator(_, _)).RETURN(ports::Validator{});
  REQUIRE_CALL(search, search(_, _, _))
      .LR_WITH(_1.deadline == clock.steady() + std::chrono::milliseconds(2))
      .RETURN(ports::SearchPage{});
  start();
  RawClient web = client();
  web.get("/search?q=wolf");
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(HttpServer, SumsUpViewsOnTheExecutorEvenIfSearchesMayBeQuick) {
  options.inline_quick_search = true;
  start();
  RawClient web = client();
  web.get("/popular");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
}

TEST_F(HttpServer, SearchesOnTheExecutorWhileOtherRequestsWaitThere) {
  options.inline_quick_search = true;
  ALLOW_CALL(search, validator(_, _)).RETURN(ports::Validator{});
  ALLOW_CALL(search, search(_, _, _)).WITH(!_1.is_quick).RETURN(ports::SearchPage{});
  start();
  RawClient first = client();
  first.get("/stats");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
  RawClient web = client();
  web.get("/search?q=wolf");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 2; }));
}

TEST_F(HttpServer, ChecksKeysThatMayBlockOffTheReactor) {
  allowances[2] = NAMED_ALLOW_CALL(access, is_inline(_)).RETURN(!_1.has_value());
  start();
  RawClient keyed = client();
  keyed.get("/health", "Authorization: Bearer KEY\r\n");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
  RawClient keyless = client();
  keyless.get("/health");
  EXPECT_EQ(keyless.answer().status, 200);
  ASSERT_TRUE(executor.run_one());
  EXPECT_EQ(keyed.answer().status, 200);
}

TEST_F(HttpServer, ReportsWhyItCannotListenAndTheRemedy) {
  start();
  options.port = server->port();
  const auto taken = http::Server::start(options, services);
  ASSERT_FALSE(taken.has_value());
  EXPECT_NE(
      taken.error().message.find("Address already in use. Stop the program that uses it, or choose another server."),
      std::string::npos)
      << taken.error().message;
  options.address = "192.0.2.1";  // reserved for documentation (RFC 5737)
  const auto elsewhere = http::Server::start(options, services);
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_NE(elsewhere.error().message.find("Cannot assign requested address. Set server.address to an address of this "
                                           "machine"),
            std::string::npos)
      << elsewhere.error().message;
}

TEST_F(HttpServer, ReportsTheOldestLoopTime) {
  options.threads = 3;
  start();
  clock.advance(std::chrono::seconds(60));
  EXPECT_TRUE(eventually(kLong, [&] { return server->last_iteration() == clock.steady(); }));
}

TEST_F(HttpServer, ReportsAHangingThread) {
  options.threads = 2;
  std::latch hangs(1), resumes(1);
  allowances[5] = NAMED_ALLOW_CALL(catalog, item(_, _, _))
                      .LR_SIDE_EFFECT(hangs.count_down(); resumes.wait())
                      .LR_RETURN(pass_item(_2, _3));
  start();
  RawClient web = client();
  web.get("/item/a");
  hangs.wait();
  const auto before = clock.steady();
  clock.advance(std::chrono::seconds(60));
  EXPECT_LE(server->last_iteration(), before);
  resumes.count_down();
  EXPECT_EQ(web.answer().status, 200);
  EXPECT_TRUE(eventually(kLong, [&] { return server->last_iteration() == clock.steady(); }));
}

}  // namespace
}  // namespace kbase::tests
