// SPDX-License-Identifier: Apache-2.0
// GET /external/codehost/{username} with a fake code-hosting service. Manual: docs/guide/code-host-users.md.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scripted_http_server.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// Fake service: knows all users but "unknown" and answers conditional requests with 304. looked_up() returns the
/// requests without health checks.
class Service {
 public:
  std::string url() const { return server_.url(""); }
  void fail(bool fails) { fails_ = fails; }
  void freeze() { is_frozen_ = true; }

  std::vector<std::string> looked_up() const {
    std::vector<std::string> targets;
    for (const ReceivedRequest& request : server_.received())
      if (request.target != "/") targets.push_back(request.target + " " + request.field("if-none-match"));
    return targets;
  }

 private:
  void answer(const ReceivedRequest& request, Peer& peer) const {
    if (is_frozen_) return peer.wait_until_left();
    if (fails_) return peer.answer("500 Internal Server Error");
    if (request.target == "/") return peer.answer("200 OK");
    if (!request.field("if-none-match").empty()) return peer.answer("304 Not Modified");
    if (request.target == "/users/unknown") return peer.answer("404 Not Found");
    peer.answer("200 OK\r\nETag: \"7\"", "user " + request.target.substr(std::string("/users/").size()));
  }

  std::atomic<bool> fails_{false}, is_frozen_{false};
  ScriptedHttpServer server_{[this](const ReceivedRequest& request, Peer& peer) { answer(request, peer); }};
};

class CodeHost : public testing::Test {
 protected:
  /// Starts a server that uses the service and returns a client of it.
  Client served(std::vector<std::string> sets = {}) {
    server_.reset();  // a base has one server at a time
    server_.reset(new ServerProcess(base_.serve(arguments(std::move(sets)))));
    return Client(server_->base_url());
  }
  Outcome command(const std::string& name, std::vector<std::string> sets = {}) {
    return base_.run(words(name, std::move(sets)));
  }
  std::vector<std::string> words(const std::string& name, std::vector<std::string> sets = {}) {
    std::vector<std::string> all = {"external", "codehost", name};
    for (std::string& argument : arguments(std::move(sets))) all.push_back(std::move(argument));
    return all;
  }

  Service service_;
  KnowledgeBase base_{Storage::Memory};

 private:
  std::vector<std::string> arguments(std::vector<std::string> sets) const {
    sets.insert(sets.begin(), {"codehost.plugin=" KBASE_PLAIN_HOST, "codehost.config.base_url=" + service_.url(),
                               "codehost.config.token=hush-hush", "codehost.cold_per_minute_keyless=0"});
    std::vector<std::string> all;
    for (std::string& set : sets) {
      all.emplace_back("--set");
      all.push_back(std::move(set));
    }
    return all;
  }

  std::unique_ptr<ServerProcess> server_;
};

TEST_F(CodeHost, ReturnsAUserAndThenTheCachedAnswerWithItsAge) {
  Client web = served();
  const Response first = web.get("/external/codehost/ada");
  expect_common_fields(first);
  const json data = first.json()["data"];
  EXPECT_EQ(data["profile"]["username"], "ada");
  EXPECT_EQ(data["repositories"], json::array());
  EXPECT_FALSE(first.has("age"));
  EXPECT_EQ(first.field("cache-control"), "no-store");
  const Response again = web.get("/external/codehost/ada");
  EXPECT_EQ(again.body, first.body);
  EXPECT_TRUE(again.has("age"));
  EXPECT_EQ(service_.looked_up(), std::vector<std::string>{"/users/ada "});
}

TEST_F(CodeHost, RevalidatesAnOldAnswer) {
  Client web = served({"codehost.fresh_for=0s"});
  const Response first = web.get("/external/codehost/ada");
  const Response again = web.get("/external/codehost/ada");
  EXPECT_EQ(again.body, first.body);
  EXPECT_FALSE(again.has("age"));
  EXPECT_EQ(service_.looked_up(), (std::vector<std::string>{"/users/ada ", "/users/ada \"7\""}));
  service_.fail(true);
  const Response old = web.get("/external/codehost/ada");
  EXPECT_EQ(old.body, first.body) << "the cached answer is returned";
  EXPECT_TRUE(old.has("age"));
  EXPECT_GE(web.get("/external/codehost/bob").status, 502);
}

TEST_F(CodeHost, ReturnsNotFoundForAnUnknownUser) {
  Client web = served();
  for (int i = 0; i < 2; ++i) expect_error(web.get("/external/codehost/unknown"), 404, "NOT_FOUND");
  EXPECT_EQ(service_.looked_up().size(), 1u) << "an unknown user is not requested again at once";
  for (const char* name : {"..%2f..%2fadmin", "ADA", "a%20b", "%00"})
    expect_error(web.get(std::string("/external/codehost/") + name), 404, "NOT_FOUND");
  expect_error(web.get("/external/codehost/%ff"), 400, "INVALID_PARAMETER", "username");
  EXPECT_EQ(service_.looked_up().size(), 1u);
}

TEST_F(CodeHost, RequiresAKeyIfConfigured) {
  Client web = served({"codehost.require_key=true"});
  expect_error(web.get("/external/codehost/ada"), 401, "UNAUTHORIZED");
}

TEST_F(CodeHost, LimitsTheLookUpsOfAClientWithoutAKey) {
  Client web = served({"codehost.cold_per_minute_keyless=1"});
  EXPECT_EQ(web.get("/external/codehost/ada").status, 200);
  const Response refused = web.get("/external/codehost/bob");
  expect_error(refused, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(refused.number("retry-after"), 1);
  EXPECT_EQ(web.get("/external/codehost/ada").status, 200) << "cached answers are not counted";
}

TEST_F(CodeHost, AnswersInTimeWhileTheServiceIsFrozen) {
  Client web = served({"codehost.timeout=300ms"});
  EXPECT_EQ(web.get("/external/codehost/ada").status, 200);
  service_.freeze();
  const auto began = std::chrono::steady_clock::now();
  expect_error(web.get("/external/codehost/bob"), 504, "UPSTREAM_TIMEOUT");
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  EXPECT_EQ(web.get("/external/codehost/ada").status, 200);
}

TEST_F(CodeHost, IsAvailableOrUnavailableInHealth) {
  Client web = served();
  EXPECT_EQ(web.get("/health").json()["services"]["external_apis"]["codehost"], "available");
  service_.fail(true);
  Client other = served();
  EXPECT_TRUE(eventually(10s, [&] {
    const json health = other.get("/health").json();
    return health["services"]["external_apis"]["codehost"] == "unavailable" && health["status"] == "degraded";
  }));
}

TEST_F(CodeHost, AnswersOnTheCommandLine) {
  const Outcome shown = command("ada");
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_EQ(json::parse(shown.output)["profile"]["username"], "ada");
  const Outcome unknown = command("unknown");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_EQ(unknown.errors.find("kbase: There is no such user."), 0u) << unknown.errors;
  service_.fail(true);
  const Outcome failed = command("ada");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ((failed.output + failed.errors).find("hush-hush"), std::string::npos);
  EXPECT_EQ(command("ada", {"codehost.plugin=none"}).exit_code, 2);
}

TEST_F(CodeHost, ReportsThatItsOutputCouldNotBeWritten) {
  const std::string line = in_shell(base_.command(words("ada")));
  const Outcome lost =
      run_program({.command = {"/bin/sh", "-c", line + " > /dev/full"}, .environment = {}, .error_log = {}});
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_NE(lost.errors.find("kbase: cannot write to standard output"), std::string::npos) << lost.errors;
}

}  // namespace
}  // namespace kbase::tests
