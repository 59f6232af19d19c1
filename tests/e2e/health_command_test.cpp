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
  Outcome ask(std::uint16_t port, std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"health", "--set", port_setting(port)});
    return base_.run(arguments);
  }
  static std::string port_setting(std::uint16_t port) { return "server.port=" + std::to_string(port); }

  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file()};
  std::uint16_t port_ = free_port();
};

/// Runs `kbase health` with only the address of `server`.
Outcome ask_at(const ScriptedHttpServer& server, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"health", "--url", server.url("/api/v1")});
  return run_kbase(std::move(arguments));
}

TEST_F(HealthCommand, FindsAHealthyServerByItsConfiguration) {
  const ServerProcess server = base_.serve({"--set", port_setting(port_)});
  const Outcome outcome = ask(port_);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "healthy: database connected, cache connected, codehost disabled, llm disabled\n");
}

TEST_F(HealthCommand, FindsAServerThatListensOnEveryAddress) {
  for (const char* address : {"0.0.0.0", "::"}) {
    const std::vector<std::string> listening{"--set", std::string("server.address=\"") + address + "\""};
    std::vector<std::string> arguments = listening;
    arguments.insert(arguments.end(), {"--set", port_setting(port_)});
    const ServerProcess server = base_.serve(arguments);
    EXPECT_EQ(ask(port_, listening).exit_code, 0) << address;
  }
}

TEST_F(HealthCommand, FindsAServerByTheAddressThatItPrinted) {
  const ServerProcess server = base_.serve();
  for (const std::string end : {"", "/"})
    EXPECT_EQ(run_kbase({"health", "--url", server.base_url() + end}).exit_code, 0) << end;
}

TEST_F(HealthCommand, PrintsWhatTheServerSaysAsJson) {
  const ServerProcess server = base_.serve({"--set", port_setting(port_)});
  const Outcome outcome = ask(port_, {"--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(json::parse(outcome.output)["status"], "healthy") << outcome.output;
  EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1) << "one line";
}

TEST_F(HealthCommand, TakesADegradedServerForOneThatServes) {
  const std::string nobody = "http://127.0.0.1:" + std::to_string(free_port());
  const ServerProcess server = base_.serve(
      {"--set", port_setting(port_), "--set", "codehost.plugin=gitea", "--set", "codehost.config.base_url=" + nobody});
  Outcome outcome;
  EXPECT_TRUE(eventually(kWithinFiveSeconds,
                         [&] {
                           outcome = ask(port_);
                           return outcome.output.starts_with("degraded: ");
                         }))
      << outcome.output << outcome.errors;
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("codehost unavailable"), outcome.output.npos) << outcome.output;
}

TEST_F(HealthCommand, FailsWhereTheServerIsUnhealthy) {
  const ScriptedHttpServer server([](const HeardRequest&, Peer& peer) {
    peer.answer("503 Service Unavailable", R"({"status":"unhealthy","services":{"database":"disconnected"}})");
  });
  const Outcome outcome = ask_at(server);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output, "unhealthy: database disconnected\n") << outcome.errors;
  EXPECT_EQ(server.heard().front().target, "/api/v1/health");
  EXPECT_EQ(server.heard().size(), 1U) << "a probe asks once";
}

TEST_F(HealthCommand, FailsWhereNobodyListens) {
  const Outcome outcome = ask(port_);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.output.starts_with("unreachable: http://127.0.0.1:" + std::to_string(port_))) << outcome.output;
  const json told = json::parse(ask(port_, {"--json"}).output);
  EXPECT_EQ(told["status"], "unreachable") << told;
  EXPECT_TRUE(told["message"].is_string()) << told;
}

TEST_F(HealthCommand, FailsWhereSomethingElseAnswers) {
  const ScriptedHttpServer server([](const HeardRequest&, Peer& peer) { peer.answer("200 OK", "<html>"); });
  const Outcome outcome = ask_at(server);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("not the health of a kbase server"), outcome.output.npos) << outcome.output;
}

TEST_F(HealthCommand, NamesTheBasePathWhereItIsMissing) {
  const ServerProcess server = base_.serve({"--set", port_setting(port_)});
  const std::string address = "http://127.0.0.1:" + std::to_string(port_);
  for (const char* end : {"", "/"}) {
    const Outcome outcome = run_kbase({"health", "--url", address + end});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(
        outcome.output.ends_with("; append the server's server.base_path, for example " + address + "/api/v1\n"))
        << outcome.output;
  }
  const Outcome elsewhere = run_kbase({"health", "--url", address + "/api/v2"});
  EXPECT_EQ(elsewhere.output.find("append"), elsewhere.output.npos) << elsewhere.output;
}

TEST_F(HealthCommand, FailsWhereTheServerHangs) {
  const ScriptedHttpServer server([](const HeardRequest&, Peer& peer) { peer.wait_until_left(); });
  const Outcome outcome = ask_at(server, {"--timeout", "100ms"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.output.starts_with("unreachable: ")) << outcome.output;
}

TEST_F(HealthCommand, NamesTheWayOutWhereItCannotKnowThePort) {
  const Outcome outcome = ask(0);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.errors.find("--url"), outcome.errors.npos) << outcome.errors;
}

TEST_F(HealthCommand, RefusesWhatItCannotUse) {
  for (const char* timeout : {"0s", "soon", "-1s"})
    EXPECT_EQ(ask(port_, {std::string("--timeout=") + timeout}).exit_code, 2) << timeout;
  EXPECT_EQ(run_kbase({"health", "--url", "nonsense"}).exit_code, 2);
  EXPECT_EQ(base_.run({"health", "--url", "http://127.0.0.1/"}).exit_code, 2) << "with --config, too";
}

}  // namespace
}  // namespace kbase::tests
