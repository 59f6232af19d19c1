// SPDX-License-Identifier: Apache-2.0
// Start and stop of the server, and its behaviour at the limits of time and memory.
#include <sys/resource.h>

#include <thread>

#include "tests/adapters/http_server_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;

TEST_F(HttpServer, Returns408IfARequestDoesNotArriveInTime) {
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

TEST_F(HttpServer, ClosesAnIdleConnectionSilently) {
  start();
  RawClient fresh = client();
  RawClient used = served_client();
  advance_until_readable(fresh, 5s);
  EXPECT_TRUE(fresh.ends());
  advance_until_readable(used, 20s);
  EXPECT_TRUE(used.ends());
}

TEST_F(HttpServer, DisconnectsAClientThatReadsNothing) {
  content = std::string(8 << 20, 'c');
  options.max_connections = 1;  // so that another client is served only after this one is disconnected
  start();
  RawClient silent = client(4096);
  silent.get("/item/a");
  ASSERT_TRUE(silent.is_readable(10'000));
  EXPECT_TRUE(eventually(kLong, [&] {
    clock.advance(20s);
    RawClient probe = client();
    probe.send("HEAD /api/v1/item/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return probe.answer(true).status == 200;
  }));
  EXPECT_EQ(silent.answer().status, 0);  // the response is incomplete
}

TEST_F(HttpServer, RejectsClientsBeyondTheConnectionLimitAndAcceptsNewOnesLater) {
  options.max_connections = 2;
  start();
  RawClient first = served_client();
  RawClient second = served_client();
  RawClient third = client();
  third.get("/item/a");
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

TEST_F(HttpServer, AnswersHealthBeyondTheConnectionLimit) {
  options.max_connections = 1;
  start();
  RawClient first = served_client();
  RawClient probe = client();
  probe.get("/health");
  const HttpAnswer probe_answer = probe.answer();
  EXPECT_EQ(probe_answer.status, 200);
  EXPECT_EQ(probe_answer.field("connection"), "close");
  EXPECT_TRUE(probe.ends());
}

TEST_F(HttpServer, DisconnectsASilentClientBeyondTheConnectionLimit) {
  options.max_connections = 1;
  start();
  RawClient first = served_client();
  RawClient silent = client();
  advance_until_readable(silent, 1s);
  EXPECT_TRUE(silent.ends());
}

TEST_F(HttpServer, LimitsTheConnectionsPerAddress) {
  options.max_connections_per_address = 1;
  start();
  RawClient first = served_client();
  RawClient second = client();
  second.get("/item/a");
  EXPECT_EQ(second.answer().error_code(), "SERVICE_UNAVAILABLE");
  EXPECT_TRUE(second.ends());
}

TEST_F(HttpServer, DoesNotLimitTheConnectionsOfATrustedProxy) {
  options.max_connections_per_address = 1;
  options.trusted_proxies = {"127.0.0.0/8"};
  start();
  RawClient first = client();
  RawClient second = client();
  for (RawClient* web : {&first, &second}) {
    web->get("/item/a", "X-Forwarded-For: 192.0.2.9\r\n");
    EXPECT_EQ(web->answer().status, 200);
  }
}

TEST_F(HttpServer, LimitsTheTotalSizeOfRequestBodies) {
  options.max_body_bytes_total = 10;
  start();
  RawClient slow = client();
  slow.send("POST /api/v1/item/a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12345678");
  const auto post = [&] {
    RawClient other = client();
    other.send("POST /api/v1/item/a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n123");
    return other.answer();
  };
  HttpAnswer refused;
  ASSERT_TRUE(eventually(kLong, [&] { return (refused = post()).status == 503; }));
  EXPECT_EQ(refused.field("connection"), "close");
  EXPECT_NE(refused.field("retry-after"), "(absent)");
  served_client();  // a request without a body is not affected
  slow.send("9");
  EXPECT_EQ(slow.answer().status, 405);
  EXPECT_EQ(post().status, 405);
  slow.send("POST /api/v1/item/a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12345678");
  ASSERT_TRUE(eventually(kLong, [&] { return post().status == 503; }));
  slow.leave();
  EXPECT_TRUE(eventually(kLong, [&] { return post().status == 405; }));
}

/// CPU seconds that this process has used.
double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

TEST_F(HttpServer, WaitsWithoutSpinningIfItHasNoDescriptors) {
  start();
  // The undefined-behaviour sanitizer opens a file when it checks a type for the first time, so use the type now.
  static_cast<ports::EventLog&>(log).log(ports::LogLevel::Info, "test.begun", "Known.");
  RawClient early = served_client();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  RawClient late;
  rlimit none = before;
  none.rlim_cur = 3;
  ::setrlimit(RLIMIT_NOFILE, &none);
  late.connect(server->port());
  late.get("/item/a");
  EXPECT_TRUE(eventually(kLong, [&] { return log.last().starts_with("http.accept_failed"); }));
  const double cpu = cpu_seconds();
  EXPECT_FALSE(late.is_readable(400));
  EXPECT_LT(cpu_seconds() - cpu, 0.2);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(late.answer().status, 200);
}

TEST_F(HttpServer, ReportsThatARequestWaitedTooLong) {
  start();
  RawClient web = client();
  web.get("/stats");
  ASSERT_TRUE(eventually(kLong, [&] { return executor.held() == 1; }));
  EXPECT_TRUE(executor.run_one(http::Executor::Timing::TooLate));
  const HttpAnswer answer = web.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.error_code(), "SERVICE_UNAVAILABLE");
  EXPECT_NE(answer.field("retry-after"), "(absent)");
  web.get("/item/a");
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(HttpServer, RejectsWorkIfTheQueueIsFullButAnswersHealth) {
  start();
  executor.capacity = 0;
  RawClient web = client();
  web.get("/stats");
  const HttpAnswer answer = web.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.error_code(), "SERVICE_UNAVAILABLE");
  EXPECT_NE(answer.field("retry-after"), "(absent)");
  web.get("/health");
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(HttpServer, DrainsRequestsInFlightAndAcceptsNoNewOnes) {
  start();
  RawClient idle = client();
  idle.get("/item/a");
  EXPECT_EQ(idle.answer().field("connection"), "(absent)");
  RawClient busy = client();
  busy.get("/stats");
  RawClient slow = client();
  slow.send("GET /api/v1/item/a HTTP/1.1\r\nHost: x\r\n\r\nGET /api/v1/item/slow HTTP/1.1\r\nHo");
  EXPECT_EQ(slow.answer().status, 200);  // so the bytes after it have been read too
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
  const HttpAnswer late = busy.answer();
  EXPECT_EQ(late.status, 404);
  EXPECT_EQ(late.field("connection"), "close");
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
  EXPECT_TRUE(executor.run_one());  // its response has no client
}

TEST_F(HttpServer, ReportsThatItsPortIsInUse) {
  start();
  options.port = server->port();
  const auto second = http::Server::start(options, services);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::Unavailable);
  EXPECT_NE(second.error().message.find("port " + std::to_string(options.port) + ": Address already in use"),
            std::string::npos)
      << second.error().message;
}

TEST_F(HttpServer, NamesTheInvalidOption) {
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
  RawClient web = served_client();
}

}  // namespace
}  // namespace kbase::tests
