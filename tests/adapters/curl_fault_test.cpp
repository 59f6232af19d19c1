// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <array>
#include <atomic>
#include <string>

#include "tests/adapters/curl_fixture.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

/// Result of a GET to a server that sends `bytes` and closes the connection.
Fetched fetch_from(const std::string& bytes, curl::ClientOptions options = CurlFixture::options("")) {
  CurlFixture fixture;
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send(bytes);
    peer.close();
  });
  options.allowed_urls = {server.url()};
  return fixture.get(*fixture.client(options), server.url());
}

TEST(CurlFaults, ATruncatedBodyIsABadResponse) {
  const Fetched fetched = fetch_from("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!");
  EXPECT_EQ(fetched.status, 200U);
  EXPECT_EQ(fetched.body, "five!");
  EXPECT_TRUE(failed_with(fetched, ErrorCode::BadUpstream));
}

TEST(CurlFaults, ATruncatedOrMalformedChunkedBodyIsABadResponse) {
  EXPECT_TRUE(failed_with(fetch_from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive!\r\n"),
                          ErrorCode::BadUpstream));
  EXPECT_TRUE(failed_with(fetch_from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nfive!\r\n"),
                          ErrorCode::BadUpstream));
}

TEST(CurlFaults, ATruncatedHeadIsAConnectionError) {
  EXPECT_TRUE(failed_with(fetch_from(""), ErrorCode::Unavailable));
  EXPECT_TRUE(failed_with(fetch_from("HTTP/1.1 200 OK\r\nContent-Le"), ErrorCode::Unavailable));
}

TEST(CurlFaults, GarbageIsABadResponse) {
  for (const std::string& bytes :
       {std::string("SSH-2.0-OpenSSH_9.2\r\n"), std::string("\x15\x03\x01\x00\x02\x02\x46", 7),
        std::string("{}\r\n\r\n"), std::string("HTTP/1.1 OK\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n")})
    EXPECT_TRUE(failed_with(fetch_from(bytes), ErrorCode::BadUpstream)) << bytes;
}

TEST(CurlFaults, ATooLargeHeadIsABadResponse) {
  std::string flood = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 10'000; ++i) flood += "X-Field-" + std::to_string(i) + ": value\r\n";
  EXPECT_TRUE(failed_with(fetch_from(flood + "\r\n"), ErrorCode::BadUpstream));
  const std::string one_line = "HTTP/1.1 200 OK\r\nX-Field: " + std::string(1'000'000, 'x') + "\r\n\r\n";
  EXPECT_TRUE(failed_with(fetch_from(one_line), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed_with(fetch_from("HTTP/1.1 200 " + std::string(1'000'000, 'x')), ErrorCode::BadUpstream));
  std::string early;
  for (int i = 0; i < 10'000; ++i) early += "HTTP/1.1 103 Early Hints\r\n\r\n";
  EXPECT_TRUE(failed_with(fetch_from(early + "HTTP/1.1 200 OK\r\n\r\n"), ErrorCode::BadUpstream));
}

TEST(CurlFaults, ABodyHasAMaximumSize) {
  curl::ClientOptions options = CurlFixture::options("");
  options.max_body_bytes = 100'000;
  const std::string head = "HTTP/1.1 200 OK\r\n\r\n";
  EXPECT_FALSE(fetch_from(head + std::string(100'000, 'x'), options).error);
  EXPECT_TRUE(failed_with(fetch_from(head + std::string(100'001, 'x'), options), ErrorCode::BadUpstream));
}

TEST(CurlFaults, ARequestCanLowerTheMaximumSizeOfItsClient) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", std::string(1000, 'x')); });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.max_body_bytes = 2000;
  const auto client = fixture.client(options);
  const std::string url = server.url();
  ports::HttpRequest request;
  request.url = url;
  request.max_body_bytes = 999;
  EXPECT_TRUE(failed_with(fixture.fetch(*client, request), ErrorCode::BadUpstream));
  options.max_body_bytes = 999;
  request.max_body_bytes = 2000;
  EXPECT_TRUE(failed_with(fixture.fetch(*fixture.client(options), request), ErrorCode::BadUpstream));
}

TEST(CurlFaults, AnEndlessBodyEndsAtTheLimit) {
  CurlFixture fixture;
  std::atomic<bool> is_over{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
    for (int i = 0; i < 1024 && !is_over; ++i) peer.send(std::string(1U << 20U, 'x'));
    peer.close();
  });
  const auto client = fixture.client(server.url());
  EXPECT_TRUE(failed_with(fixture.get(*client, server.url()), ErrorCode::BadUpstream));
  is_over = true;
}

TEST(CurlFaults, AGzipBombEndsAtTheLimitOfTheUncompressedSize) {
  const std::string bomb = packed(std::string(64U << 20U, '\0'));
  ASSERT_LT(bomb.size(), 100'000U);
  curl::ClientOptions options = CurlFixture::options("");
  options.max_body_bytes = 1U << 20U;
  const Fetched fetched = fetch_from(
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(bomb.size()) + "\r\n\r\n" + bomb,
      options);
  EXPECT_TRUE(failed_with(fetched, ErrorCode::BadUpstream));
  EXPECT_LE(fetched.body.size(), 1U << 20U);
}

TEST(CurlFaults, InvalidGzipIsABadResponse) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
  const std::string good = packed(std::string(1000, '\0'));
  EXPECT_FALSE(fetch_from(head + good).error);
  EXPECT_TRUE(failed_with(fetch_from(head + "plain text"), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed_with(fetch_from(head + good.substr(0, good.size() - 3)), ErrorCode::BadUpstream));
  EXPECT_TRUE(failed_with(fetch_from(head + good + "rest"), ErrorCode::BadUpstream));
  std::string wrong_checksum = good;
  wrong_checksum[good.size() - 8] = static_cast<char>(wrong_checksum[good.size() - 8] ^ 1);
  EXPECT_TRUE(failed_with(fetch_from(head + wrong_checksum), ErrorCode::BadUpstream));
}

TEST(CurlFaults, AnUnrequestedEncodingIsABadResponse) {
  EXPECT_TRUE(failed_with(fetch_from("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nxxxx"), ErrorCode::BadUpstream));
}

TEST(CurlFaults, AFailureIsReturnedAgain) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.reset(); });
  const auto client = fixture.client(server.url());
  const auto exchange = fixture.open(*client, server.url());
  std::array<char, 16> buffer{};
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(failed(exchange->head(), ErrorCode::Unavailable));
    EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::Unavailable));
  }
}

TEST(CurlFaults, AResetDuringTheBodyIsABadResponse) {
  CurlFixture fixture;
  std::atomic<bool> is_read{false};
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!");
    EXPECT_TRUE(eventually(10s, [&] { return is_read.load(); }));
    peer.reset();
  });
  const auto client = fixture.client(server.url());
  const auto exchange = fixture.open(*client, server.url());
  std::array<char, 16> buffer{};
  EXPECT_TRUE(succeeded(exchange->read(buffer)));
  is_read = true;
  EXPECT_TRUE(failed(exchange->read(buffer), ErrorCode::BadUpstream));
}

TEST(CurlFaults, ARefusedConnectionIsUnavailable) {
  CurlFixture fixture;
  std::string url;
  {
    const ScriptedHttpServer gone([](const ReceivedRequest&, Peer&) {});
    url = gone.url();
  }
  EXPECT_TRUE(failed_with(fixture.get(*fixture.client(url), url), ErrorCode::Unavailable));
  EXPECT_TRUE(fixture.has_metric("requests_total", "1", "unreachable"));
}

TEST(CurlFaults, AnUnknownHostNameFails) {
  CurlFixture fixture;
  curl::ClientOptions options = CurlFixture::options("http://unknown.invalid/");
  options.connect_timeout = 2s;
  const Fetched fetched = fixture.get(*fixture.client(options), "http://unknown.invalid/");
  EXPECT_TRUE(fetched.error && (fetched.error->code == ErrorCode::Unavailable ||  // the resolver returned an error
                                fetched.error->code == ErrorCode::Deadline));     // or the resolver did not answer
}

TEST(CurlFaults, AnErrorNamesTheServiceButNotTheTarget) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.reset(); });
  const Fetched fetched = fixture.get(*fixture.client(server.url()), server.url("/users/anna?token=secret"));
  ASSERT_TRUE(fetched.error);
  EXPECT_NE(fetched.error->detail.find("test at http://127.0.0.1:"), std::string::npos);
  EXPECT_EQ((fetched.error->detail + fetched.error->message).find("anna"), std::string::npos);
  EXPECT_EQ((fetched.error->detail + fetched.error->message).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace kbase::tests
