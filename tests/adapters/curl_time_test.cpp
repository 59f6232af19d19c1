// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>

#include "tests/adapters/curl_world.hpp"

namespace kbase::tests {
namespace {

void stay_silent(const HeardRequest&, Peer& peer) {
  peer.wait_until_left();
}

void stall_in_the_body(const HeardRequest&, Peer& peer) {
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!");
  peer.wait_until_left();
}

TEST(CurlTimes, TheDeadlineOfTheCallEndsTheWaitForTheHead) {
  CurlWorld world;
  ScriptedHttpServer server(stay_silent);
  const auto client = world.client(server.url());
  world.call.deadline = world.clock.steady() + 5s;
  const auto exchange = world.open(*client, server.url());
  server.wait_for(1);
  world.clock.advance(5s);
  EXPECT_TRUE(failed(exchange->head(), ErrorCode::Deadline));
  server.wait_until_idle();
}

TEST(CurlTimes, TheDeadlineOfTheCallEndsTheWaitForTheBody) {
  CurlWorld world;
  ScriptedHttpServer server(stall_in_the_body);
  const auto client = world.client(server.url());
  world.call.deadline = world.clock.steady() + 5s;
  const auto exchange = world.open(*client, server.url());
  std::array<char, 16> buffer{};
  EXPECT_TRUE(succeeded(exchange->read(buffer)));
  world.clock.advance(5s);
  EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Deadline));
  server.wait_until_idle();
}

TEST(CurlTimes, ACancelledCallEndsItsWait) {
  CurlWorld world;
  ScriptedHttpServer server(stay_silent);
  const auto client = world.client(server.url());
  std::atomic<bool> is_cancelled{false};
  world.call.cancel = ports::CancelSource(&is_cancelled);
  const auto exchange = world.open(*client, server.url());
  server.wait_for(1);
  is_cancelled = true;
  EXPECT_TRUE(failed(exchange->head(), ErrorCode::Cancelled));
  server.wait_until_idle();
  ports::HttpRequest request;
  const std::string url = server.url();
  request.url = url;
  EXPECT_TRUE(failed(client->open(world.call, request), ErrorCode::Cancelled));
}

TEST(CurlTimes, AnAnswerThatDoesNotBeginIsLate) {
  CurlWorld world;
  ScriptedHttpServer server(stay_silent);
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.first_byte_timeout = 3s;
  const auto client = world.client(options);
  const auto exchange = world.open(*client, server.url());
  server.wait_for(1);
  world.clock.advance(3s);
  EXPECT_TRUE(failed(exchange->head(), ErrorCode::Deadline));
  EXPECT_TRUE(world.shows("requests_total", "1", "timed_out"));
}

TEST(CurlTimes, SilenceWithinAnAnswerEndsIt) {
  CurlWorld world;
  ScriptedHttpServer server(stall_in_the_body);
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.idle_timeout = 3s;
  const auto client = world.client(options);
  const auto exchange = world.open(*client, server.url());
  std::array<char, 16> buffer{};
  EXPECT_TRUE(succeeded(exchange->read(buffer)));
  std::optional<model::Result<std::size_t>> got;
  std::thread reader([&] { got = exchange->read(buffer); });
  EXPECT_TRUE(world.passes_until([&] { return static_cast<bool>(world.shows("requests_open", "0")); }));
  reader.join();
  EXPECT_TRUE(failed(*got, ErrorCode::Deadline));
}

TEST(CurlTimes, SilenceDoesNotCountWhileNobodyReads) {
  CurlWorld world;
  const std::string body(8U << 20U, 'x');
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer("200 OK", body); });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.idle_timeout = 3s;
  const auto client = world.client(options);
  const auto exchange = world.open(*client, server.url());
  EXPECT_TRUE(succeeded(exchange->head()));
  const auto other = world.open(*client, server.url());  // so that the loop has run since the first exchange paused
  for (int i = 0; i < 3; ++i) {
    world.clock.advance(2s);
    EXPECT_TRUE(succeeded(other->head()));
  }
  EXPECT_EQ(read_all(*exchange, 1U << 16U).body.size(), body.size());
}

TEST(CurlTimes, AnAnswerMayTakeNoLongerThanAllInAll) {
  CurlWorld world;
  ScriptedHttpServer server(stall_in_the_body);
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.total_timeout = 4s;
  const auto client = world.client(options);
  const auto exchange = world.open(*client, server.url());
  EXPECT_TRUE(succeeded(exchange->head()));
  world.clock.advance(4s);
  std::array<char, 16> buffer{};
  while (exchange->read(buffer)) {
  }
  EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Deadline));
}

TEST(CurlTimes, AConnectionThatIsNotMadeInTimeIsLate) {
  CurlWorld world;
  ScriptedHttpServer server(stay_silent);  // a server without TLS
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/";
  curl::ClientOptions options = CurlWorld::options(url);
  options.connect_timeout = 50ms;
  EXPECT_TRUE(failed_with(world.get(*world.client(options), url), ErrorCode::Deadline));
}

TEST(CurlRetries, AGetIsSentAgainAfterALostConnection) {
  CurlWorld world;
  ScriptedHttpServer server([](const HeardRequest& request, Peer& peer) {
    if (request.connection < 3) return peer.reset();
    peer.answer("200 OK", "at last");
  });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.retry.max_retries = 2;
  const auto client = world.client(options);
  const auto exchange = world.open(*client, server.url());
  EXPECT_TRUE(world.passes_until([&] { return server.heard().size() == 3; }));
  const Fetched fetched = read_all(*exchange);
  EXPECT_EQ(fetched.body, "at last");
  EXPECT_EQ(fetched.attempts, 3U);
  EXPECT_TRUE(world.shows("retries_total", "2"));
}

TEST(CurlRetries, EndAfterAsManyAsAreAllowed) {
  CurlWorld world;
  ScriptedHttpServer server([](const HeardRequest&, Peer& peer) { peer.answer("503 Service Unavailable", "no"); });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.retry.max_retries = 2;
  const auto client = world.client(options);
  const auto exchange = world.open(*client, server.url());
  EXPECT_TRUE(world.passes_until([&] { return server.heard().size() == 3; }));
  const Fetched fetched = read_all(*exchange);
  EXPECT_EQ(fetched.status, 503U);
  EXPECT_EQ(fetched.body, "no");
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CurlRetries, NeverSendAPostAgain) {
  CurlWorld world;
  ScriptedHttpServer server([](const HeardRequest& request, Peer& peer) {
    if (request.target == "/reset") return peer.reset();
    peer.answer("503 Service Unavailable\r\nRetry-After: 0");
  });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.retry.max_retries = 2;
  const auto client = world.client(options);
  ports::HttpRequest request;
  request.method = "POST";
  const std::string reset = server.url("/reset");
  request.url = reset;
  EXPECT_TRUE(failed_with(world.fetch(*client, request), ErrorCode::Unavailable));
  const std::string busy = server.url("/busy");
  request.url = busy;
  EXPECT_EQ(world.fetch(*client, request).status, 503U);
  EXPECT_EQ(server.heard().size(), 2U);
}

/// A GET with a limit of `max_attempts`, from a client that retries twice.
Fetched got_in_attempts(CurlWorld& world, const ScriptedHttpServer& server, std::uint32_t max_attempts,
                        std::uint32_t max_redirects = 0) {
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.retry.max_retries = 2;
  options.retry.pause = 0ms;
  const auto client = world.client(options);
  const std::string url = server.url();
  ports::HttpRequest request;
  request.url = url;
  request.max_attempts = max_attempts;
  request.max_redirects = max_redirects;
  return world.fetch(*client, request);
}

TEST(CurlRetries, SendNothingMoreOftenThanItsRequestAllows) {
  CurlWorld world;
  for (const std::uint32_t attempts : {1U, 2U}) {
    ScriptedHttpServer busy([](const HeardRequest&, Peer& peer) { peer.answer("503 Service Unavailable"); });
    const Fetched refused = got_in_attempts(world, busy, attempts);
    EXPECT_EQ(refused.status, 503U);
    EXPECT_EQ(refused.attempts, attempts);
    EXPECT_EQ(busy.heard().size(), attempts);

    ScriptedHttpServer broken([](const HeardRequest&, Peer& peer) { peer.reset(); });
    EXPECT_TRUE(failed_with(got_in_attempts(world, broken, attempts), ErrorCode::Unavailable));
    EXPECT_EQ(broken.heard().size(), attempts);

    ScriptedHttpServer restless([](const HeardRequest&, Peer& peer) { peer.answer("302 Found\r\nLocation: /"); });
    EXPECT_TRUE(failed_with(got_in_attempts(world, restless, attempts, 9), ErrorCode::BadUpstream));
    EXPECT_EQ(restless.heard().size(), attempts);
  }
}

TEST(CurlRetries, CountWhatGoesOutAgainBecauseAnIdleConnectionIsDead) {
  for (const std::uint32_t attempts : {1U, 2U}) {
    CurlWorld world;
    ScriptedHttpServer server([](const HeardRequest& request, Peer& peer) {
      if (request.target == "/first" || request.connection > 1) return peer.answer("200 OK");
      peer.close();
    });
    const auto client = world.client(server.url());
    EXPECT_EQ(world.get(*client, server.url("/first")).attempts, 1U);
    const std::string url = server.url("/second");
    ports::HttpRequest request;
    request.url = url;
    request.max_attempts = attempts;
    const Fetched fetched = world.fetch(*client, request);
    if (attempts == 1) {
      EXPECT_TRUE(failed_with(fetched, ErrorCode::Unavailable));
    } else {
      EXPECT_EQ(fetched.attempts, 2U);
    }
    EXPECT_EQ(server.heard().size(), 1 + attempts);
  }
}

TEST(CurlRetries, WaitAsLongAsTheServiceAsks) {
  CurlWorld world;
  std::atomic<std::int64_t> waited_ms{0};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(world.clock.steady().time_since_epoch());
    waited_ms = now.count() - waited_ms;
    if (now.count() == waited_ms) return peer.answer("429 Too Many Requests\r\nRetry-After: 3");
    peer.answer("200 OK");
  });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.retry.max_retries = 1;
  const auto client = world.client(options);
  const auto exchange = world.open(*client, server.url());
  EXPECT_TRUE(world.passes_until([&] { return server.heard().size() == 2; }));
  EXPECT_EQ(read_all(*exchange).status, 200U);
  EXPECT_GE(waited_ms, 3000);
}

TEST(CurlRetries, HandOutAnAnswerThatAsksToComeBackAfterTheDeadline) {
  CurlWorld world;
  ScriptedHttpServer server(
      [](const HeardRequest&, Peer& peer) { peer.answer("429 Too Many Requests\r\nRetry-After: 3", "later"); });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.retry.max_retries = 2;
  world.call.deadline = world.clock.steady() + 3s;
  const Fetched fetched = world.get(*world.client(options), server.url());
  EXPECT_EQ(fetched.status, 429U);
  EXPECT_EQ(fetched.field("retry-after"), "3");
  EXPECT_EQ(fetched.body, "later");
  EXPECT_EQ(server.heard().size(), 1U);
}

}  // namespace
}  // namespace kbase::tests
