// SPDX-License-Identifier: Apache-2.0
// `kbase health`, as containers and scripts use it.
#include <gtest/gtest.h>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/scripted_http_server.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class HealthCommand : public testing::Test {
 protected:
  /// Runs `kbase health` with the configuration of the server on this port.
  Outcome check_health(std::uint16_t port, std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"health", "--set", port_setting(port)});
    return base_.run(arguments);
  }
  static std::string port_setting(std::uint16_t port) { return "server.port=" + std::to_string(port); }

  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file()};
  std::uint16_t port_ = free_port();
};

/// Runs `kbase health` with only the address of `server`.
Outcome check_server(const ScriptedHttpServer& server, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"health", "--url", server.url("/api/v1")});
  return run_kbase(std::move(arguments));
}

TEST_F(HealthCommand, FindsAHealthyServerByItsConfiguration) {
  const ServerProcess server = base_.serve({"--set", port_setting(port_)});
  const Outcome outcome = check_health(port_);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "healthy: database connected, cache connected, codehost disabled, llm disabled\n");
}

TEST_F(HealthCommand, FindsAServerThatListensOnEveryAddress) {
  for (const char* address : {"0.0.0.0", "::"}) {
    const std::vector<std::string> listening{"--set", std::string("server.address=\"") + address + "\""};
    std::vector<std::string> arguments = listening;
    arguments.insert(arguments.end(), {"--set", port_setting(port_)});
    const ServerProcess server = base_.serve(arguments);
    EXPECT_EQ(check_health(port_, listening).exit_code, 0) << address;
  }
}

TEST_F(HealthCommand, FindsAServerByTheAddressThatItPrinted) {
  const ServerProcess server = base_.serve();
  for (const std::string end : {"", "/"})
    EXPECT_EQ(run_kbase({"health", "--url", server.base_url() + end}).exit_code, 0) << end;
}

TEST_F(HealthCommand, PrintsTheResponseOfTheServerAsJson) {
  const ServerProcess server = base_.serve({"--set", port_setting(port_)});
  const Outcome outcome = check_health(port_, {"--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(json::parse(outcome.output)["status"], "healthy") << outcome.output;
  EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1) << "one line";
}

TEST_F(HealthCommand, AcceptsADegradedServer) {
  const std::string unused_url = "http://127.0.0.1:" + std::to_string(free_port());
  const ServerProcess server = base_.serve({"--set", port_setting(port_), "--set", "codehost.plugin=gitea", "--set",
                                            "codehost.config.base_url=" + unused_url});
  Outcome outcome;
  EXPECT_TRUE(eventually(kWithinFiveSeconds,
                         [&] {
                           outcome = check_health(port_);
                           return outcome.output.starts_with("degraded: ");
                         }))
      << outcome.output << outcome.errors;
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("codehost unavailable"), outcome.output.npos) << outcome.output;
}

TEST_F(HealthCommand, FailsIfTheServerIsUnhealthy) {
  const ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    peer.answer("503 Service Unavailable", R"({"status":"unhealthy","services":{"database":"disconnected"}})");
  });
  const Outcome outcome = check_server(server);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output, "unhealthy: database disconnected\n") << outcome.errors;
  EXPECT_EQ(server.received().front().target, "/api/v1/health");
  EXPECT_EQ(server.received().size(), 1U) << "a health check sends one request";
}

TEST_F(HealthCommand, FailsIfNoServerListens) {
  const Outcome outcome = check_health(port_);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.output.starts_with("unreachable: http://127.0.0.1:" + std::to_string(port_))) << outcome.output;
  const json report = json::parse(check_health(port_, {"--json"}).output);
  EXPECT_EQ(report["status"], "unreachable") << report;
  EXPECT_TRUE(report["message"].is_string()) << report;
}

TEST_F(HealthCommand, FailsIfAnotherProgramAnswers) {
  const ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "<html>"); });
  const Outcome outcome = check_server(server);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("not the health of a kbase server"), outcome.output.npos) << outcome.output;
}

TEST_F(HealthCommand, NamesTheBasePathIfItIsMissing) {
  const ServerProcess server = base_.serve({"--set", port_setting(port_)});
  const std::string address = "http://127.0.0.1:" + std::to_string(port_);
  for (const char* end : {"", "/"}) {
    const Outcome outcome = run_kbase({"health", "--url", address + end});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(
        outcome.output.ends_with("; append the server's server.base_path, for example " + address + "/api/v1\n"))
        << outcome.output;
  }
  const Outcome other_path = run_kbase({"health", "--url", address + "/api/v2"});
  EXPECT_EQ(other_path.output.find("append"), other_path.output.npos) << other_path.output;
}

TEST_F(HealthCommand, FailsIfTheServerHangs) {
  const ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.wait_until_left(); });
  const Outcome outcome = check_server(server, {"--timeout", "100ms"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.output.starts_with("unreachable: ")) << outcome.output;
}

TEST_F(HealthCommand, NamesTheRemedyIfThePortIsUnknown) {
  const Outcome outcome = check_health(0);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.errors.find("--url"), outcome.errors.npos) << outcome.errors;
}

TEST_F(HealthCommand, RejectsUnusableArguments) {
  for (const char* timeout : {"0s", "soon", "-1s"})
    EXPECT_EQ(check_health(port_, {std::string("--timeout=") + timeout}).exit_code, 2) << timeout;
  EXPECT_EQ(run_kbase({"health", "--url", "nonsense"}).exit_code, 2);
  EXPECT_EQ(base_.run({"health", "--url", "http://127.0.0.1/"}).exit_code, 2) << "with --config, too";
}

}  // namespace
}  // namespace kbase::tests
