// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/adapters/curl_fixture.hpp"

namespace kbase::tests {
namespace {

using Exchanges = std::vector<std::unique_ptr<ports::HttpExchange>>;

/// Returns the error of opening one more exchange.
Error refusal_of(CurlFixture& fixture, ports::HttpClient& client, const std::string& url) {
  ports::HttpRequest request;
  request.url = url;
  const auto exchange = client.open(fixture.call, request);
  if (!exchange) return exchange.error();
  ADD_FAILURE() << "the request was accepted";
  return {};
}

curl::ClientOptions options_with_breaker(const std::string& url) {
  curl::ClientOptions options = CurlFixture::options(url);
  options.breaker.failures = 3;
  options.breaker.pause = 1s;
  options.breaker.max_pause = 4s;
  return options;
}

TEST(CurlLoad, ExcessRequestsAreQueued) {
  CurlFixture fixture;
  std::atomic<bool> may_answer{false};
  ScriptedHttpServer server([&](const ReceivedRequest& request, Peer& peer) {
    EXPECT_TRUE(eventually(10s, [&] { return may_answer.load(); }));
    peer.answer("200 OK", request.target);
  });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.max_concurrent = 2;
  options.max_waiting = 3;
  const auto client = fixture.client(options);
  Exchanges exchanges;
  for (int i = 0; i < 5; ++i) exchanges.push_back(fixture.open(*client, server.url("/" + std::to_string(i))));
  server.wait_for(2);
  EXPECT_TRUE(eventually(10s, [&] { return bool(fixture.has_metric("requests_waiting", "3")); }));
  const Error refused = refusal_of(fixture, *client, server.url());
  EXPECT_EQ(refused.code, ErrorCode::Unavailable);
  EXPECT_GT(refused.retry_after, 0ms);
  EXPECT_EQ(server.received().size(), 2U);

  may_answer = true;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(read_all(*exchanges[i]).body, "/" + std::to_string(i));
  EXPECT_EQ(fixture.get(*client, server.url()).status, 200U);
  EXPECT_LE(server.connections(), 2U);
  EXPECT_TRUE(fixture.has_metric("requests_total", "1", "busy"));
  EXPECT_TRUE(fixture.has_metric("requests_total", "6", "answered"));
  EXPECT_TRUE(fixture.has_metric("requests_waiting", "0"));
}

TEST(CurlLoad, ACancelledQueuedRequestIsNeverSent) {
  CurlFixture fixture;
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.wait_until_left(); });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.max_concurrent = 1;
  const auto client = fixture.client(options);
  std::atomic<bool> is_cancelled{false};
  const auto first = fixture.open(*client, server.url("/first"));
  server.wait_for(1);
  auto second = fixture.open(*client, server.url("/second"));
  fixture.call.cancel = ports::CancelSource(&is_cancelled);
  const auto third = fixture.open(*client, server.url("/third"));
  is_cancelled = true;
  EXPECT_TRUE(failed(third->head(), ErrorCode::Cancelled));
  fixture.call = {};
  fixture.call.deadline = fixture.clock.steady() + 2s;
  const auto fourth = fixture.open(*client, server.url("/fourth"));
  fixture.clock.advance(2s);
  EXPECT_TRUE(failed(fourth->head(), ErrorCode::Deadline));
  second.reset();
  EXPECT_TRUE(eventually(10s, [&] { return bool(fixture.has_metric("requests_open", "1")); }));
  EXPECT_EQ(server.received().size(), 1U);
}

TEST(CurlLoad, ServicesDoNotWaitForEachOther) {
  CurlFixture fixture;
  ScriptedHttpServer frozen([](const ReceivedRequest&, Peer& peer) { peer.wait_until_left(); });
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK"); });
  const auto frozen_client = fixture.client(frozen.url());
  Exchanges exchanges;
  for (int i = 0; i < 80; ++i) exchanges.push_back(fixture.open(*frozen_client, frozen.url()));
  EXPECT_EQ(refusal_of(fixture, *frozen_client, frozen.url()).code, ErrorCode::Unavailable);
  EXPECT_EQ(fixture.get(*fixture.client(server.url()), server.url()).status, 200U);
}

TEST(CurlLoad, ManyThreadsShareAClient) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest& request, Peer& peer) {
    peer.answer("200 OK", request.target + std::string(50'000, 'x'));
  });
  const auto client = fixture.client(server.url());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; j < 20; ++j) {
        const std::string target = "/" + std::to_string(i) + "/" + std::to_string(j);
        EXPECT_EQ(fixture.get(*client, server.url(target)).body, target + std::string(50'000, 'x'));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(server.connections(), 16U);
  EXPECT_TRUE(fixture.has_metric("requests_total", "160", "answered"));
}

TEST(CurlBreaker, SendsNothingToAServiceThatFailsRepeatedly) {
  CurlFixture fixture;
  std::atomic<bool> is_healthy{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.answer(is_healthy ? "404 Not Found" : "500 Internal Server Error");
  });
  const auto client = fixture.client(options_with_breaker(server.url()));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(fixture.get(*client, server.url()).status, 500U);
  const Error refused = refusal_of(fixture, *client, server.url());
  EXPECT_EQ(refused.code, ErrorCode::Unavailable);
  EXPECT_GE(refused.retry_after, 500ms);
  EXPECT_LE(refused.retry_after, 1000ms);
  EXPECT_TRUE(fixture.has_metric("breaker_state", "2"));
  EXPECT_EQ(server.received().size(), 3U);

  fixture.clock.advance(1s);
  EXPECT_EQ(fixture.get(*client, server.url()).status, 500U);  // the trial request; after it, the pause is doubled
  fixture.clock.advance(999ms);
  EXPECT_EQ(refusal_of(fixture, *client, server.url()).code, ErrorCode::Unavailable);
  fixture.clock.advance(1001ms);
  is_healthy = true;
  EXPECT_EQ(fixture.get(*client, server.url()).status, 404U);
  EXPECT_EQ(fixture.get(*client, server.url()).status, 404U);
  EXPECT_TRUE(fixture.has_metric("breaker_state", "0"));
  EXPECT_TRUE(fixture.has_metric("requests_total", "2", "stopped"));
  EXPECT_EQ(fixture.log.names(), (std::vector<std::string>{"upstream.stopped", "upstream.resumed"}));
}

TEST(CurlBreaker, ClosesWhenTheResponseToTheTrialBegins) {
  CurlFixture fixture;
  ScriptedHttpServer server([&](const ReceivedRequest& request, Peer& peer) {
    if (request.target == "/fail") return peer.reset();
    if (request.target == "/short") return peer.answer("200 OK", "short");
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe first of a long stream");
    peer.wait_until_left();
  });
  const auto client = fixture.client(options_with_breaker(server.url()));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(failed_with(fixture.get(*client, server.url("/fail")), ErrorCode::Unavailable));
  fixture.clock.advance(1s);
  const auto stream = fixture.open(*client, server.url("/long"));
  EXPECT_TRUE(succeeded(stream->head()));
  EXPECT_EQ(fixture.get(*client, server.url("/short")).body, "short");
  EXPECT_TRUE(fixture.has_metric("breaker_state", "0"));
}

/// A service that stops sending: the head comes after `head`, then `body` bytes, then nothing for `then` until the
/// client cancels.
struct SilentService {
  std::chrono::seconds head;
  std::optional<std::size_t> body;  // nullopt: no head either
  std::chrono::seconds then;
};

void cancel_three_requests(CurlFixture& fixture, ports::HttpClient& client, ScriptedHttpServer& server,
                           const SilentService& silent) {
  std::atomic<bool> is_cancelled{false};
  fixture.call.cancel = ports::CancelSource(&is_cancelled);
  Exchanges exchanges;
  for (int i = 0; i < 3; ++i) exchanges.push_back(fixture.open(client, server.url()));
  server.wait_for(3);
  fixture.clock.advance(silent.head);
  std::array<char, 64> buffer;
  for (const auto& exchange : exchanges) {
    EXPECT_TRUE(!silent.body || succeeded(exchange->head()));
    EXPECT_TRUE(silent.body.value_or(0) == 0 || succeeded(exchange->read(buffer)));
  }
  fixture.clock.advance(silent.then);
  is_cancelled = true;
  for (const auto& exchange : exchanges) EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Cancelled));
  fixture.call.cancel = {};
}

TEST(CurlBreaker, CountsALongSilenceAsAFailure) {
  struct Case {
    SilentService silent;
    const char* outcome;
    const char* state;
  };
  for (const auto& [silent, outcome, state] : {Case{{0s, {}, 9s}, "timed_out", "2"},
                                               {{0s, {}, 5s}, "cancelled", "0"},
                                               {{0s, 0, 9s}, "timed_out", "2"},
                                               {{5s, 0, 4s}, "timed_out", "2"},
                                               {{0s, 7, 9s}, "cancelled", "0"},
                                               {{0s, 7, 27s}, "timed_out", "2"}}) {
    CurlFixture fixture;
    const auto head_at = fixture.clock.steady() + silent.head;
    ScriptedHttpServer server([&, &silent = silent](const ReceivedRequest&, Peer& peer) {
      EXPECT_TRUE(eventually(10s, [&] { return fixture.clock.steady() >= head_at; }));
      if (silent.body) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + std::string(*silent.body, '.'));
      peer.wait_until_left();
    });
    curl::ClientOptions options = options_with_breaker(server.url());
    options.first_byte_timeout = 10s;
    options.idle_timeout = 30s;
    const auto client = fixture.client(options);
    cancel_three_requests(fixture, *client, server, silent);
    SCOPED_TRACE(std::to_string(silent.body.value_or(0)) + " bytes, " + std::to_string(silent.then.count()) + " s");
    EXPECT_TRUE(fixture.has_metric("requests_total", "3", outcome));
    EXPECT_TRUE(fixture.has_metric("breaker_state", state));
  }
}

TEST(CurlBreaker, RejectsQueuedRequestsWhenItOpens) {
  CurlFixture fixture;
  std::atomic<bool> may_answer{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    EXPECT_TRUE(eventually(10s, [&] { return may_answer.load(); }));
    peer.reset();
  });
  curl::ClientOptions options = options_with_breaker(server.url());
  options.max_concurrent = 3;
  const auto client = fixture.client(options);
  Exchanges exchanges;
  for (int i = 0; i < 30; ++i) exchanges.push_back(fixture.open(*client, server.url()));
  EXPECT_TRUE(eventually(10s, [&] { return bool(fixture.has_metric("requests_waiting", "27")); }));
  may_answer = true;
  for (const auto& exchange : exchanges) EXPECT_TRUE(failed(exchange->head(), ErrorCode::Unavailable));
  EXPECT_LE(server.received().size(), 6U);
  EXPECT_TRUE(fixture.has_metric("requests_open", "0"));
}

TEST(CurlBreaker, DoesNotCountAShortDeadlineAsAFailure) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.wait_until_left(); });
  const auto client = fixture.client(options_with_breaker(server.url()));
  for (std::size_t i = 0; i < 5; ++i) {
    fixture.call.deadline = fixture.clock.steady() + 10ms;
    const auto exchange = fixture.open(*client, server.url());
    server.wait_for(i + 1);
    fixture.clock.advance(10ms);
    EXPECT_TRUE(failed(exchange->head(), ErrorCode::Deadline));
  }
  EXPECT_TRUE(fixture.has_metric("breaker_state", "0"));
  EXPECT_TRUE(fixture.has_metric("requests_total", "5", "late"));
}

TEST(CurlBreaker, CountsAFrozenServiceAsAFailure) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.wait_until_left(); });
  const auto client = fixture.client(options_with_breaker(server.url()));
  fixture.call.deadline = fixture.clock.steady() + 10s;
  Exchanges exchanges;
  for (int i = 0; i < 3; ++i) exchanges.push_back(fixture.open(*client, server.url()));
  server.wait_for(3);
  fixture.clock.advance(10s);
  for (const auto& exchange : exchanges) EXPECT_TRUE(failed(exchange->head(), ErrorCode::Deadline));
  EXPECT_EQ(refusal_of(fixture, *client, server.url()).code, ErrorCode::Unavailable);
}

TEST(CurlBreaker, CountsEachExceededLimitAsAFailure) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest& request, Peer& peer) {
    if (request.target == "/stall") peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!");
    peer.wait_until_left();
  });
  curl::ClientOptions options = options_with_breaker(server.url());
  options.breaker.failures = 2;
  options.first_byte_timeout = options.idle_timeout = 200ms;  // a timeout that the operator set counts as a failure
  const auto client = fixture.client(options);
  for (const char* const path : {"/", "/stall"}) {
    const auto exchange = fixture.open(*client, server.url(path));
    std::thread reader([&] { EXPECT_TRUE(failed_with(read_all(*exchange), ErrorCode::Deadline)); });
    const std::string ended = path == std::string("/") ? "1" : "2";
    EXPECT_TRUE(fixture.advance_until([&] { return bool(fixture.has_metric("requests_total", ended, "timed_out")); }));
    reader.join();
  }
  EXPECT_TRUE(fixture.has_metric("breaker_state", "2"));
}

TEST(CurlBreaker, DoesNotCountADeadlineDuringAResponseAsAFailure) {
  CurlFixture fixture;
  std::atomic<int> pieces{0};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    for (int sent = 0; sent < 4; ++sent) {
      EXPECT_TRUE(eventually(10s, [&] { return pieces == sent; }));
      peer.send("piece");
    }
    peer.wait_until_left();
  });
  const auto client = fixture.client(options_with_breaker(server.url()));
  fixture.call.deadline = fixture.clock.steady() + 1600ms;
  const auto exchange = fixture.open(*client, server.url());
  std::array<char, 16> buffer{};
  for (; pieces < 4; ++pieces) {
    EXPECT_TRUE(succeeded(exchange->read(buffer)));
    fixture.clock.advance(400ms);
  }
  EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Deadline));
  EXPECT_TRUE(fixture.has_metric("requests_total", "1", "late"));
}

TEST(CurlBreaker, DoesNotCountASlowReaderAsAFailure) {
  CurlFixture fixture;
  const std::string body(8U << 20U, 'x');
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", body); });
  const auto client = fixture.client(options_with_breaker(server.url()));
  fixture.call.deadline = fixture.clock.steady() + 10s;
  const auto exchange = fixture.open(*client, server.url());
  EXPECT_TRUE(succeeded(exchange->head()));
  const auto other = fixture.open(*client, server.url());  // so that the loop has run since the first exchange paused
  EXPECT_TRUE(succeeded(other->head()));
  fixture.clock.advance(10s);
  EXPECT_TRUE(eventually(10s, [&] { return bool(fixture.has_metric("requests_total", "2", "late")); }));
}

}  // namespace
}  // namespace kbase::tests
