// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "tests/adapters/curl_fixture.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

/// Text with numbers, so that a lost, repeated or reordered piece is noticed.
std::string counted(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text.append(std::to_string(i)).append(i % 90, '.');
  text.resize(bytes);
  return text;
}

TEST(CurlHttpClient, ReturnsStatusFieldsAndBody) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    peer.answer("404 Not Found\r\nX-Ratelimit-Remaining:  7 \r\nEmpty:", "no such user");
  });
  const Fetched fetched = fixture.get(*fixture.client(server.url()), server.url("/users/unknown?page=2"));
  EXPECT_FALSE(fetched.error);
  EXPECT_EQ(fetched.status, 404U);
  EXPECT_EQ(fetched.field("x-ratelimit-remaining"), "7");
  EXPECT_EQ(fetched.field("empty"), "");
  EXPECT_EQ(fetched.body, "no such user");
  EXPECT_EQ(server.received().at(0).target, "/users/unknown?page=2");
}

TEST(CurlHttpClient, SendsMethodFieldsAndBody) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK"); });
  const std::string body = std::string("{\"prompt\":\"a\0b\"}", 16) + counted(2'000'000);
  const std::array<ports::HttpField, 3> fields{
      {{"Authorization", "Bearer secret"}, {"Content-Type", "application/json"}, {"X-Empty", ""}}};
  ports::HttpRequest request;
  request.method = "POST";
  const std::string url = server.url("/v1/messages");
  request.url = url;
  request.fields = fields;
  request.body = body;
  EXPECT_EQ(fixture.fetch(*fixture.client(url), request).status, 200U);

  const ReceivedRequest received = server.received().at(0);
  EXPECT_EQ(received.method, "POST");
  EXPECT_EQ(received.field("authorization"), "Bearer secret");
  EXPECT_EQ(received.field("content-type"), "application/json");
  EXPECT_NE(received.head.find("\r\nX-Empty:"), std::string::npos);
  EXPECT_EQ(received.field("user-agent"), "kbase");
  EXPECT_EQ(received.field("expect"), "");
  EXPECT_TRUE(received.body == body);
}

TEST(CurlHttpClient, SendsNoContentTypeUnlessSet) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK"); });
  ports::HttpRequest request;
  const std::string url = server.url();
  request.url = url;
  request.body = "x";
  for (const std::string_view method : {"POST", "PUT", "PATCH", "DELETE"}) {
    request.method = method;
    EXPECT_EQ(fixture.fetch(*fixture.client(url), request).status, 200U);
    EXPECT_EQ(server.received().back().method, method);
    EXPECT_EQ(server.received().back().field("content-type"), "");
  }
}

TEST(CurlHttpClient, ReadsAChunkedBodyWithoutTrailersAndInformationalResponses) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 103 Early Hints\r\nLink: early\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nFolded: a\r\n b\r\n\r\n");
    peer.send("5\r\nfirst\r\n");
    peer.send("7;ext=1\r\n second\r\n0\r\nTrailer: late\r\n\r\n");
  });
  const Fetched fetched = fixture.get(*fixture.client(server.url()), server.url());
  EXPECT_FALSE(fetched.error);
  EXPECT_EQ(fetched.body, "first second");
  EXPECT_EQ(fetched.field("link"), "(none)");
  EXPECT_EQ(fetched.field("trailer"), "(none)");
  EXPECT_EQ(fetched.field("folded"), "a b");
}

TEST(CurlHttpClient, ReturnsPiecesAsTheyArrive) {
  CurlFixture fixture;
  std::atomic<int> read_pieces{0};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int piece = 0; piece < 3; ++piece) {
      EXPECT_TRUE(eventually(10s, [&] { return read_pieces == piece; }));
      peer.send("5\r\nevent\r\n");
    }
    peer.send("0\r\n\r\n");
  });
  const auto client = fixture.client(server.url());
  const auto exchange = fixture.open(*client, server.url());
  std::array<char, 64> buffer{};
  for (int piece = 0; piece < 3; ++piece) {
    const auto got = exchange->read(buffer);
    ASSERT_TRUE(succeeded(got));
    EXPECT_EQ(std::string_view(buffer.data(), *got), "event");
    ++read_pieces;
  }
  EXPECT_EQ(*exchange->read(buffer), 0U);
  EXPECT_EQ(*exchange->read(buffer), 0U);
}

TEST(CurlHttpClient, DecompressesGzip) {
  CurlFixture fixture;
  const std::string text = counted(300'000);
  const std::string members = packed(text.substr(0, 1000)) + packed(text.substr(1000));  // two gzip members
  ScriptedHttpServer server([&](const ReceivedRequest& request, Peer& peer) {
    EXPECT_EQ(request.field("accept-encoding"), "gzip");
    peer.answer("200 OK\r\nContent-Encoding: gzip\r\nETag: W/\"1\"", members);
  });
  const auto client = fixture.client(server.url());
  for (const std::size_t buffer_bytes : {std::size_t{1}, std::size_t{100}, std::size_t{1'000'000}}) {
    const Fetched fetched = read_all(*fixture.open(*client, server.url()), buffer_bytes);
    EXPECT_FALSE(fetched.error);
    EXPECT_TRUE(fetched.body == text);
    EXPECT_EQ(fetched.field("content-encoding"), "(none)");
    EXPECT_EQ(fetched.field("content-length"), "(none)");
    EXPECT_EQ(fetched.field("etag"), "W/\"1\"");
  }
}

TEST(CurlHttpClient, AcceptsAnEmptyBodyAsGzip) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n");
  });
  const Fetched fetched = fixture.get(*fixture.client(server.url()), server.url());
  EXPECT_FALSE(fetched.error);
  EXPECT_EQ(fetched.status, 304U);
}

TEST(CurlHttpClient, ReadsNoBodyForAHeadRequest) {
  CurlFixture fixture;
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"); });
  ports::HttpRequest request;
  request.method = "HEAD";
  const std::string url = server.url();
  request.url = url;
  const Fetched fetched = fixture.fetch(*fixture.client(url), request);
  EXPECT_FALSE(fetched.error);
  EXPECT_EQ(fetched.field("content-length"), "500");
  EXPECT_EQ(fetched.body, "");
}

TEST(CurlHttpClient, ReusesAConnection) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "x"); });
  const auto client = fixture.client(server.url());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(fixture.get(*client, server.url()).status, 200U);
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CurlHttpClient, SendsAPostOnAFreshConnection) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "x"); });
  const auto client = fixture.client(server.url());
  EXPECT_EQ(fixture.get(*client, server.url()).status, 200U);
  ports::HttpRequest request;
  request.method = "POST";
  const std::string url = server.url();
  request.url = url;
  EXPECT_EQ(fixture.fetch(*client, request).status, 200U);
  EXPECT_EQ(fixture.get(*client, url).status, 200U);
  EXPECT_EQ(server.connections(), 2U);
}

TEST(CurlHttpClient, BeginsAllExchangesBeforeTheFirstIsRead) {
  CurlFixture fixture;
  ScriptedHttpServer* all = nullptr;
  ScriptedHttpServer server([&](const ReceivedRequest& request, Peer& peer) {
    all->wait_for(4);
    peer.answer("200 OK", request.target);
  });
  all = &server;
  const auto client = fixture.client(server.url());
  std::vector<std::unique_ptr<ports::HttpExchange>> exchanges;
  for (int i = 0; i < 4; ++i) exchanges.push_back(fixture.open(*client, server.url("/" + std::to_string(i))));
  for (int i = 3; i >= 0; --i)
    EXPECT_EQ(read_all(*exchanges[static_cast<std::size_t>(i)]).body, "/" + std::to_string(i));
}

TEST(CurlHttpClient, PausesTheTransferUntilItIsRead) {
  CurlFixture fixture;
  const std::string body = counted(32U << 20U);  // more than the kernel buffers
  std::atomic<std::size_t> sent{0};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    for (; sent < body.size(); sent += 1U << 18U) peer.send(std::string_view(body).substr(sent, 1U << 18U));
  });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.max_body_bytes = body.size();
  const auto client = fixture.client(options);
  const auto exchange = fixture.open(*client, server.url());
  EXPECT_TRUE(succeeded(exchange->head()));

  std::size_t before = 0;
  int polls_without_progress = 0;
  EXPECT_TRUE(eventually(20s, [&] {
    polls_without_progress = sent == before ? polls_without_progress + 1 : 0;
    before = sent;
    return polls_without_progress == 20;
  }));
  EXPECT_LT(before, body.size());
  const Fetched fetched = read_all(*exchange, 60'000);
  EXPECT_FALSE(fetched.error);
  EXPECT_TRUE(fetched.body == body);
}

TEST(CurlHttpClient, ReturnsEveryByteOfABodyThatEndsWhilePaused) {
  CurlFixture fixture;
  std::string body;
  ScriptedHttpServer server([&](const ReceivedRequest& request, Peer& peer) {
    if (request.target != "/chunked") return peer.answer("200 OK", body);
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::string chunks;  // many small chunks in one write
    for (std::size_t from = 0; from < body.size(); from += 16) {
      const std::string chunk = body.substr(from, 16);
      chunks += (chunk.size() == 16 ? "10\r\n" : std::string(1, "0123456789abcdef"[chunk.size()]) + "\r\n");
      chunks += chunk + "\r\n";
    }
    peer.send(chunks + "0\r\n\r\n");
  });
  const auto client = fixture.client(server.url());
  for (const std::size_t size : {32'767U, 32'768U, 32'769U, 40'000U, 49'152U, 65'536U, 100'001U}) {
    body = counted(size);
    for (const char* const path : {"/", "/chunked"}) {
      const auto exchange = fixture.open(*client, server.url(path));
      EXPECT_TRUE(succeeded(exchange->head()));
      const Fetched fetched = read_all(*exchange, 7001);
      EXPECT_FALSE(fetched.error) << size << path;
      EXPECT_TRUE(fetched.body == body) << size << path << fetched.body.size();
    }
  }
}

TEST(CurlHttpClient, DisconnectsWhenItsReaderIsDestroyed) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
    peer.wait_until_left();
  });
  const auto client = fixture.client(server.url());
  auto exchange = fixture.open(*client, server.url());
  EXPECT_TRUE(succeeded(exchange->head()));
  exchange.reset();
  server.wait_until_idle();
  EXPECT_TRUE(eventually(10s, [&] { return bool(fixture.has_metric("requests_open", "0")); }));
}

TEST(CurlHttpClient, StaysValidUntilItsExchangesEnd) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "still here"); });
  auto client = fixture.client(server.url());
  const auto exchange = fixture.open(*client, server.url());
  client.reset();
  EXPECT_EQ(read_all(*exchange).body, "still here");
}

TEST(CurlHttpClient, StoresNoCookies) {
  CurlFixture fixture;
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK\r\nSet-Cookie: a=b; Path=/"); });
  const auto client = fixture.client(server.url());
  fixture.get(*client, server.url());
  fixture.get(*client, server.url());
  EXPECT_EQ(server.received().at(1).field("cookie"), "");
}

TEST(CurlHttpClient, UsesTheConfiguredProxyAndIgnoresTheEnvironment) {
  CurlFixture fixture;
  ScriptedHttpServer proxy([](const ReceivedRequest& request, Peer& peer) { peer.answer("200 OK", request.target); });
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "direct"); });
  curl::ClientOptions options = CurlFixture::options(server.url());
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  ::setenv("no_proxy", "127.0.0.1", 1);
  EXPECT_EQ(fixture.get(*fixture.client(options), server.url()).body, "direct");
  options.proxy = proxy.url();
  EXPECT_EQ(fixture.get(*fixture.client(options), server.url("/b")).body, server.url("/b"));
  ::unsetenv("http_proxy");
  ::unsetenv("no_proxy");
  options.no_proxy = "other.example,127.0.0.0/8";
  EXPECT_EQ(fixture.get(*fixture.client(options), server.url("/c")).body, "direct");
}

TEST(CurlHttpClient, SendsCredentialsToTheProxyButNotToTheService) {
  CurlFixture fixture;
  ScriptedHttpServer proxy([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "by proxy"); });
  curl::ClientOptions options = CurlFixture::options("http://service.example/");
  options.proxy = "http://me:p%40ss@127.0.0.1:" + std::to_string(proxy.port());
  EXPECT_EQ(fixture.get(*fixture.client(options), "http://service.example/").body, "by proxy");
  EXPECT_EQ(proxy.received().at(0).field("proxy-authorization"), "Basic bWU6cEBzcw==");
  EXPECT_EQ(proxy.received().at(0).field("authorization"), "");
}

}  // namespace
}  // namespace kbase::tests
