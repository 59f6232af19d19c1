// SPDX-License-Identifier: Apache-2.0
// The HTML pages that the server provides in addition to the API.
#include <gtest/gtest.h>

#include "tests/adapters/http_fixture.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;

class HttpSite : public testing::Test, protected HttpFixture {
 protected:
  HttpSite() {
    options.site = {{"/index.html", "<!doctype html>" + std::string(500, ' ')},
                    {"/docs/index.html", "the documentation"},
                    {"/explorer/main.js", "run()"}};
  }

  // Pages are not charged: a call of admit() would fail the test.
  std::unique_ptr<trompeloeil::expectation> admission_without_charge =
      NAMED_ALLOW_CALL(access, admission_without_charge(_)).LR_RETURN(admitted(clock.now()));
};

TEST_F(HttpSite, IsServedWithoutACharge) {
  const HttpAnswer page = handle("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.field("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(page.body.starts_with("<!doctype html>"));
  EXPECT_EQ(page.field("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.field("content-security-policy"), http::kPagePolicy);
  EXPECT_EQ(page.field("cache-control"), "no-cache");
}

TEST_F(HttpSite, ServesTheIndexOfAFolderAndFilesByName) {
  EXPECT_EQ(handle("GET /docs HTTP/1.1\r\nHost: x\r\n\r\n").body, "the documentation");
  EXPECT_EQ(handle("GET /docs/ HTTP/1.1\r\nHost: x\r\n\r\n").body, "the documentation");
  EXPECT_EQ(handle("GET /docs?operation=1 HTTP/1.1\r\nHost: x\r\n\r\n").body, "the documentation");
  const HttpAnswer script = handle("GET /explorer/main.js HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(script.field("content-type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(script.body, "run()");
}

TEST_F(HttpSite, IsCompressedIfTheClientAcceptsIt) {
  const HttpAnswer packed = handle("GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_EQ(packed.field("content-encoding"), "gzip");
  EXPECT_EQ(unpacked(packed.body), "<!doctype html>" + std::string(500, ' '));
  EXPECT_EQ(handle("GET /explorer/main.js HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n").body, "run()")
      << "incompressible content is sent uncompressed";
}

TEST_F(HttpSite, IsNotResentIfUnchanged) {
  const std::string tag = handle("GET / HTTP/1.1\r\nHost: x\r\n\r\n").field("etag");
  const HttpAnswer again = handle("GET / HTTP/1.1\r\nHost: x\r\nIf-None-Match: " + tag + "\r\n\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(again.field("etag"), tag);
  EXPECT_NE(handle("GET /docs HTTP/1.1\r\nHost: x\r\n\r\n").field("etag"), tag);
}

TEST_F(HttpSite, IsReadOnly) {
  EXPECT_EQ(handle("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").body, "");
  const HttpAnswer refused = handle("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.field("allow"), "GET, HEAD, OPTIONS");
}

TEST_F(HttpSite, ListsItsAllowedMethods) {
  for (const char* preflight : {"", "Access-Control-Request-Method: GET\r\n"}) {
    const HttpAnswer answer = handle("OPTIONS /docs HTTP/1.1\r\nHost: x\r\n" + std::string(preflight) + "\r\n");
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.field("allow"), "GET, HEAD, OPTIONS");
  }
}

TEST_F(HttpSite, NeverHidesTheApi) {
  ALLOW_CALL(access, admit(_, _, _)).LR_RETURN(admitted(clock.now()));
  options.site.push_back({"/api/v1/nothing", "a page"});
  EXPECT_EQ(get("/nothing").status, 404);
  EXPECT_EQ(handle("GET /explorer/other.js HTTP/1.1\r\nHost: x\r\n\r\n").status, 404);
}

}  // namespace
}  // namespace kbase::tests
