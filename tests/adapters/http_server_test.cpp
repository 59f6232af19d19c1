// SPDX-License-Identifier: Apache-2.0
// The server as its clients' sockets see it.
#include "adapters/http/server.hpp"

#include <atomic>
#include <thread>

#include "tests/adapters/http_client.hpp"
#include "tests/adapters/http_world.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;
using namespace std::chrono_literals;

constexpr auto kLong = 10s;

class HttpServer : public testing::Test, protected HttpWorld {
 protected:
  HttpServer() {
    options.port = 0;
    options.inline_catalog = true;
  }

  void start() {
    auto started = http::Server::start(options, services);
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server = *std::move(started);
  }

  RawClient client(int receive_buffer = 0) { return RawClient(server->port(), receive_buffer); }

  model::Status give_item(std::string_view id, ports::ItemVisitor visitor) const {
    model::ItemView item;
    item.id = id;
    item.content = content;
    visitor(item);
    return {};
  }

  /// Time passes until the client has something to read.
  void advance_until_readable(const RawClient& waiting, std::chrono::milliseconds step) {
    EXPECT_TRUE(eventually(kLong, [&] {
      clock.advance(step);
      return waiting.is_readable(20);
    }));
  }

  std::string content = "text";
  std::unique_ptr<trompeloeil::expectation> allowances[7] = {
      NAMED_ALLOW_CALL(access, admit(_, _, _)).LR_RETURN(admitted(clock.now())),
      NAMED_ALLOW_CALL(access, unasked()).LR_RETURN(admitted(clock.now())),
      NAMED_ALLOW_CALL(access, is_inline()).RETURN(true),
      NAMED_ALLOW_CALL(catalog, lineage()).RETURN(model::Lineage{}),
      NAMED_ALLOW_CALL(catalog, count_view(_)),
      NAMED_ALLOW_CALL(catalog, item(_, _, _)).LR_RETURN(give_item(_2, _3)),
      NAMED_ALLOW_CALL(health, report()).RETURN(ports::HealthReport{}),
  };
  std::unique_ptr<trompeloeil::expectation> statistics_asked =
      NAMED_ALLOW_CALL(statistics, validator(_))
          .RETURN(model::Error{model::ErrorCode::NotFound, "stats of " + std::string(_1.trace_id), {}, {}, {}});
  std::unique_ptr<http::Server> server;
};

TEST_F(HttpServer, AnswersOneRequestAfterTheOther) {
  start();
  RawClient web = client();
  for (const char* id : {"a", "b", "c"}) {
    web.get("/item/" + std::string(id));
    const HttpAnswer answer = web.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.json().at("data").at("id"), id);
  }
}

TEST_F(HttpServer, AnswersPipelinedRequestsInOrderAlsoWhereOneIsAnsweredElsewhere) {
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

TEST_F(HttpServer, ClosesWhenTheClientAsksForIt) {
  start();
  RawClient web = client();
  web.get("/item/a", "Connection: close\r\n");
  EXPECT_EQ(web.answer().field("connection"), "close");
  EXPECT_TRUE(web.ends());
}

TEST_F(HttpServer, ClosesAfterAnAnswerToAnOldClientUnlessItAsksToStay) {
  start();
  RawClient web = client();
  web.send("GET /api/v1/item/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(web.answer().field("connection"), "keep-alive");
  web.send("GET /api/v1/item/a HTTP/1.0\r\n\r\n");
  EXPECT_EQ(web.answer().field("connection"), "close");
  EXPECT_TRUE(web.ends());
}

TEST_F(HttpServer, AnswersAClientThatHasEndedItsOutput) {
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

TEST_F(HttpServer, SaysThatARequestIsIncomplete) {
  start();
  RawClient web = client();
  web.send("POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  web.end_output();
  EXPECT_EQ(web.answer().status, 400);
  EXPECT_TRUE(web.ends());
}

TEST_F(HttpServer, AnswersWhatIsNoRequestInJsonAndCloses) {
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

TEST_F(HttpServer, SurvivesAChunkEndCutBetweenCrAndLf) {
  start();
  RawClient web = client();
  web.send("POST /api/v1/item/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r");
  web.send("\n0\r\n\r");
  web.send("\n");
  EXPECT_EQ(web.answer().status, 405);
  web.get("/item/a");
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(HttpServer, TellsAClientThatWaitsToSendItsBody) {
  start();
  RawClient web = client();
  web.send("POST /api/v1/item/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(web.answer().status, 100);
  web.send("hi");
  EXPECT_EQ(web.answer().status, 405);
}

TEST_F(HttpServer, AnswersHeadWithoutABodyAndGoesOn) {
  start();
  RawClient web = client();
  web.send("HEAD /api/v1/item/a HTTP/1.1\r\nHost: x\r\n\r\nGET /api/v1/item/a HTTP/1.1\r\nHost: x\r\n\r\n");
  const HttpAnswer head = web.answer(true);
  const HttpAnswer get = web.answer();
  EXPECT_EQ(head.field("content-length"), get.field("content-length"));
  EXPECT_EQ(get.json().at("data").at("id"), "a");
}

TEST_F(HttpServer, AnswersA408WhereARequestDoesNotArriveInTime) {
  start();
  RawClient slow_head = client();
  slow_head.send("GET / HT");
  advance_until_readable(slow_head, 5s);
  EXPECT_EQ(slow_head.answer().status, 408);
  EXPECT_TRUE(slow_head.ends());
  RawClient slow_body = client();
  slow_body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  advance_until_readable(slow_body, 5s);
  EXPECT_EQ(slow_body.answer().error_code(), "REQUEST_TIMEOUT");
  EXPECT_TRUE(slow_body.ends());
}

TEST_F(HttpServer, ClosesAnIdleConnectionWithoutAWord) {
  start();
  RawClient fresh = client();
  RawClient used = client();
  used.get("/item/a");
  EXPECT_EQ(used.answer().status, 200);
  advance_until_readable(fresh, 5s);
  EXPECT_TRUE(fresh.ends());
  advance_until_readable(used, 20s);
  EXPECT_TRUE(used.ends());
}

TEST_F(HttpServer, SendsALargeAnswerToASlowReaderWhileItServesOthers) {
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

TEST_F(HttpServer, CutsOffAClientThatReadsNothing) {
  content = std::string(8 << 20, 'c');
  start();
  RawClient deaf = client(4096);
  deaf.get("/item/a");
  ASSERT_TRUE(deaf.is_readable(10'000));
  EXPECT_TRUE(eventually(kLong, [&] {
    clock.advance(20s);
    const auto lines = log.lines();
    RawClient probe = client();
    probe.send("HEAD /api/v1/item/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return probe.answer(true).status == 200;
  }));
  advance_until_readable(deaf, 20s);
  EXPECT_EQ(deaf.answer().status, 0);  // it ends before it is complete
}

TEST_F(HttpServer, TellsClientsBeyondItsConnectionsSoAndTakesNewOnesLater) {
  options.max_connections = 2;
  start();
  RawClient first = client();
  RawClient second = client();
  for (RawClient* web : {&first, &second}) {
    web->get("/item/a");
    EXPECT_EQ(web->answer().status, 200);
  }
  RawClient third = client();
  const HttpAnswer refused = third.answer();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.error_code(), "SERVICE_UNAVAILABLE");
  EXPECT_NE(refused.field("retry-after"), "(absent)");
  EXPECT_TRUE(third.ends());
  third.leave();
  first.leave();
  EXPECT_TRUE(eventually(kLong, [&] {
    RawClient later = client();
    later.get("/item/a");
    return later.answer().status == 200;
  }));
}

TEST_F(HttpServer, RefusesWorkThatItHasNoRoomForButAnswersHealth) {
  start();
  executor.room = 0;
  RawClient web = client();
  web.get("/stats");
  const HttpAnswer answer = web.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.error_code(), "SERVICE_UNAVAILABLE");
  EXPECT_NE(answer.field("retry-after"), "(absent)");
  web.get("/health");
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(HttpServer, GivesNobodyTheAnswerOfAClientThatLeft) {
  start();
  RawClient gone = client();
  gone.get("/stats", "X-Request-Id: of-the-one-that-left\r\n");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
  gone.vanish();
  RawClient next = client();
  next.get("/stats", "X-Request-Id: of-the-next\r\n");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 2; }));
  EXPECT_TRUE(executor.run_one());
  EXPECT_TRUE(executor.run_one());
  EXPECT_EQ(next.answer().field("x-request-id"), "of-the-next");
}

TEST_F(HttpServer, TellsWorkThatItsClientLeft) {
  const std::atomic<bool>* cancel = nullptr;
  std::atomic<bool> asked{false};
  std::atomic<bool> seen{false};
  statistics_asked =
      NAMED_ALLOW_CALL(statistics, validator(_))
          .LR_SIDE_EFFECT(cancel = _1.cancel; asked = true; seen = eventually(kLong, [&] { return cancel->load(); }))
          .RETURN(model::Error{model::ErrorCode::Cancelled, "", {}, {}, {}});
  start();
  RawClient web = client();
  web.get("/stats");
  std::jthread worker([&] { eventually(kLong, [&] { return executor.run_one(); }); });
  ASSERT_TRUE(eventually(kLong, [&] { return asked.load(); }));
  web.vanish();
  worker.join();
  EXPECT_TRUE(seen);
}

TEST_F(HttpServer, DrainsWhatIsInFlightAndTakesNothingNew) {
  start();
  RawClient idle = client();
  idle.get("/item/a");
  EXPECT_EQ(idle.answer().field("connection"), "(absent)");
  RawClient busy = client();
  busy.get("/stats");
  RawClient slow = client();
  slow.send("GET /api/v1/item/slow HTTP/1.1\r\nHo");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));

  const std::uint16_t port = server->port();
  std::jthread draining([&] { server->drain(); });
  EXPECT_TRUE(idle.ends());
  EXPECT_EQ(RawClient(port).connect_error(), ECONNREFUSED);
  slow.send("st: x\r\n\r\n");
  const HttpAnswer last = slow.answer();
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.field("connection"), "close");
  EXPECT_TRUE(slow.ends());
  slow.leave();
  EXPECT_TRUE(executor.run_one());
  EXPECT_EQ(busy.answer().status, 404);
  EXPECT_TRUE(busy.ends());
  busy.leave();
  draining.join();
}

TEST_F(HttpServer, StopsDrainingAtItsTimeout) {
  options.drain_timeout = 50ms;
  start();
  RawClient busy = client();
  busy.get("/stats");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
  server->drain();
  server.reset();
  EXPECT_TRUE(busy.ends());
  EXPECT_TRUE(executor.run_one());  // its answer finds nobody
}

TEST_F(HttpServer, SaysThatItsPortIsTaken) {
  start();
  options.port = server->port();
  const auto second = http::Server::start(options, services);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, model::ErrorCode::Unavailable);
  EXPECT_NE(second.error().message.find("port " + std::to_string(options.port) + ": Address already in use"),
            std::string::npos)
      << second.error().message;
}

TEST_F(HttpServer, SaysWhichOptionIsWrong) {
  options.address = "not an address";
  EXPECT_EQ(http::Server::start(options, services).error().parameter, "address");
  options.address = "127.0.0.1";
  options.trusted_proxies = {"10.0.0.0/33"};
  EXPECT_EQ(http::Server::start(options, services).error().parameter, "trusted_proxies");
  options.trusted_proxies = {};
  options.threads = 0;
  EXPECT_EQ(http::Server::start(options, services).error().parameter, "threads");
}

TEST_F(HttpServer, ListensOnIpv6AndOnBothFamilies) {
  options.address = "::1";
  start();
  EXPECT_NE(server->port(), 0);
  options.address = "::";
  start();
  RawClient web = client();
  web.get("/item/a");
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(HttpServer, NeverMixesUpAnswersWhileClientsComeAndGo) {
  options.threads = 2;
  start();
  std::atomic<bool> done{false};
  std::jthread pool([&] {
    while (!done)
      if (!executor.run_one()) std::this_thread::yield();
  });
  std::vector<std::jthread> crowd;
  std::atomic<int> answered{0};
  for (int member = 0; member < 4; ++member) {
    crowd.emplace_back([&, member] {
      for (int round = 0; round < 150; ++round) {
        RawClient web = client();
        for (int i = 0; i < 3; ++i) {
          const std::string id = std::to_string(member) + "-" + std::to_string(round) + "-" + std::to_string(i);
          web.get(i == 1 ? "/item/" + id : "/stats", "X-Request-Id: " + id + "\r\n");
          if (i == 2 && round % 3 == 0) {
            web.vanish();
            break;
          }
          if (web.answer().field("x-request-id") == id) ++answered;
        }
      }
    });
  }
  crowd.clear();
  done = true;
  EXPECT_EQ(answered, 4 * (150 * 2 + 100));
}

}  // namespace
}  // namespace kbase::tests
