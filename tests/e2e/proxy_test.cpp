// SPDX-License-Identifier: Apache-2.0
// kbase behind each reverse proxy of config/proxy with its shipped sample. Manual: docs/operations/reverse-proxy.md.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "tests/e2e/event_source.hpp"
#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/e2e/metrics.hpp"
#include "tests/e2e/proxy.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

/// Served base behind a proxy that it trusts.
class ProxiedBase {
 public:
  ProxiedBase(ProxyKind kind, Quota quota)
      : port_(free_port()),
        served_(Storage::Sqlite, fixture_corpus_file(), quota,
                {"--set", "server.port=" + std::to_string(port_), "--set", "server.trusted_proxies=[127.0.0.1/32]",
                 "--set", "admin.port=0"}),
        proxy_(kind, port_) {}

  ServedBase& served() { return served_; }
  Proxy& proxy() { return proxy_; }

  double connections_so_far() {
    return value_of(Client(admin_url(served_.base())).get("/metrics").body, "kbase_http_connections_total");
  }

 private:
  const std::uint16_t port_;
  ServedBase served_;
  Proxy proxy_;
};

class ProxyTest : public testing::TestWithParam<ProxyKind> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_program(GetParam()); !missing.empty())
      GTEST_SKIP() << missing << " is not installed";
  }

  static ProxiedBase proxied(Quota quota = Quota::Lifted) { return {GetParam(), quota}; }
};

INSTANTIATE_TEST_SUITE_P(Samples, ProxyTest, every_proxy(), proxy_name);

Request post(const std::string& target, std::string body) {
  return {.method = "POST",
          .target = target,
          .fields = {"Content-Type: application/json"},
          .body = std::move(body),
          .whole_target = {}};
}

/// Response fields of kbase that depend neither on the connection nor on the time.
std::multiset<std::pair<std::string, std::string>> stable_fields(const Response& response) {
  std::multiset<std::pair<std::string, std::string>> fields(response.fields.begin(), response.fields.end());
  for (const char* passing : {"connection", "keep-alive", "date", "server", "x-request-id"})
    std::erase_if(fields, [&](const auto& field) { return field.first == passing; });
  return fields;
}

std::string without_timestamp(const Response& response) {
  json body = response.json();
  if (body.is_object()) body.erase("timestamp");
  return body.is_discarded() ? response.body : body.dump();
}

/// Expects that the proxy forwards the same response that a direct client gets.
void expect_forwarded(Client& proxied, Client& direct, const Request& request, long status) {
  SCOPED_TRACE(request.method + ' ' + request.target);
  const Response forwarded = proxied.send(request);
  const Response original = direct.send(request);
  EXPECT_EQ(original.status, status);
  EXPECT_EQ(forwarded.status, status);
  EXPECT_EQ(without_timestamp(forwarded), without_timestamp(original));
  EXPECT_EQ(stable_fields(forwarded), stable_fields(original));
}

TEST_P(ProxyTest, AnswersOverTlsAndHttp2) {
  ProxiedBase base = proxied();
  const Response response = base.proxy().client().get("/categories");
  EXPECT_TRUE(response.over_http2);
  expect_data(response);
}

TEST_P(ProxyTest, ForwardsEveryIdUnchanged) {
  ProxiedBase base = proxied();
  Client web = base.proxy().client();
  for (const char* id : {"deep sky/M31 Andromeda", "%2F", "ends-with/", "c++ & c#?100%", "日本語/検索", "emoji-🧭"})
    EXPECT_EQ(expect_data(web.get("/item/" + encoded(id))).value("id", ""), id);
}

TEST_P(ProxyTest, ForwardsEveryResponse) {
  ProxiedBase base = proxied();
  Client proxied = base.proxy().client();
  Client direct = base.served().client();
  const auto get = [](const std::string& target, std::vector<std::string> fields = {}) {
    return Request{.target = target, .fields = std::move(fields), .body = {}, .whole_target = {}};
  };
  const auto with_method = [](const std::string& method, const std::string& target) {
    return Request{.method = method, .target = target, .fields = {}, .body = {}, .whole_target = {}};
  };
  expect_forwarded(proxied, direct, get("/search?q=great+red+spot"), 200);
  expect_forwarded(proxied, direct, get("/search?q=" + encoded("検索") + "&limit=5"), 200);
  expect_forwarded(proxied, direct, get("/search?q=" + encoded("crème brûlée")), 200);
  expect_forwarded(proxied, direct, get("/categories/"), 200);
  expect_forwarded(proxied, direct, get("/item/a+b"), 404);
  expect_forwarded(proxied, direct, get("/item/a//b"), 404);
  expect_forwarded(proxied, direct, get("/item/%FF"), 400);
  expect_forwarded(proxied, direct, get("/search?q=x"), 400);
  expect_forwarded(proxied, direct, with_method("DELETE", "/categories"), 405);
  expect_forwarded(proxied, direct, with_method("OPTIONS", "/recent"), 204);
  expect_forwarded(proxied, direct, with_method("HEAD", "/item/long-essay"), 200);
  const std::string etag = direct.get("/categories").field("etag");
  expect_forwarded(proxied, direct, get("/categories", {"If-None-Match: " + etag}), 304);
  expect_forwarded(proxied, direct, get("/categories", {"Authorization: Bearer nonsense"}), 401);
}

TEST_P(ProxyTest, LeavesCompressionToKbase) {
  ProxiedBase base = proxied();
  Client proxied = base.proxy().client();
  Client direct = base.served().client();
  const auto get = [](const std::string& target, bool accepts_gzip) {
    return Request{.target = target, .fields = {}, .body = {}, .accepts_gzip = accepts_gzip, .whole_target = {}};
  };
  EXPECT_EQ(proxied.send(get("/recent?limit=50", true)).field("content-encoding"), "gzip");
  expect_forwarded(proxied, direct, get("/recent?limit=50", true), 200);
  expect_forwarded(proxied, direct, get("/recent?limit=50", false), 200);
  EXPECT_FALSE(proxied.send(get("/item/earth", true)).has("content-encoding"))
      << "kbase does not compress such a short body";
}

TEST_P(ProxyTest, KeepsTheClientsRequestId) {
  ProxiedBase base = proxied();
  Client web = base.proxy().client();
  EXPECT_EQ(web.get("/recent", {"X-Request-Id: My-id_1.2"}).field("x-request-id"), "My-id_1.2");
  EXPECT_NE(web.get("/recent").field("x-request-id"), web.get("/recent").field("x-request-id"));
}

TEST_P(ProxyTest, IsChargedByTheAddressOfItsClients) {
  ProxiedBase base = proxied(Quota::Builtin);
  for (const char* address : {"127.0.0.2", "127.0.0.3"}) {
    SCOPED_TRACE(address);
    Client web = base.proxy().client(address);
    const Response first = web.get("/categories");
    expect_data(first);
    EXPECT_EQ(first.number("x-ratelimit-limit"), 10);
    EXPECT_EQ(first.number("x-ratelimit-remaining"), 9);
  }
}

// Holds also for a client on the proxy's own machine, whose address is trusted.
TEST_P(ProxyTest, LetsNoClientForgeItsAddress) {
  ProxiedBase base = proxied(Quota::Builtin);
  for (const char* address : {"127.0.0.1", "127.0.0.2"}) {
    SCOPED_TRACE(address);
    Client web = base.proxy().client(address);
    EXPECT_EQ(web.get("/categories").number("x-ratelimit-remaining"), 9);
    int left = 8;
    for (const char* forged : {"X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 203.0.113.8, 127.0.0.1",
                               "Forwarded: for=203.0.113.9", "X-Real-IP: 203.0.113.10"})
      EXPECT_EQ(web.get("/categories", {forged}).number("x-ratelimit-remaining"), left--) << forged;
    EXPECT_EQ(web.get("/categories", {"X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 203.0.113.8"})
                  .number("x-ratelimit-remaining"),
              left);
  }
}

TEST_P(ProxyTest, ForwardsTooLargeRequests) {
  ProxiedBase base = proxied();
  Client web = base.proxy().client();
  constexpr std::size_t kMebibyte = 1024 * 1024;
  EXPECT_NE(web.send(post("/external/llm", std::string(kMebibyte, ' '))).status, 413);
  // A proxy may reset a stream that is still sending before its client has read the response (RFC 9113 section 8.1).
  int answered = 0;
  for (int i = 0; i < 5; ++i) {
    try {
      expect_error(web.send(post("/external/llm", std::string(kMebibyte + 1, ' '))), 413, "PAYLOAD_TOO_LARGE");
      ++answered;
    } catch (const std::runtime_error&) {
    }
  }
  EXPECT_GE(answered, 3);
  EXPECT_EQ(web.get("/item/" + std::string(7'900, 'x')).status, 404);
  expect_error(web.get("/item/" + std::string(13'000, 'x')), 414, "URI_TOO_LONG");
  EXPECT_EQ(web.get("/recent", {"X-Large: " + std::string(15'000, 'x')}).status, 200);
  expect_error(web.get("/recent", {"X-Large: " + std::string(36'000, 'x')}), 431, "HEADERS_TOO_LARGE");
  expect_data(web.get("/categories"));
}

TEST_P(ProxyTest, DoesNotShowTheAdminListener) {
  ProxiedBase base = proxied();
  Client web = base.proxy().client();
  for (const char* path : {"/metrics", "/livez", "/readyz"})
    expect_error(web.send({.target = {}, .fields = {}, .body = {}, .whole_target = path}), 404, "NOT_FOUND");
}

TEST_P(ProxyTest, ReusesItsConnectionsToKbase) {
  ProxiedBase base = proxied();
  const double before = base.connections_so_far();
  for (int client = 0; client < 10; ++client) {
    Client web = base.proxy().client();
    for (int i = 0; i < 10; ++i) expect_data(web.get("/categories"));
  }
  EXPECT_LE(base.connections_so_far() - before, 5) << "for 100 requests of 10 clients one after another";
}

TEST_P(ProxyTest, ReconnectsToKbaseAfterItsRestart) {
  ProxiedBase base = proxied();
  Client web = base.proxy().client();
  expect_data(web.get("/categories"));
  base.served().restart();
  expect_data(web.get("/categories"));
  expect_data(base.proxy().client().get("/categories"));
}

TEST_P(ProxyTest, ReportsThatKbaseIsDown) {
  ProxiedBase base = proxied();
  Client web = base.proxy().client();
  expect_data(web.get("/categories"));
  EXPECT_EQ(base.served().server().stop(), 0);
  const long status = web.get("/categories").status;
  EXPECT_TRUE(status == 502 || status == 503) << status;
}

TEST_P(ProxyTest, ForwardsAnEventAtOnce) {
  EventSource source;
  const Proxy proxy(GetParam(), source.port());
  Request request = post("/external/llm", R"({"prompt": "x", "stream": true})");
  request.on_request = [&](std::string_view) { source.release(); };
  const Response response = proxy.client().send(request);
  EXPECT_EQ(response.body, std::string(EventSource::kFirst) + EventSource::kSecond);
  EXPECT_TRUE(source.was_released()) << "the first event arrived only with the second";
}

}  // namespace
}  // namespace kbase::tests
