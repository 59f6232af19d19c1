// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>

#include "tests/adapters/curl_fixture.hpp"

namespace kbase::tests {
namespace {

void send_nothing(const ReceivedRequest&, Peer& peer) { peer.wait_until_left(); }

void stall_in_the_body(const ReceivedRequest&, Peer& peer) {
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!");
  peer.wait_until_left();
}

TEST(CurlTimeouts, TheDeadlineOfTheCallEndsTheWaitForTheHead) {
  CurlFixture fixture;
  ScriptedHttpServer server(send_nothing);
  const auto client = fixture.client(server.url());
  fixture.call.deadline = fixture.clock.steady() + 5s;
  const auto exchange = fixture.open(*client, server.url());
  server.wait_for(1);
  fixture.clock.advance(5s);
  EXPECT_TRUE(failed(exchange->head(), ErrorCode::Deadline));
  server.wait_until_idle();
}

TEST(CurlTimeouts, TheDeadlineOfTheCallEndsTheWaitForTheBody) {
  CurlFixture fixture;
  ScriptedHttpServer server(stall_in_the_body);
  const auto client = fixture.client(server.url());
  fixture.call.deadline = fixture.clock.steady() + 5s;
  const auto exchange = fixture.open(*client, server.url());
  std::array<char, 16> buffer{};
  EXPECT_TRUE(succeeded(exchange->read(buffer)));
  fixture.clock.advance(5s);
  EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Deadline));
  server.wait_until_idle();
}

TEST(CurlTimeouts, ACancelledCallEndsItsWait) {
  CurlFixture fixture;
  ScriptedHttpServer server(send_nothing);
  const auto client = fixture.client(server.url());
  std::atomic<bool> is_cancelled{false};
  fixture.call.cancel = ports::CancelSource(&is_cancelled);
  const auto exchange = fixture.open(*client, server.url());
  server.wait_for(1);
  is_cancelled = true;
  EXPECT_TRUE(failed(exchange->head(), ErrorCode::Cancelled));
  server.wait_until_idle();
  ports::HttpRequest request;
  const std::string url = server.url();
  request.url = url;
  EXPECT_TRUE(failed(client->open(fixture.call, request), ErrorCode::Cancelled));
}

TEST(CurlTimeouts, AResponseThatDoesNotBeginTimesOut) {
  CurlFixture fixture;
  ScriptedHttpServer server(send_nothing);
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.first_byte_timeout = 3s;
  const auto client = fixture.client(options);
  const auto exchange = fixture.open(*client, server.url());
  server.wait_for(1);
  fixture.clock.advance(3s);
  EXPECT_TRUE(failed(exchange->head(), ErrorCode::Deadline));
  EXPECT_TRUE(fixture.has_metric("requests_total", "1", "timed_out"));
}

TEST(CurlTimeouts, SilenceWithinAResponseEndsIt) {
  CurlFixture fixture;
  ScriptedHttpServer server(stall_in_the_body);
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.idle_timeout = 3s;
  const auto client = fixture.client(options);
  const auto exchange = fixture.open(*client, server.url());
  std::array<char, 16> buffer{};
  EXPECT_TRUE(succeeded(exchange->read(buffer)));
  std::optional<Result<std::size_t>> got;
  std::thread reader([&] { got = exchange->read(buffer); });
  EXPECT_TRUE(fixture.advance_until([&] { return static_cast<bool>(fixture.has_metric("requests_open", "0")); }));
  reader.join();
  EXPECT_TRUE(failed(*got, ErrorCode::Deadline));
}

TEST(CurlTimeouts, PausedTimeDoesNotCountAsSilence) {
  CurlFixture fixture;
  const std::string body(8U << 20U, 'x');
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", body); });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.idle_timeout = 3s;
  const auto client = fixture.client(options);
  const auto exchange = fixture.open(*client, server.url());
  EXPECT_TRUE(succeeded(exchange->head()));
  const auto other = fixture.open(*client, server.url());  // so that the loop has run since the first exchange paused
  for (int i = 0; i < 3; ++i) {
    fixture.clock.advance(2s);
    EXPECT_TRUE(succeeded(other->head()));
  }
  EXPECT_EQ(read_all(*exchange, 1U << 16U).body.size(), body.size());
}

TEST(CurlTimeouts, AResponseHasAMaximumTotalTime) {
  CurlFixture fixture;
  ScriptedHttpServer server(stall_in_the_body);
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.total_timeout = 4s;
  const auto client = fixture.client(options);
  const auto exchange = fixture.open(*client, server.url());
  EXPECT_TRUE(succeeded(exchange->head()));
  fixture.clock.advance(4s);
  std::array<char, 16> buffer{};
  while (exchange->read(buffer)) {
  }
  EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Deadline));
}

TEST(CurlTimeouts, ASlowConnectionTimesOut) {
  CurlFixture fixture;
  ScriptedHttpServer server(send_nothing);  // a server without TLS
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/";
  curl::ClientOptions options = CurlFixture::options(url);
  options.connect_timeout = 50ms;
  EXPECT_TRUE(failed_with(fixture.get(*fixture.client(options), url), ErrorCode::Deadline));
}

TEST(CurlRetries, ResendAGetAfterALostConnection) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest& request, Peer& peer) {
    if (request.connection < 3) return peer.reset();
    peer.answer("200 OK", "at last");
  });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.retry.max_retries = 2;
  const auto client = fixture.client(options);
  const auto exchange = fixture.open(*client, server.url());
  EXPECT_TRUE(fixture.advance_until([&] { return server.received().size() == 3; }));
  const Fetched fetched = read_all(*exchange);
  EXPECT_EQ(fetched.body, "at last");
  EXPECT_EQ(fetched.attempts, 3U);
  EXPECT_TRUE(fixture.has_metric("retries_total", "2"));
}

TEST(CurlRetries, EndAtTheMaximum) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("503 Service Unavailable", "no"); });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.retry.max_retries = 2;
  const auto client = fixture.client(options);
  const auto exchange = fixture.open(*client, server.url());
  EXPECT_TRUE(fixture.advance_until([&] { return server.received().size() == 3; }));
  const Fetched fetched = read_all(*exchange);
  EXPECT_EQ(fetched.status, 503U);
  EXPECT_EQ(fetched.body, "no");
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CurlRetries, NeverResendAPost) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest& request, Peer& peer) {
    if (request.target == "/reset") return peer.reset();
    peer.answer("503 Service Unavailable\r\nRetry-After: 0");
  });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.retry.max_retries = 2;
  const auto client = fixture.client(options);
  ports::HttpRequest request;
  request.method = "POST";
  const std::string reset = server.url("/reset");
  request.url = reset;
  EXPECT_TRUE(failed_with(fixture.fetch(*client, request), ErrorCode::Unavailable));
  const std::string busy = server.url("/busy");
  request.url = busy;
  EXPECT_EQ(fixture.fetch(*client, request).status, 503U);
  EXPECT_EQ(server.received().size(), 2U);
}

/// A GET with a limit of `max_attempts`, from a client that retries twice.
Fetched get_with_attempts(CurlFixture& fixture, const ScriptedHttpServer& server, std::uint32_t max_attempts,
                          std::uint32_t max_redirects = 0) {
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.retry.max_retries = 2;
  options.retry.pause = 0ms;
  const auto client = fixture.client(options);
  const std::string url = server.url();
  ports::HttpRequest request;
  request.url = url;
  request.max_attempts = max_attempts;
  request.max_redirects = max_redirects;
  return fixture.fetch(*client, request);
}

TEST(CurlRetries, StayWithinTheLimitOfTheRequest) {
  CurlFixture fixture;
  for (const std::uint32_t attempts : {1U, 2U}) {
    ScriptedHttpServer busy([](const ReceivedRequest&, Peer& peer) { peer.answer("503 Service Unavailable"); });
    const Fetched refused = get_with_attempts(fixture, busy, attempts);
    EXPECT_EQ(refused.status, 503U);
    EXPECT_EQ(refused.attempts, attempts);
    EXPECT_EQ(busy.received().size(), attempts);

    ScriptedHttpServer broken([](const ReceivedRequest&, Peer& peer) { peer.reset(); });
    EXPECT_TRUE(failed_with(get_with_attempts(fixture, broken, attempts), ErrorCode::Unavailable));
    EXPECT_EQ(broken.received().size(), attempts);

    ScriptedHttpServer redirecting([](const ReceivedRequest&, Peer& peer) { peer.answer("302 Found\r\nLocation: /"); });
    EXPECT_TRUE(failed_with(get_with_attempts(fixture, redirecting, attempts, 9), ErrorCode::BadUpstream));
    EXPECT_EQ(redirecting.received().size(), attempts);
  }
}

TEST(CurlRetries, CountResendsAfterADeadIdleConnection) {
  for (const std::uint32_t attempts : {1U, 2U}) {
    CurlFixture fixture;
    ScriptedHttpServer server([](const ReceivedRequest& request, Peer& peer) {
      if (request.target == "/first" || request.connection > 1) return peer.answer("200 OK");
      peer.close();
    });
    const auto client = fixture.client(server.url());
    EXPECT_EQ(fixture.get(*client, server.url("/first")).attempts, 1U);
    const std::string url = server.url("/second");
    ports::HttpRequest request;
    request.url = url;
    request.max_attempts = attempts;
    const Fetched fetched = fixture.fetch(*client, request);
    if (attempts == 1) {
      EXPECT_TRUE(failed_with(fetched, ErrorCode::Unavailable));
    } else {
      EXPECT_EQ(fetched.attempts, 2U);
    }
    EXPECT_EQ(server.received().size(), 1 + attempts);
  }
}

TEST(CurlRetries, WaitAsLongAsTheServiceRequests) {
  CurlFixture fixture;
  std::atomic<std::int64_t> waited_ms{0};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(fixture.clock.steady().time_since_epoch());
    waited_ms = now.count() - waited_ms;
    if (now.count() == waited_ms) return peer.answer("429 Too Many Requests\r\nRetry-After: 3");
    peer.answer("200 OK");
  });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.retry.max_retries = 1;
  const auto client = fixture.client(options);
  const auto exchange = fixture.open(*client, server.url());
  EXPECT_TRUE(fixture.advance_until([&] { return server.received().size() == 2; }));
  EXPECT_EQ(read_all(*exchange).status, 200U);
  EXPECT_GE(waited_ms, 3000);
}

TEST(CurlRetries, ReturnAResponseWhoseRetryAfterExceedsTheDeadline) {
  CurlFixture fixture;
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("429 Too Many Requests\r\nRetry-After: 3", "later"); });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.retry.max_retries = 2;
  fixture.call.deadline = fixture.clock.steady() + 3s;
  const Fetched fetched = fixture.get(*fixture.client(options), server.url());
  EXPECT_EQ(fetched.status, 429U);
  EXPECT_EQ(fetched.field("retry-after"), "3");
  EXPECT_EQ(fetched.body, "later");
  EXPECT_EQ(server.received().size(), 1U);
}

}  // namespace
}  // namespace kbase::tests
