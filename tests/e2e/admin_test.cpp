// SPDX-License-Identifier: Apache-2.0
// Admin listener, tested with the whole program. Manual: docs/operations/config-admin.md.
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/half_request.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/e2e/metrics.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class AdminTest : public testing::Test {
 protected:
  std::string admin_url() const { return tests::admin_url(base_); }

  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file()};
};

TEST_F(AdminTest, IsAbsentUnlessItsPortIsSet) {
  ServerProcess server = base_.serve();
  EXPECT_EQ(Client(server.base_url()).send({.target = {}, .fields = {}, .body = {}, .whole_target = "/metrics"}).status,
            404);
  EXPECT_EQ(server.stop(), 0);
  EXPECT_EQ(base_.log().find("admin."), std::string::npos) << base_.log();
}

TEST_F(AdminTest, CountsTheRequestsOfTheApi) {
  const ServerProcess server = base_.serve({"--set", "admin.port=0"});
  Client web(server.base_url());
  for (int i = 0; i < 3; ++i) expect_data(web.get("/categories"));
  web.get("/item/there-is-none");
  web.get("/nowhere");
  Client admin(admin_url());
  const std::string text = admin.get("/metrics").body;
  EXPECT_EQ(value_of(text, R"(kbase_http_requests_total{route="/categories",status="200"})"), 3) << text;
  EXPECT_EQ(value_of(text, R"(kbase_http_requests_total{route="/item/{id}",status="404"})"), 1);
  EXPECT_EQ(value_of(text, R"(kbase_http_requests_total{route="-",status="404"})"), 1);
  EXPECT_EQ(value_of(text, R"(kbase_http_request_duration_seconds_count{route="/categories"})"), 3);
  EXPECT_EQ(value_of(text, "kbase_http_open_connections"), 1);
  EXPECT_EQ(value_of(text, "kbase_http_requests_in_flight"), 0);
  EXPECT_GT(value_of(text, "kbase_http_response_bytes_total"), 0);
  EXPECT_EQ(value_of(text, R"(kbase_service_up{service="storage"})"), 1);
  for (const char* const off : {"rate_limit", "codehost", "llm"})
    EXPECT_EQ(text.find("kbase_service_up{service=\"" + std::string(off)), std::string::npos) << off;
  EXPECT_EQ(value_of(text, "kbase_index_lag_revisions"), 0);
  EXPECT_GT(value_of(text, R"(kbase_pool_threads{pool="work"})"), 0);
  EXPECT_GT(value_of(text, "process_resident_memory_bytes"), 0);
  EXPECT_TRUE(std::regex_search(text, std::regex(R"(kbase_build_info\{version="1\.1\.0",[^}]*\} 1)")));
}

TEST_F(AdminTest, CountsRequestsThatTheQuotaDenies) {
  const ServerProcess server =
      base_.serve({"--set", "admin.port=0", "--set", "plans.public={per_minute: 2, per_day: 0}"});
  Client web(server.base_url());
  for (int i = 0; i < 5; ++i) web.get("/categories");
  const std::string text = Client(admin_url()).get("/metrics").body;
  EXPECT_EQ(value_of(text, R"(kbase_quota_denials_total{client="address",window="minute"})"), 3) << text;
  EXPECT_EQ(value_of(text, R"(kbase_quota_denials_total{client="key",window="minute"})"), 0);
}

TEST_F(AdminTest, AnswersHealthChecks) {
  const ServerProcess server = base_.serve({"--set", "admin.port=0"});
  Client admin(admin_url());
  EXPECT_EQ(admin.get("/livez").status, 200);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return admin.get("/readyz").status == 200; }));
}

TEST_F(AdminTest, IsNotReadyButAliveWhileTheServerDrains) {
  ServerProcess server = base_.serve({"--set", "admin.port=0", "--set", "server.drain_timeout=10s"});
  Client admin(admin_url());
  Client web(server.base_url());
  // An incomplete request keeps the server from exiting immediately.
  HalfRequest half(server.base_url());
  server.send_signal(SIGTERM);
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return admin.get("/readyz").status == 503; }));
  EXPECT_EQ(admin.get("/livez").status, 200);
  EXPECT_EQ(admin.get("/readyz").json()["obstacles"], json::array({"the server is stopping"}));
  half.finish();
  EXPECT_EQ(server.wait(std::chrono::seconds(15)), 0) << base_.log();
}

TEST_F(AdminTest, AnswersWhileTheServerIsOverloaded) {
  const ServerProcess server = base_.serve({"--set", "admin.port=0", "--set", "server.max_connections=1"});
  Client web(server.base_url());
  expect_data(web.get("/categories"));
  EXPECT_EQ(Client(server.base_url()).get("/categories").status, 503);
  const std::string text = Client(admin_url()).get("/metrics").body;
  EXPECT_EQ(value_of(text, "kbase_http_refused_connections_total"), 1) << text;
  EXPECT_EQ(value_of(text, R"(kbase_http_requests_total{route="/categories",status="503"})"), 1);
}

TEST_F(AdminTest, StopsTheStartIfItsPortIsInUse) {
  const ServerProcess server = base_.serve({"--set", "admin.port=0"});
  const std::string url = admin_url();
  const KnowledgeBase other(Storage::Sqlite);
  const Outcome second = other.run({"serve", "--set", "admin.port=" + url.substr(url.rfind(':') + 1)});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.errors.find("admin.port"), std::string::npos) << second.errors;
}

}  // namespace
}  // namespace kbase::tests
