// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/curl/request.hpp"
#include "tests/adapters/curl_fixture.hpp"

namespace kbase::tests {
namespace {

Fetched get_following(CurlFixture& fixture, ports::HttpClient& client, const std::string& url,
                      std::string_view method = "GET") {
  ports::HttpRequest request;
  request.method = method;
  request.url = url;
  request.max_redirects = 3;
  return fixture.fetch(client, request);
}

/// Redirects /to?LOCATION to LOCATION; returns the method and target of every other request.
void redirect(const ReceivedRequest& request, Peer& peer) {
  const std::size_t mark = request.target.find('?');
  if (!request.target.starts_with("/to")) return peer.answer("200 OK", request.method + " " + request.target);
  peer.answer("302 Found\r\nLocation: " + request.target.substr(mark + 1), "moved");
}

TEST(CurlUrl, HasAnOrigin) {
  EXPECT_EQ(curl::Url::parse("https://API.example.com/a?b#c")->origin().text(), "https://api.example.com:443");
  EXPECT_EQ(curl::Url::parse("http://[::1]:3000")->origin().text(), "http://[::1]:3000");
  EXPECT_EQ(curl::Url::parse("http://ex%61mple.com/")->origin().text(), "http://example.com:80");
  EXPECT_EQ(curl::Url::parse("HTTP://localhost")->origin().text(), "http://localhost:80");
}

TEST(CurlUrl, RejectsAmbiguousUrls) {
  const std::string with_zero("http://example.com\0.evil.example/", 33);
  for (const std::string& text : std::vector<std::string>{"",
                                                          "example.com",
                                                          "/users",
                                                          "ftp://example.com/",
                                                          "file:///etc/passwd",
                                                          "javascript:x",
                                                          "http://",
                                                          "http://user@example.com/",
                                                          "http://user:password@example.com/",
                                                          "http://example.com\\@evil.example/",
                                                          "http:\\\\example.com/",
                                                          "http://example.com /",
                                                          " http://example.com/",
                                                          "http://example.com/\r\nX: y",
                                                          "http://example.com/\t",
                                                          "http://ex\xC3\xA4mple.com/",
                                                          "http://example.com:x/",
                                                          "http://example.com:99999/",
                                                          "http://[fe80::1%25eth0]/",
                                                          "http://[::1",
                                                          with_zero,
                                                          "http://example.com/" + std::string(20'000, 'a')}) {
    const auto url = curl::Url::parse(text);
    if (url) {
      ADD_FAILURE() << "took " << text.substr(0, 60) << " for " << url->origin().text();
    } else {
      EXPECT_EQ(url.error().parameter, "url");
    }
  }
}

TEST(CurlUrl, ResolvesReferences) {
  const auto base = curl::Url::parse("https://example.com/a/b?c");
  EXPECT_EQ(base->resolve("/x")->origin(), base->origin());
  EXPECT_EQ(base->resolve("//other.example/x")->origin().host, "other.example");
  EXPECT_EQ(base->resolve("http://example.com/")->origin().scheme, "http");
  EXPECT_FALSE(base->resolve("https://me@example.com/"));
  EXPECT_FALSE(base->resolve("/a b"));
}

TEST(CurlHttpClient, RejectsOtherOriginsBeforeSending) {
  CurlFixture fixture;
  ScriptedHttpServer other([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK"); });
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK"); });
  const auto client = fixture.client(server.url());
  const std::string port = std::to_string(server.port());
  const std::string other_port = std::to_string(other.port());
  for (const std::string& url : std::vector<std::string>{
           other.url(), "https://127.0.0.1:" + port + "/", "http://localhost:" + port + "/", "http://127.0.0.1/",
           "http://127.0.0.1:" + port + "@127.0.0.1:" + other_port + "/",
           "http://127.0.0.1:" + port + "\\@127.0.0.1:" + other_port + "/", "http://127.0.0.1.:" + port + "/",
           "http://[::ffff:127.0.0.1]:" + port + "/", "//127.0.0.1:" + port + "/", "/users", ""}) {
    const Fetched fetched = fixture.get(*client, url);
    EXPECT_TRUE(failed_with(fetched, ErrorCode::InvalidArgument)) << url;
    EXPECT_EQ(fetched.error->parameter, "url");
  }
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(other.connections(), 0U);
}

TEST(CurlHttpClient, RejectsReservedFields) {
  CurlFixture fixture;
  const auto client = fixture.client("http://127.0.0.1:9/");
  using Field = ports::HttpField;
  for (const Field& field :
       {Field{"Host", "evil.example"}, Field{"content-length", "5"}, Field{"Transfer-Encoding", "chunked"},
        Field{"Connection", "close"}, Field{"Proxy-Authorization", "Basic x"}, Field{"Accept-Encoding", "br"},
        Field{"X-A", "b\r\nX-C: d"}, Field{"X-A", std::string_view("b\0c", 3)}, Field{"X A", "b"}, Field{"X-A:", "b"},
        Field{"X\r\nY", "b"}, Field{"", "b"}}) {
    ports::HttpRequest request;
    request.url = "http://127.0.0.1:9/";
    request.fields = {&field, 1};
    const auto exchange = client->open(fixture.call, request);
    EXPECT_TRUE(failed(exchange, ErrorCode::InvalidArgument, "fields")) << field.name;
  }
}

TEST(CurlHttpClient, RejectsUnsupportedMethodsAndBodies) {
  CurlFixture fixture;
  const auto client = fixture.client("http://127.0.0.1:9/");
  ports::HttpRequest request;
  request.url = "http://127.0.0.1:9/";
  for (const std::string_view method : {"", "get", "CONNECT", "TRACE", "GET /evil HTTP/1.1\r\nX:"}) {
    request.method = method;
    EXPECT_TRUE(failed(client->open(fixture.call, request), ErrorCode::InvalidArgument, "method")) << method;
  }
  request.method = "GET";
  request.body = "x";
  EXPECT_TRUE(failed(client->open(fixture.call, request), ErrorCode::InvalidArgument, "body"));
}

TEST(CurlHttpClient, RequiresAValidOrigin) {
  conformance::ManualClock clock;
  system::SystemRandom random;
  EventNames log;
  prometheus::PrometheusMetrics metrics;
  const auto loop = std::move(*curl::TransferLoop::start());
  for (const std::vector<std::string>& urls : std::vector<std::vector<std::string>>{
           {}, {"redis://localhost"}, {"https://example.com", "https://me:secret@example.com"}}) {
    curl::ClientOptions options;
    options.allowed_urls = urls;
    const auto made = curl::CurlHttpClient::make(*loop, {clock, random, log, metrics}, options);
    EXPECT_TRUE(failed(made, ErrorCode::InvalidArgument, "url"));
  }
}

TEST(CurlRedirects, AreFollowedWithinTheOrigin) {
  CurlFixture fixture;
  ScriptedHttpServer server(redirect);
  const auto client = fixture.client(server.url());
  EXPECT_EQ(get_following(fixture, *client, server.url("/to?/there")).body, "GET /there");
  EXPECT_EQ(get_following(fixture, *client, server.url("/to?" + server.url("/there"))).body, "GET /there");
  EXPECT_EQ(get_following(fixture, *client, server.url("/to?/to?/to?/there")).body, "GET /there");
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CurlRedirects, KeepTheMethodOfAHeadRequest) {
  CurlFixture fixture;
  ScriptedHttpServer server([](const ReceivedRequest& request, Peer& peer) {
    peer.send(request.target == "/" ? "HTTP/1.1 303 See Other\r\nLocation: /there\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\n");
  });
  EXPECT_EQ(get_following(fixture, *fixture.client(server.url()), server.url(), "HEAD").status, 200U);
  EXPECT_EQ(server.received().at(1).method, "HEAD");
}

TEST(CurlRedirects, AreNeverFollowedToOtherOrigins) {
  CurlFixture fixture;
  ScriptedHttpServer other([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK"); });
  std::string location;
  ScriptedHttpServer server(
      [&](const ReceivedRequest&, Peer& peer) { peer.answer("302 Found\r\nLocation: " + location); });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.allowed_urls.push_back(other.url());  // another origin, even though it is allowed
  const auto client = fixture.client(options);
  const std::string port = std::to_string(server.port());
  for (const std::string& elsewhere : std::vector<std::string>{
           other.url(), "//127.0.0.1:" + std::to_string(other.port()) + "/", "https://127.0.0.1:" + port + "/",
           "http://localhost:" + port + "/", "http://me@127.0.0.1:" + port + "/", "file:///etc/passwd", "http://",
           "http://127.0.0.1:" + port + "\\@127.0.0.1:" + std::to_string(other.port())}) {
    location = elsewhere;
    const Fetched fetched = get_following(fixture, *client, server.url());
    EXPECT_TRUE(failed_with(fetched, ErrorCode::BadUpstream)) << location;
  }
  EXPECT_EQ(other.connections(), 0U);
}

TEST(CurlRedirects, EndAtTheMaximum) {
  CurlFixture fixture;
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("301 Moved Permanently\r\nLocation: /again"); });
  const auto client = fixture.client(server.url());
  EXPECT_TRUE(failed_with(get_following(fixture, *client, server.url()), ErrorCode::BadUpstream));
  EXPECT_EQ(server.received().size(), 4U);
}

TEST(CurlRedirects, AreReturnedIfFollowingIsDisabled) {
  CurlFixture fixture;
  ScriptedHttpServer server(redirect);
  const auto client = fixture.client(server.url());
  const Fetched fetched = fixture.get(*client, server.url("/to?/there"));
  EXPECT_EQ(fetched.status, 302U);
  EXPECT_EQ(fetched.field("location"), "/there");
  EXPECT_EQ(fetched.body, "moved");
  EXPECT_EQ(get_following(fixture, *client, server.url("/to?/there"), "POST").status, 302U);
  EXPECT_EQ(server.received().size(), 2U);
}

TEST(CurlRedirects, WithHugeBodiesAreFollowedWithoutReadingThem) {
  CurlFixture fixture;
  const std::string huge(8U << 20U, 'x');
  ScriptedHttpServer server([&](const ReceivedRequest& request, Peer& peer) {
    if (request.target == "/there") return peer.answer("200 OK", "there");
    peer.answer("302 Found\r\nLocation: /there", huge);
  });
  EXPECT_EQ(get_following(fixture, *fixture.client(server.url()), server.url()).body, "there");
  EXPECT_EQ(server.connections(), 2U);
}

}  // namespace
}  // namespace kbase::tests
