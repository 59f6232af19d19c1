// SPDX-License-Identifier: Apache-2.0
// `kbase external`: for each user mistake, the error names the setting and the remedy.
#include <gmock/gmock.h>

#include "tests/e2e/external_base.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/scripted_http_server.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tls_identity.hpp"

namespace kbase::tests {
namespace {

using testing::HasSubstr;
using testing::Not;
using Sets = ExternalBase::Sets;

const char* const kModel = "llm.config.default_model=small-1";

Outcome run_external(std::vector<std::string> command, const Sets& sets) {
  command.insert(command.begin(), "external");
  for (std::string& argument : ExternalBase::arguments_of(sets)) command.push_back(std::move(argument));
  return run_kbase(command);
}

Outcome look_up(const Sets& sets) { return run_external({"codehost", "ada"}, sets); }

Outcome complete(const Sets& sets, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"llm", "--prompt", "Why?"});
  return run_external(std::move(options), sets);
}

void expect_error(const Outcome& outcome, int exit_code, std::initializer_list<const char*> parts) {
  EXPECT_EQ(outcome.exit_code, exit_code);
  EXPECT_EQ(outcome.output, "");
  for (const char* const part : parts) EXPECT_THAT(outcome.errors, HasSubstr(part));
}

std::string unused_url() { return "http://127.0.0.1:" + std::to_string(free_port()); }

TEST(ExternalCommand, ReportsThatNoServiceIsConfigured) {
  expect_error(look_up({}), 2, {"codehost.plugin=github"});
  expect_error(complete({}), 2, {"llm.plugin=ollama", "llm.config.default_model"});
  expect_error(complete({"llm.plugin=openai"}), 2, {"llm.config.default_model"});
}

TEST(ExternalCommand, NamesAnInvalidUrl) {
  expect_error(look_up({"codehost.plugin=gitea", "codehost.config.base_url=nonsense"}), 2,
               {"see codehost.config.base_url"});
  expect_error(complete({"llm.plugin=openai", kModel, "llm.config.base_url=nonsense"}), 2, {"see llm.config.base_url"});
}

TEST(ExternalCommand, NamesAnUnreachableAddressAndItsSetting) {
  const std::string url = unused_url();
  expect_error(look_up({"codehost.plugin=gitea", "codehost.config.base_url=" + url}), 1,
               {url.c_str(), "see codehost.config.base_url", "upstream.proxy"});
  expect_error(complete({"llm.plugin=openai", kModel, "llm.config.base_url=" + url}), 1,
               {url.c_str(), "see llm.config.base_url", "upstream.proxy"});
}

TEST(ExternalCommand, ReportsWhyACertificateIsInvalid) {
  const TlsIdentity identity("other.example");
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "{}"); }, identity);
  const TemporaryFolder folder;
  const Sets sets{"codehost.plugin=gitea", "codehost.config.base_url=" + server.url("")};
  expect_error(look_up(sets), 1, {"self-signed", "upstream.ca_file"});
  Sets trusting = sets;
  trusting.push_back("upstream.ca_file=" + identity.certificate_in(folder.path()));
  expect_error(look_up(trusting), 1, {"localhost", "must be a name in the certificate"});
}

TEST(ExternalCommand, ReportsAServerWithoutTls) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "{}"); });
  std::string url = server.url("");
  url.insert(4, "s");
  expect_error(look_up({"codehost.plugin=gitea", "codehost.config.base_url=" + url, "codehost.timeout=2s"}), 1,
               {url.c_str(), "see codehost.config.base_url"});
}

TEST(ExternalCommand, SuggestsARemedyIfAnotherKindOfServiceAnswers) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "<html>welcome</html>"); });
  expect_error(look_up({"codehost.plugin=gitea", "codehost.config.base_url=" + server.url("")}), 1,
               {"see codehost.config.base_url", "codehost.plugin"});
  expect_error(complete({"llm.plugin=openai", kModel, "llm.config.base_url=" + server.url("")}), 1,
               {"see llm.config.base_url", "llm.plugin"});
}

TEST(ExternalCommand, NamesTheSettingOfARejectedSecretAndNeverShowsIt) {
  ScriptedHttpServer server([](const ReceivedRequest& request, Peer& peer) {
    peer.answer("401 Unauthorized",
                R"({"error":{"message":"no such key: )" + request.field("authorization") + R"("}})");
  });
  const Outcome host = look_up(
      {"codehost.plugin=gitea", "codehost.config.base_url=" + server.url(""), "codehost.config.token=hush-hush"});
  expect_error(host, 1, {"codehost.config.token"});
  EXPECT_THAT(host.errors, Not(HasSubstr("hush-hush")));
  const Outcome model =
      complete({"llm.plugin=openai", kModel, "llm.config.base_url=" + server.url(""), "llm.config.api_key=hush-hush"});
  expect_error(model, 1, {"set llm.config.api_key"});
  EXPECT_THAT(model.errors, Not(HasSubstr("hush-hush")));
}

TEST(ExternalCommand, ExplainsHowToSelectAnotherModel) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    peer.answer("404 Not Found", R"({"error":"model 'small-1' not found"})");
  });
  expect_error(complete({"llm.plugin=ollama", kModel, "llm.config.base_url=" + server.url("")}), 2,
               {"--model", "llm.config.default_model"});
}

TEST(ExternalCommand, NamesAnOptionWithAnInvalidValue) {
  const Sets sets{"llm.plugin=openai", kModel, "llm.config.base_url=" + unused_url()};
  expect_error(complete(sets, {"--max-tokens", "0"}), 2, {"--max-tokens"});
  expect_error(complete(sets, {"--max-tokens", "1000000"}), 2, {"llm.max_tokens"});
  expect_error(complete(sets, {"--temperature", "3"}), 2, {"--temperature"});
}

TEST(ExternalCommand, ReportsThatTheServiceWasTooSlow) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.wait_until_left(); });
  expect_error(
      look_up({"codehost.plugin=gitea", "codehost.config.base_url=" + server.url(""), "codehost.timeout=300ms"}), 1,
      {"the time limit is codehost.timeout"});
  expect_error(complete({"llm.plugin=openai", kModel, "llm.config.base_url=" + server.url(""), "llm.timeout=300ms"}), 1,
               {"the time limit is llm.timeout"});
}

}  // namespace
}  // namespace kbase::tests
