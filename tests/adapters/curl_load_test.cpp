// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/adapters/curl_world.hpp"

namespace kbase::tests {
namespace {

using Exchanges = std::vector<std::unique_ptr<ports::HttpExchange>>;

/// Returns the error of opening one more exchange.
model::Error refusal_of(CurlWorld& world, ports::HttpClient& client, const std::string& url) {
  ports::HttpRequest request;
  request.url = url;
  const auto exchange = client.open(world.call, request);
  if (!exchange) return exchange.error();
  ADD_FAILURE() << "it was let in";
  return {};
}

curl::ClientOptions breaking(const std::string& url) {
  curl::ClientOptions options = CurlWorld::options(url);
  options.breaker.failures = 3;
  options.breaker.pause = 1s;
  options.breaker.max_pause = 4s;
  return options;
}

TEST(CurlLoad, MoreThanMayRunWaitInLine) {
  CurlWorld world;
  std::atomic<bool> may_answer{false};
  ScriptedHttpServer server([&](const HeardRequest& request, Peer& peer) {
    EXPECT_TRUE(eventually(10s, [&] { return may_answer.load(); }));
    peer.answer("200 OK", request.target);
  });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.max_concurrent = 2;
  options.max_waiting = 3;
  const auto client = world.client(options);
  Exchanges exchanges;
  for (int i = 0; i < 5; ++i) exchanges.push_back(world.open(*client, server.url("/" + std::to_string(i))));
  server.wait_for(2);
  EXPECT_TRUE(eventually(10s, [&] { return bool(world.shows("requests_waiting", "3")); }));
  const model::Error refused = refusal_of(world, *client, server.url());
  EXPECT_EQ(refused.code, ErrorCode::Unavailable);
  EXPECT_GT(refused.retry_after, 0ms);
  EXPECT_EQ(server.heard().size(), 2U);

  may_answer = true;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(read_all(*exchanges[i]).body, "/" + std::to_string(i));
  EXPECT_EQ(world.get(*client, server.url()).status, 200U);
  EXPECT_LE(server.connections(), 2U);
  EXPECT_TRUE(world.shows("requests_total", "1", "busy"));
  EXPECT_TRUE(world.shows("requests_total", "6", "answered"));
  EXPECT_TRUE(world.shows("requests_waiting", "0"));
}

TEST(CurlLoad, WhoLeavesTheLineIsNeverSent) {
  CurlWorld world;
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.wait_until_left(); });
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.max_concurrent = 1;
  const auto client = world.client(options);
  std::atomic<bool> is_cancelled{false};
  const auto first = world.open(*client, server.url("/first"));
  server.wait_for(1);
  auto second = world.open(*client, server.url("/second"));
  world.call.cancel = ports::CancelSource(&is_cancelled);
  const auto third = world.open(*client, server.url("/third"));
  is_cancelled = true;
  EXPECT_TRUE(failed(third->head(), ErrorCode::Cancelled));
  world.call = {};
  world.call.deadline = world.clock.steady() + 2s;
  const auto fourth = world.open(*client, server.url("/fourth"));
  world.clock.advance(2s);
  EXPECT_TRUE(failed(fourth->head(), ErrorCode::Deadline));
  second.reset();
  EXPECT_TRUE(eventually(10s, [&] { return bool(world.shows("requests_open", "1")); }));
  EXPECT_EQ(server.heard().size(), 1U);
}

TEST(CurlLoad, ServicesDoNotWaitForEachOther) {
  CurlWorld world;
  ScriptedHttpServer frozen([](const HeardRequest&, Peer& peer) { peer.wait_until_left(); });
  ScriptedHttpServer server([](const HeardRequest&, Peer& peer) { peer.answer("200 OK"); });
  const auto stuck = world.client(frozen.url());
  Exchanges exchanges;
  for (int i = 0; i < 80; ++i) exchanges.push_back(world.open(*stuck, frozen.url()));
  EXPECT_EQ(refusal_of(world, *stuck, frozen.url()).code, ErrorCode::Unavailable);
  EXPECT_EQ(world.get(*world.client(server.url()), server.url()).status, 200U);
}

TEST(CurlLoad, ManyThreadsShareAClient) {
  CurlWorld world;
  ScriptedHttpServer server([](const HeardRequest& request, Peer& peer) {
    peer.answer("200 OK", request.target + std::string(50'000, 'x'));
  });
  const auto client = world.client(server.url());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; j < 20; ++j) {
        const std::string target = "/" + std::to_string(i) + "/" + std::to_string(j);
        EXPECT_EQ(world.get(*client, server.url(target)).body, target + std::string(50'000, 'x'));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(server.connections(), 16U);
  EXPECT_TRUE(world.shows("requests_total", "160", "answered"));
}

TEST(CurlBreaker, LeavesAServiceAloneThatFailsAgainAndAgain) {
  CurlWorld world;
  std::atomic<bool> is_well{false};
  ScriptedHttpServer server(
      [&](const HeardRequest&, Peer& peer) { peer.answer(is_well ? "404 Not Found" : "500 Internal Server Error"); });
  const auto client = world.client(breaking(server.url()));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.get(*client, server.url()).status, 500U);
  const model::Error refused = refusal_of(world, *client, server.url());
  EXPECT_EQ(refused.code, ErrorCode::Unavailable);
  EXPECT_GE(refused.retry_after, 500ms);
  EXPECT_LE(refused.retry_after, 1000ms);
  EXPECT_TRUE(world.shows("breaker_state", "2"));
  EXPECT_EQ(server.heard().size(), 3U);

  world.clock.advance(1s);
  EXPECT_EQ(world.get(*client, server.url()).status, 500U);  // the trial request; after it, the pause is doubled
  world.clock.advance(999ms);
  EXPECT_EQ(refusal_of(world, *client, server.url()).code, ErrorCode::Unavailable);
  world.clock.advance(1001ms);
  is_well = true;
  EXPECT_EQ(world.get(*client, server.url()).status, 404U);
  EXPECT_EQ(world.get(*client, server.url()).status, 404U);
  EXPECT_TRUE(world.shows("breaker_state", "0"));
  EXPECT_TRUE(world.shows("requests_total", "2", "stopped"));
  EXPECT_EQ(world.log.names(), (std::vector<std::string>{"upstream.stopped", "upstream.resumed"}));
}

TEST(CurlBreaker, LetsOthersPassAsSoonAsTheAnswerToATrialBegins) {
  CurlWorld world;
  ScriptedHttpServer server([&](const HeardRequest& request, Peer& peer) {
    if (request.target == "/fail") return peer.reset();
    if (request.target == "/short") return peer.answer("200 OK", "short");
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe first of a long stream");
    peer.wait_until_left();
  });
  const auto client = world.client(breaking(server.url()));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(failed_with(world.get(*client, server.url("/fail")), ErrorCode::Unavailable));
  world.clock.advance(1s);
  const auto stream = world.open(*client, server.url("/long"));
  EXPECT_TRUE(succeeded(stream->head()));
  EXPECT_EQ(world.get(*client, server.url("/short")).body, "short");
  EXPECT_TRUE(world.shows("breaker_state", "0"));
}

/// A service that stops sending: the head comes after `head`, then `body` bytes, then nothing for `then` until the
/// client cancels.
struct Silence {
  std::chrono::seconds head;
  std::optional<std::size_t> body;  // nullopt: no head either
  std::chrono::seconds then;
};

void give_up_thrice(CurlWorld& world, ports::HttpClient& client, ScriptedHttpServer& server, const Silence& silence) {
  std::atomic<bool> is_cancelled{false};
  world.call.cancel = ports::CancelSource(&is_cancelled);
  Exchanges exchanges;
  for (int i = 0; i < 3; ++i) exchanges.push_back(world.open(client, server.url()));
  server.wait_for(3);
  world.clock.advance(silence.head);
  std::array<char, 64> buffer;
  for (const auto& exchange : exchanges) {
    EXPECT_TRUE(!silence.body || succeeded(exchange->head()));
    EXPECT_TRUE(silence.body.value_or(0) == 0 || succeeded(exchange->read(buffer)));
  }
  world.clock.advance(silence.then);
  is_cancelled = true;
  for (const auto& exchange : exchanges) EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Cancelled));
  world.call.cancel = {};
}

TEST(CurlBreaker, BlamesAServiceThatIsSilentForNearlyAsLongAsItMayBe) {
  struct Case {
    Silence silence;
    const char* outcome;
    const char* state;
  };
  for (const auto& [silence, outcome, state] : {Case{{0s, {}, 9s}, "timed_out", "2"},
                                                {{0s, {}, 5s}, "cancelled", "0"},
                                                {{0s, 0, 9s}, "timed_out", "2"},
                                                {{5s, 0, 4s}, "timed_out", "2"},
                                                {{0s, 7, 9s}, "cancelled", "0"},
                                                {{0s, 7, 27s}, "timed_out", "2"}}) {
    CurlWorld world;
    const auto head_at = world.clock.steady() + silence.head;
    ScriptedHttpServer server([&, &silence = silence](const HeardRequest&, Peer& peer) {
      EXPECT_TRUE(eventually(10s, [&] { return world.clock.steady() >= head_at; }));
      if (silence.body) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + std::string(*silence.body, '.'));
      peer.wait_until_left();
    });
    curl::ClientOptions options = breaking(server.url());
    options.first_byte_timeout = 10s;
    options.idle_timeout = 30s;
    const auto client = world.client(options);
    give_up_thrice(world, *client, server, silence);
    SCOPED_TRACE(std::to_string(silence.body.value_or(0)) + " bytes, " + std::to_string(silence.then.count()) + " s");
    EXPECT_TRUE(world.shows("requests_total", "3", outcome));
    EXPECT_TRUE(world.shows("breaker_state", state));
  }
}

TEST(CurlBreaker, SendsAwayThoseWhoWaitInLine) {
  CurlWorld world;
  std::atomic<bool> may_answer{false};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    EXPECT_TRUE(eventually(10s, [&] { return may_answer.load(); }));
    peer.reset();
  });
  curl::ClientOptions options = breaking(server.url());
  options.max_concurrent = 3;
  const auto client = world.client(options);
  Exchanges exchanges;
  for (int i = 0; i < 30; ++i) exchanges.push_back(world.open(*client, server.url()));
  EXPECT_TRUE(eventually(10s, [&] { return bool(world.shows("requests_waiting", "27")); }));
  may_answer = true;
  for (const auto& exchange : exchanges) EXPECT_TRUE(failed(exchange->head(), ErrorCode::Unavailable));
  EXPECT_LE(server.heard().size(), 6U);
  EXPECT_TRUE(world.shows("requests_open", "0"));
}

TEST(CurlBreaker, DoesNotBlameAServiceForADeadlineThatLeftItNoTime) {
  CurlWorld world;
  ScriptedHttpServer server([](const HeardRequest&, Peer& peer) { peer.wait_until_left(); });
  const auto client = world.client(breaking(server.url()));
  for (std::size_t i = 0; i < 5; ++i) {
    world.call.deadline = world.clock.steady() + 10ms;
    const auto exchange = world.open(*client, server.url());
    server.wait_for(i + 1);
    world.clock.advance(10ms);
    EXPECT_TRUE(failed(exchange->head(), ErrorCode::Deadline));
  }
  EXPECT_TRUE(world.shows("breaker_state", "0"));
  EXPECT_TRUE(world.shows("requests_total", "5", "late"));
}

TEST(CurlBreaker, BlamesAFrozenService) {
  CurlWorld world;
  ScriptedHttpServer server([](const HeardRequest&, Peer& peer) { peer.wait_until_left(); });
  const auto client = world.client(breaking(server.url()));
  world.call.deadline = world.clock.steady() + 10s;
  Exchanges exchanges;
  for (int i = 0; i < 3; ++i) exchanges.push_back(world.open(*client, server.url()));
  server.wait_for(3);
  world.clock.advance(10s);
  for (const auto& exchange : exchanges) EXPECT_TRUE(failed(exchange->head(), ErrorCode::Deadline));
  EXPECT_EQ(refusal_of(world, *client, server.url()).code, ErrorCode::Unavailable);
}

TEST(CurlBreaker, BlamesAServiceForEachOfItsLimits) {
  CurlWorld world;
  ScriptedHttpServer server([](const HeardRequest& request, Peer& peer) {
    if (request.target == "/stall") peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!");
    peer.wait_until_left();
  });
  curl::ClientOptions options = breaking(server.url());
  options.breaker.failures = 2;
  options.first_byte_timeout = options.idle_timeout = 200ms;  // a timeout that the operator set counts as a failure
  const auto client = world.client(options);
  for (const char* const path : {"/", "/stall"}) {
    const auto exchange = world.open(*client, server.url(path));
    std::thread reader([&] { EXPECT_TRUE(failed_with(read_all(*exchange), ErrorCode::Deadline)); });
    const std::string ended = path == std::string("/") ? "1" : "2";
    EXPECT_TRUE(world.passes_until([&] { return bool(world.shows("requests_total", ended, "timed_out")); }));
    reader.join();
  }
  EXPECT_TRUE(world.shows("breaker_state", "2"));
}

TEST(CurlBreaker, DoesNotBlameAServiceWhoseAnswerStillCameAtTheDeadline) {
  CurlWorld world;
  std::atomic<int> pieces{0};
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    for (int sent = 0; sent < 4; ++sent) {
      EXPECT_TRUE(eventually(10s, [&] { return pieces == sent; }));
      peer.send("piece");
    }
    peer.wait_until_left();
  });
  const auto client = world.client(breaking(server.url()));
  world.call.deadline = world.clock.steady() + 1600ms;
  const auto exchange = world.open(*client, server.url());
  std::array<char, 16> buffer{};
  for (; pieces < 4; ++pieces) {
    EXPECT_TRUE(succeeded(exchange->read(buffer)));
    world.clock.advance(400ms);
  }
  EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Deadline));
  EXPECT_TRUE(world.shows("requests_total", "1", "late"));
}

TEST(CurlBreaker, DoesNotBlameAServiceForAReaderThatDoesNotGoOn) {
  CurlWorld world;
  const std::string body(8U << 20U, 'x');
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer("200 OK", body); });
  const auto client = world.client(breaking(server.url()));
  world.call.deadline = world.clock.steady() + 10s;
  const auto exchange = world.open(*client, server.url());
  EXPECT_TRUE(succeeded(exchange->head()));
  const auto other = world.open(*client, server.url());  // so that the loop has run since the first exchange paused
  EXPECT_TRUE(succeeded(other->head()));
  world.clock.advance(10s);
  EXPECT_TRUE(eventually(10s, [&] { return bool(world.shows("requests_total", "2", "late")); }));
}

}  // namespace
}  // namespace kbase::tests
