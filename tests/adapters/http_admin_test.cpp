// SPDX-License-Identifier: Apache-2.0
// The admin listener: metrics and health checks on the same HTTP server.
#include "adapters/http/server.hpp"
#include "tests/adapters/http_client.hpp"
#include "tests/adapters/http_fixture.hpp"

namespace kbase::tests {
namespace {

class FakeReadiness final : public ports::Readiness {
 public:
  std::vector<std::string_view> obstacles() const override { return current; }
  std::vector<std::string_view> current;
};

class AdminServer : public testing::Test {
 protected:
  AdminServer() {
    http::ServerOptions options;
    options.section = "admin";
    options.port = 0;
    options.max_body_bytes = 0;
    options.drain_timeout = std::chrono::seconds(5);
    auto started = http::Server::start_admin(options, {metrics_, readiness_, clock_, random_, log_});
    if (!started) throw std::runtime_error(started.error().message);
    server_ = *std::move(started);
  }

  HttpAnswer request(std::string_view request_line, std::string_view fields = "") {
    RawClient web(server_->port());
    web.send(std::string(request_line) + " HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n");
    return web.answer(request_line.starts_with("HEAD"));
  }

  conformance::ManualClock clock_;
  CountingRandom random_;
  RecordingLog log_;
  prometheus::PrometheusMetrics metrics_;
  FakeReadiness readiness_;
  std::unique_ptr<http::Server> server_;
};

TEST_F(AdminServer, ShowsTheMetrics) {
  metrics_.counter("kbase_x_total", "X.", {}).add(7);
  const HttpAnswer answer = request("GET /metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
  EXPECT_NE(answer.body.find("\nkbase_x_total 7\n"), std::string::npos) << answer.body;
}

TEST_F(AdminServer, IsAliveEvenIfItCannotServeRequests) {
  readiness_.current = {"the storage is down"};
  const HttpAnswer answer = request("GET /livez");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json().at("status"), "alive");
}

TEST_F(AdminServer, IsReadyIfNothingPreventsRequests) {
  const HttpAnswer answer = request("GET /readyz?verbose");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json(), nlohmann::json::parse(R"({"status":"ready","obstacles":[]})"));
}

TEST_F(AdminServer, ReportsWhyItIsNotReady) {
  readiness_.current = {"the storage is down", "the server is stopping"};
  const HttpAnswer answer = request("GET /readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.json().at("obstacles"), readiness_.current);
  EXPECT_NE(answer.field("retry-after"), "(absent)");
}

TEST_F(AdminServer, IgnoresQuotaKeysAndOrigins) {
  const HttpAnswer answer = request("GET /livez", "Authorization: Bearer nonsense\r\nOrigin: https://a.example\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("x-ratelimit-limit"), "(absent)");
  EXPECT_EQ(answer.field("access-control-allow-origin"), "(absent)");
}

TEST_F(AdminServer, DoesNotWriteAccessLogEntries) {
  request("GET /livez");
  EXPECT_TRUE(log_.lines().empty());
}

TEST_F(AdminServer, AnswersNoOtherPath) {
  for (const char* line : {"GET /", "GET /api/v1/health", "GET /metrics/", "GET /METRICS"}) {
    const HttpAnswer answer = request(line);
    EXPECT_EQ(answer.status, 404) << line;
    EXPECT_EQ(answer.error_code(), "NOT_FOUND");
  }
  const HttpAnswer posted = request("POST /metrics", "Content-Length: 0\r\n");
  EXPECT_EQ(posted.status, 405);
  EXPECT_EQ(posted.field("allow"), "GET, HEAD");
  EXPECT_EQ(request("POST /metrics", "Content-Length: 1\r\n").status, 413);
}

TEST_F(AdminServer, AnswersHeadWithoutABody) {
  const HttpAnswer answer = request("HEAD /livez");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-length"), std::to_string(request("GET /livez").body.size()));
}

TEST_F(AdminServer, ParsesAsStrictlyAsTheMainListener) {
  RawClient web(server_->port());
  web.send("GET /livez HTTP/1.1\nHost: x\n\n");
  const HttpAnswer answer = web.answer();
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.field("connection"), "close");
  EXPECT_EQ(answer.error_code(), "BAD_REQUEST");
  EXPECT_TRUE(web.ends());
}

TEST_F(AdminServer, KeepsConnectionsUntilItDrains) {
  RawClient web(server_->port());
  for (int i = 0; i < 2; ++i) {
    web.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(web.answer().status, 200);
  }
  server_->drain();
  EXPECT_TRUE(web.ends());
}

TEST_F(AdminServer, NamesTheSettingIfItsPortIsInUse) {
  http::ServerOptions options;
  options.section = "admin";
  options.port = server_->port();
  const auto second = http::Server::start_admin(options, {metrics_, readiness_, clock_, random_, log_});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("admin.port"), std::string::npos) << second.error().message;
}

}  // namespace
}  // namespace kbase::tests
