// SPDX-License-Identifier: Apache-2.0
// Response headers, validators, methods, CORS and compression. Manual: docs/guide/index.md, conditional-requests.md,
// parameters.md, cors.md and compression.md.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

const std::vector<std::string> kDataPaths{"/search?q=lantern",
                                          "/categories",
                                          "/category/planets",
                                          "/item/earth",
                                          "/popular",
                                          "/recent",
                                          "/stats",
                                          "/search?q=planet&sort=popularity"};

class EveryResponse : public ReadingTest {
 protected:
  Response send(const std::string& method, const std::string& target, std::vector<std::string> fields = {}) {
    return web.send({.method = method, .target = target, .fields = std::move(fields), .body = {}, .whole_target = {}});
  }

  /// Gets `path`, calls `ask` with the response and returns its result. Repeats this if the item changed meanwhile
  /// because a view of an earlier test was counted.
  template <class Ask> auto in_one_state(const std::string& path, Ask ask) {
    for (;;) {
      const Response got = web.get(path);
      auto answers = ask(got);
      if (web.get(path).field("etag") == got.field("etag")) return answers;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Storage, EveryResponse, every_storage(), name_of);

TEST_P(EveryResponse, HasTheCommonFields) {
  for (const std::string& path : kDataPaths) {
    SCOPED_TRACE(path);
    expect_envelope(web.get(path), path.starts_with("/search"));
  }
  for (const char* path : {"/health", "/no-such", "/item/no-such", "/search", "/external/codehost/ada"}) {
    SCOPED_TRACE(path);
    expect_common_fields(web.get(path));
  }
}

TEST_P(EveryResponse, ReturnsAValidRequestIdOfTheClient) {
  EXPECT_EQ(web.get("/recent", {"X-Request-Id: My-id_1.2"}).field("x-request-id"), "My-id_1.2");
  EXPECT_EQ(web.get("/no-such", {"X-Request-Id: abc"}).field("x-request-id"), "abc");
  for (const std::string& bad :
       {std::string("two words"), std::string(65, 'x'), std::string("a/b"), std::string("é")}) {
    const Response response = web.get("/recent", {"X-Request-Id: " + bad});
    EXPECT_NE(response.field("x-request-id"), bad);
    expect_common_fields(response);
  }
  EXPECT_NE(web.get("/recent").field("x-request-id"), web.get("/recent").field("x-request-id"));
}

TEST_P(EveryResponse, IsRevalidatedByItsETag) {
  for (const std::string& path : kDataPaths) {
    SCOPED_TRACE(path);
    std::string etag;
    const auto answers = in_one_state(path, [&](const Response& got) {
      etag = got.field("etag");
      std::map<std::string, Response> by_condition;
      for (const std::string& condition : {etag, etag.substr(2), "\"other\", " + etag, std::string("*")})
        by_condition[condition] = web.get(path, {"If-None-Match: " + condition});
      return by_condition;
    });
    ASSERT_TRUE(etag.starts_with("W/\"") && etag.ends_with("\"")) << etag;
    for (const auto& [condition, confirmed] : answers) {
      expect_common_fields(confirmed);
      EXPECT_EQ(confirmed.status, 304) << condition;
      EXPECT_EQ(confirmed.field("etag"), etag);
      EXPECT_EQ(confirmed.field("cache-control"), "private, no-cache");
    }
    EXPECT_EQ(web.get(path, {"If-None-Match: W/\"other\""}).status, 200);
  }
}

TEST_P(EveryResponse, HasADifferentETagForEachRequest) {
  std::set<std::string> etags;
  for (const char* path : {"/search?q=lantern", "/search?q=lantern&limit=5", "/search?q=lantern&offset=1",
                           "/categories", "/categories?include_counts=false", "/category/planets",
                           "/category/planets?include_items=true", "/recent", "/recent?limit=2", "/popular?period=day"})
    EXPECT_TRUE(etags.insert(web.get(path).field("etag")).second) << path;
}

TEST_P(EveryResponse, HasNoETagWithoutData) {
  for (const char* path : {"/health", "/item/no-such", "/search"}) EXPECT_FALSE(web.get(path).has("etag")) << path;
}

TEST_P(EveryResponse, HasForHeadTheFieldsOfGetAndNoBody) {
  std::vector<std::string> paths = kDataPaths;
  paths.insert(paths.end(), {"/health", "/no-such", "/item/no-such", "/search"});
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    Response get;
    const Response head = in_one_state(path, [&](const Response& got) {
      get = got;
      return web.head(path);
    });
    EXPECT_EQ(head.status, get.status);
    EXPECT_EQ(head.body, "");
    for (const char* name : {"content-type", "content-length", "etag", "cache-control", "vary"})
      EXPECT_EQ(head.field(name), get.field(name)) << name;
    expect_common_fields(head);
  }
}

TEST_P(EveryResponse, IsCompressedAboveAKibibyteIfTheClientAcceptsGzip) {
  const Response plain = web.get("/recent?limit=50");
  ASSERT_GT(plain.body.size(), 1024U);
  EXPECT_FALSE(plain.has("content-encoding"));
  EXPECT_NE(plain.field("vary").find("Accept-Encoding"), std::string::npos) << plain.field("vary");
  const Response packed =
      web.send({.target = "/recent?limit=50", .fields = {}, .body = {}, .accepts_gzip = true, .whole_target = {}});
  EXPECT_EQ(packed.field("content-encoding"), "gzip");
  EXPECT_NE(packed.field("vary").find("Accept-Encoding"), std::string::npos) << packed.field("vary");
  EXPECT_EQ(packed.body, plain.body);
  EXPECT_LT(packed.number("content-length"), static_cast<long long>(plain.body.size()));
  expect_data(packed);
}

TEST_P(EveryResponse, IsUncompressedIfGzipIsNotAcceptedOrTheBodyIsShort) {
  EXPECT_FALSE(web.get("/popular?limit=50", {"Accept-Encoding: gzip;q=0"}).has("content-encoding"));
  EXPECT_FALSE(web.get("/popular?limit=50", {"Accept-Encoding: br"}).has("content-encoding"));
  EXPECT_FALSE(web.get("/popular?limit=50", {"Accept-Encoding: identity, gzip;q=0"}).has("content-encoding"));
  EXPECT_FALSE(web.get("/item/earth", {"Accept-Encoding: gzip"}).has("content-encoding"));
  EXPECT_EQ(web.get("/popular?limit=50", {"Accept-Encoding: *"}).field("content-encoding"), "gzip");
}

TEST_P(EveryResponse, IgnoresAcceptAndRange) {
  expect_data(web.get("/recent", {"Accept: text/html"}));
  expect_data(web.get("/recent", {"Range: bytes=0-9"}));
}

TEST_P(EveryResponse, IgnoresOneTrailingSlashWithoutRedirecting) {
  for (const char* path :
       {"/categories/", "/category/planets/", "/item/earth/", "/popular/", "/recent/", "/stats/", "/recent/?limit=3"})
    expect_data(web.get(path));
  expect_envelope(web.get("/search/?q=lantern"), true);
  EXPECT_EQ(web.get("/health/").status, 200);
  for (const char* path : {"/recent//", "//recent", "/Recent", "", "/"}) expect_error(web.get(path), 404, "NOT_FOUND");
}

TEST_P(EveryResponse, IsNotFoundOutsideTheBasePath) {
  for (const char* target : {"/api", "/api/v2/recent", "/stats"})
    EXPECT_EQ(web.send({.target = "", .fields = {}, .body = {}, .whole_target = target}).status, 404) << target;
}

TEST_P(EveryResponse, NamesTheAllowedMethodsForAnotherMethod) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"})
    for (const char* path : {"/search?q=lantern", "/item/earth/related", "/health", "/stats"}) {
      SCOPED_TRACE(std::string(method) + path);
      const Response response = send(method, path);
      expect_error(response, 405, "METHOD_NOT_ALLOWED");
      for (const char* allowed : {"GET", "HEAD", "OPTIONS"})
        EXPECT_NE(response.field("allow").find(allowed), std::string::npos) << response.field("allow");
    }
  expect_error(send("DELETE", "/no-such"), 404, "NOT_FOUND");
}

TEST_P(EveryResponse, Is204WithAllowForOptions) {
  for (const char* path : {"/search", "/item/earth", "/item/no-such", "/health"}) {
    SCOPED_TRACE(path);
    const Response response = send("OPTIONS", path);
    EXPECT_EQ(response.status, 204);
    expect_common_fields(response);
    EXPECT_NE(response.field("allow").find("GET"), std::string::npos) << response.field("allow");
  }
  EXPECT_NE(send("OPTIONS", "/external/llm").field("allow").find("POST"), std::string::npos);
  EXPECT_EQ(send("OPTIONS", "/no-such").status, 404);
  EXPECT_EQ(web.send({.method = "OPTIONS", .target = "", .fields = {}, .body = {}, .whole_target = "*"}).status, 204);
}

TEST_P(EveryResponse, NamesTheAllowedFieldsForAPreflight) {
  for (const char* path : {"/search", "/external/llm", "/no-such"}) {
    SCOPED_TRACE(path);
    const Response response = send("OPTIONS", path,
                                   {"Origin: https://example.org", "Access-Control-Request-Method: GET",
                                    "Access-Control-Request-Headers: authorization"});
    EXPECT_EQ(response.status, 204);
    expect_common_fields(response);
    EXPECT_NE(response.field("access-control-allow-headers").find("Authorization"), std::string::npos)
        << response.field("access-control-allow-headers");
    EXPECT_NE(response.field("access-control-allow-methods").find("GET"), std::string::npos)
        << response.field("access-control-allow-methods");
    EXPECT_GT(response.number("access-control-max-age"), 0);
  }
}

TEST_P(EveryResponse, ExposesItsFieldsToScripts) {
  const std::string exposed =
      web.get("/recent", {"Origin: https://example.org"}).field("access-control-expose-headers");
  for (const char* name :
       {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy",
        "Retry-After", "X-Request-Id", "X-Search-Match", "X-Search-Relaxed", "X-Search-Synonyms", "X-Search-Corrected", "ETag"})
    EXPECT_NE(exposed.find(name), std::string::npos) << name << " in " << exposed;
}

TEST(ListedOrigins, AreReturnedOneByOne) {
  const ServedBase served(Storage::Memory, fixture_corpus_file(), Quota::Lifted,
                          {"--set", "server.cors.allowed_origins=[\"https://good.example\"]"});
  Client web = served.client();
  const Response good = web.get("/recent", {"Origin: https://good.example"});
  EXPECT_EQ(good.field("access-control-allow-origin"), "https://good.example");
  EXPECT_NE(good.field("vary").find("Origin"), std::string::npos) << good.field("vary");
  const Response other = web.get("/recent", {"Origin: https://other.example"});
  EXPECT_EQ(other.status, 200);
  EXPECT_NE(other.field("access-control-allow-origin"), "https://other.example");
  EXPECT_NE(other.field("access-control-allow-origin"), "*");
}

}  // namespace
}  // namespace kbase::tests
