// SPDX-License-Identifier: Apache-2.0
// GET /external/codehost/{username} through the GitHub plugin. Manual: docs/guide/code-host-users.md.
#include <gtest/gtest.h>

#include <ctime>
#include <memory>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/e2e/metrics.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/fake_service.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

constexpr const char* kMona = "/external/codehost/mona";

json repository(const std::string& name, const json& more) {
  json repository{{"name", name},      {"full_name", "mona/" + name},
                  {"private", false},  {"html_url", "https://g.example/mona/" + name},
                  {"language", "C++"}, {"updated_at", "2026-03-01T00:00:00Z"}};
  repository.update(more);
  return repository;
}

class GithubTest : public testing::Test {
 protected:
  GithubTest() {
    service_.answer("/rate_limit", "{}");
    service_.answer("/users/mona", {200, {"ETag: W/\"u1\""}, R"({"login": "Mona", "name": "Mona \"Lisa\" \u00fc",
      "bio": null, "blog": "", "company": "@github", "location": "Paris", "avatar_url": "https://a.example/1",
      "html_url": "https://g.example/mona", "followers": 7, "following": 0, "public_repos": 2,
      "created_at": "2011-01-25T18:44:36Z"})"});
    show({repository("old", {{"fork", true}, {"archived", true}, {"updated_at", "2020-01-01T00:00:00Z"}}),
          repository("new", {{"fork", false},
                             {"stargazers_count", 5},
                             {"forks_count", 1},
                             {"description", "A thing"},
                             {"topics", {"a", "b"}},
                             {"created_at", "2019-01-01T00:00:00Z"}}),
          repository("hidden", {{"private", true}}), repository("inside", {{"visibility", "internal"}})});
    service_.answer("/repos/mona/old/languages", R"({"C++": 100, "Shell": 100})");
    service_.answer("/repos/mona/new/languages", R"({"C++": 500, "Python": 300})");
    service_.answer("/graphql", R"({"data": {"user": {"contributionsCollection": {"contributionCalendar": {"weeks": [
      {"contributionDays": [{"date": "2026-03-12", "contributionCount": 3},
                            {"date": "2026-03-13", "contributionCount": 0},
                            {"date": "2026-03-14", "contributionCount": 4}]}]}}}}})");
  }

  void show(const json& repositories) {
    service_.answer("/users/mona/repos?per_page=100&sort=updated&type=owner",
                    {200, {"ETag: W/\"r1\""}, repositories.dump()});
  }
  void limit_rate() {
    const std::string reset = std::to_string(std::time(nullptr) + 60);
    for (const char* target : {"/users/mona", "/users/lisa"})
      service_.answer(target, {403, {"X-RateLimit-Remaining: 0", "X-RateLimit-Reset: " + reset}, "{}"});
  }

  Client serve(std::vector<std::string> settings = {}) {
    settings.insert(settings.begin(), {"codehost.plugin=github", "codehost.config.base_url=" + service_.url(),
                                       "codehost.config.token=hush-hush", "codehost.cold_per_minute_keyless=0"});
    std::vector<std::string> arguments;
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    server_.reset();
    server_.reset(new ServerProcess(base_.serve(arguments)));
    return Client(server_->base_url());
  }

  const std::string& url() const { return server_->base_url(); }

  FakeService service_;
  KnowledgeBase base_{Storage::Memory};

 private:
  std::unique_ptr<ServerProcess> server_;
};

TEST_F(GithubTest, ReturnsEveryPublicMemberOfAUser) {
  Client web = serve();
  const Response response = web.get(kMona);
  expect_common_fields(response);
  EXPECT_EQ(response.status, 200) << response.body;
  const json expected{{"success", true},
                      {"data",
                       {{"profile",
                         {{"username", "Mona"},
                          {"name", "Mona \"Lisa\" ü"},
                          {"bio", nullptr},
                          {"company", "@github"},
                          {"location", "Paris"},
                          {"website", nullptr},
                          {"avatar_url", "https://a.example/1"},
                          {"profile_url", "https://g.example/mona"},
                          {"followers", 7},
                          {"following", 0},
                          {"public_repositories", 2},
                          {"created", "2011-01-25T18:44:36Z"}}},
                        {"repositories",
                         {{{"name", "new"},
                           {"full_name", "mona/new"},
                           {"description", "A thing"},
                           {"url", "https://g.example/mona/new"},
                           {"language", "C++"},
                           {"topics", {"a", "b"}},
                           {"stars", 5},
                           {"forks", 1},
                           {"fork", false},
                           {"archived", nullptr},
                           {"created", "2019-01-01T00:00:00Z"},
                           {"updated", "2026-03-01T00:00:00Z"}},
                          {{"name", "old"},
                           {"full_name", "mona/old"},
                           {"description", nullptr},
                           {"url", "https://g.example/mona/old"},
                           {"language", "C++"},
                           {"topics", nullptr},
                           {"stars", nullptr},
                           {"forks", nullptr},
                           {"fork", true},
                           {"archived", true},
                           {"created", nullptr},
                           {"updated", "2020-01-01T00:00:00Z"}}}},
                        {"contributions",
                         {{"total", 7},
                          {"period", {{"from", "2026-03-12"}, {"to", "2026-03-14"}}},
                          {"daily", {{"2026-03-12", 3}, {"2026-03-14", 4}}},
                          {"source", "GitHub's contribution calendar"}}},
                        {"languages", {{"C++", 0.6}, {"Python", 0.3}, {"Shell", 0.1}}}}}};
  EXPECT_EQ(response.json(), expected) << json::diff(expected, response.json());
  EXPECT_TRUE(service_.received("hidden").empty());
  EXPECT_TRUE(service_.received("inside").empty());
}

TEST_F(GithubTest, AnswersLikeEveryEndpoint) {
  json many = json::array();
  for (int i = 0; i < 20; ++i) many.push_back(repository("r" + std::to_string(i), {{"language", nullptr}}));
  show(many);
  Client web = serve();
  const Response first = web.get(kMona);
  EXPECT_EQ(first.field("cache-control"), "no-store");
  EXPECT_FALSE(first.has("etag"));
  EXPECT_EQ(web.get(kMona, {"If-None-Match: *", "Range: bytes=0-3", "Accept: text/html"}).status, 200);
  EXPECT_EQ(web.get("/external/codehost/m%6Fna/?unknown=1").body, first.body);
  const Response head = web.head(kMona);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.number("content-length"), static_cast<long long>(first.body.size()));
  const Response packed =
      web.send({.target = kMona, .fields = {}, .body = {}, .accepts_gzip = true, .whole_target = {}});
  EXPECT_EQ(packed.field("content-encoding"), "gzip");
  EXPECT_NE(packed.field("vary").find("Accept-Encoding"), std::string::npos);
  EXPECT_EQ(packed.body, first.body);
  for (const char* method : {"POST", "PUT", "DELETE", "TRACE"}) {
    const Response other = web.send({.method = method, .target = kMona, .fields = {}, .body = {}, .whole_target = {}});
    expect_error(other, 405, "METHOD_NOT_ALLOWED");
    EXPECT_EQ(other.field("allow"), "GET, HEAD, OPTIONS");
  }
  const Response preflight = web.send({.method = "OPTIONS",
                                       .target = kMona,
                                       .fields = {"Origin: https://example.org", "Access-Control-Request-Method: GET"},
                                       .body = {},
                                       .whole_target = {}});
  EXPECT_EQ(preflight.status, 204);
  EXPECT_NE(preflight.field("access-control-allow-methods").find("GET"), std::string::npos);
  EXPECT_EQ(service_.received("/users/mona").size(), 2u) << "one lookup was enough for all of them";
}

TEST_F(GithubTest, RevalidatesAnswersWithoutUseOfItsRateLimit) {
  Client web = serve({"codehost.fresh_for=0s", "admin.port=0"});
  const Response first = web.get(kMona);
  service_.forget_calls();
  const Response confirmed = web.get(kMona);
  EXPECT_EQ(confirmed.body, first.body);
  EXPECT_FALSE(confirmed.has("age"));
  EXPECT_EQ(service_.received("/users/mona").back().field("if-none-match").substr(0, 2), "W/");
  limit_rate();
  const Response old = web.get(kMona);
  EXPECT_EQ(old.body, first.body);
  EXPECT_TRUE(old.has("age"));
  const Response refused = web.get("/external/codehost/lisa");
  expect_error(refused, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(refused.number("retry-after"), 50);
  EXPECT_LE(refused.number("retry-after"), 60);
  expect_error(web.get("/external/codehost/-no-name-"), 404, "NOT_FOUND");

  const std::string text = Client(admin_url(base_)).get("/metrics").body;
  for (const char* outcome : {"fetched", "confirmed", "stale", "failed", "unknown"})
    EXPECT_EQ(value_of(text, std::string("kbase_codehost_look_ups_total{outcome=\"") + outcome + "\"}"), 1) << outcome;
}

TEST_F(GithubTest, CountsCachedAndRejectedLookUps) {
  Client web = serve({"codehost.cold_per_minute=1", "admin.port=0"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(web.get(kMona).status, 200);
  const Response refused = web.get("/external/codehost/lisa");
  expect_error(refused, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(refused.number("retry-after"), 1);
  const std::string text = Client(admin_url(base_)).get("/metrics").body;
  EXPECT_EQ(value_of(text, R"(kbase_codehost_look_ups_total{outcome="fetched"})"), 1) << text;
  EXPECT_EQ(value_of(text, R"(kbase_codehost_look_ups_total{outcome="cached"})"), 2);
  EXPECT_EQ(value_of(text, R"(kbase_codehost_look_ups_total{outcome="refused"})"), 1);
}

TEST_F(GithubTest, LooksUpOnlyForKeysWithTheScope) {
  Client keyless = serve({"codehost.require_key=true"});
  const Response none = keyless.get(kMona);
  expect_error(none, 401, "UNAUTHORIZED");
  EXPECT_EQ(none.field("www-authenticate"), "Bearer");
  expect_error(Client(url(), base_.create_key("developer", {"--scopes", "read,llm"}).text).get(kMona), 403,
               "FORBIDDEN");
  EXPECT_TRUE(service_.received("/users").empty());
  EXPECT_EQ(Client(url(), base_.create_key("developer", {"--scopes", "codehost"}).text).get(kMona).status, 200);
  expect_error(keyless.get(kMona), 401, "UNAUTHORIZED");
}

TEST_F(GithubTest, CountsEveryLookUpAgainstTheLimitOfRequests) {
  Client web = serve({"plans.public.per_minute=3"});
  EXPECT_EQ(web.get(kMona).number("x-ratelimit-remaining"), 2);
  EXPECT_EQ(web.get(kMona).number("x-ratelimit-remaining"), 1);
  EXPECT_EQ(web.get("/external/codehost/unknown").number("x-ratelimit-remaining"), 0);
  const Response limited = web.get(kMona);
  expect_error(limited, 429, "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(limited.json()["error"]["details"]["limit"], 3);
}

struct Failure {
  Canned canned;
  long status;
  const char* code;
};

TEST_F(GithubTest, ReportsFailures) {
  Client web = serve();
  int user = 0;
  for (const Failure& failure :
       {Failure{{401, {}, R"({"message": "Bad credentials: hush-hush"})"}, 502, "UPSTREAM_ERROR"},
        Failure{{422, {}, "{}"}, 502, "UPSTREAM_ERROR"},
        Failure{{200, {}, "<html>hush-hush</html>"}, 502, "UPSTREAM_ERROR"},
        Failure{{301, {"Location: http://127.0.0.1:1/hush-hush"}, {}}, 502, "UPSTREAM_ERROR"},
        Failure{{404, {}, "{}"}, 404, "NOT_FOUND"},
        Failure{{429, {"Retry-After: 9"}, "{}"}, 503, "SERVICE_UNAVAILABLE"}}) {
    const std::string name = "user" + std::to_string(++user);
    service_.answer("/users/" + name, failure.canned);
    const Response response = web.get("/external/codehost/" + name);
    expect_error(response, failure.status, failure.code);
    EXPECT_EQ(response.has("retry-after"), failure.status == 503);
    EXPECT_EQ(response.body.find("hush"), std::string::npos) << response.body;
  }
}

TEST_F(GithubTest, IsUnavailableIfTheServiceIsGone) {
  Client web = serve({"codehost.config.base_url=http://127.0.0.1:1"});
  const Response response = web.get(kMona);
  expect_error(response, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(response.number("retry-after"), 1);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] {
    return web.get("/health").json()["services"]["external_apis"]["codehost"] == "unavailable";
  }));
}

}  // namespace
}  // namespace kbase::tests
