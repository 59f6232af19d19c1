// SPDX-License-Identifier: Apache-2.0
// Access log: content of request log lines and client names. Manual: docs/operations/logs.md and config-logging.md.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <sstream>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/text_file.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view kLoopback = "address:127.0.0.1";

/// Computes the log name of "key:ID" or "address:ADDRESS" with the recipe of docs/operations/logs.md.
std::string log_name(std::string_view secret, std::string_view whom) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned char code[EVP_MAX_MD_SIZE];
  EVP_Digest(whom.data(), whom.size(), hash, nullptr, EVP_sha256(), nullptr);
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), hash, 16, code, nullptr);
  std::ostringstream digits;
  digits << std::hex;
  for (int i = 0; i < 8; ++i) digits << (code[i] >> 4) << (code[i] & 15);
  return digits.str();
}

class AccessLogTest : public testing::Test {
 protected:
  /// Requests `target` once, stops the server and returns its log line about the request.
  json line_of(std::vector<std::string> arguments = {}, const std::string& key = {},
               const std::string& target = "/item/none?secret=value") {
    ServerProcess server = base_.serve(std::move(arguments));
    Client web(server.base_url(), key);
    web.get(target, {"X-Request-Id: this-one"});
    EXPECT_EQ(server.stop(), 0);
    std::istringstream lines(base_.log());
    json found;
    for (std::string line; std::getline(lines, line);)
      if (json parsed = json::parse(line, nullptr, false); parsed.value("request_id", "") == "this-one") found = parsed;
    EXPECT_TRUE(found.is_object()) << base_.log();
    return found;
  }

  std::string secret() const { return text_of(base_.folder() / "data" / "log.secret"); }

  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file()};
};

TEST_F(AccessLogTest, LogsTheRequestAndTheResponse) {
  const json line = line_of();
  EXPECT_EQ(line.at("event"), "http.request");
  EXPECT_EQ(line.at("method"), "GET");
  EXPECT_EQ(line.at("route"), "/item/{id}");
  EXPECT_EQ(line.at("status"), 404);
  EXPECT_GT(line.at("bytes"), 0);
  EXPECT_TRUE(line.at("microseconds").is_number_unsigned());
  EXPECT_FALSE(line.contains("client"));
}

TEST_F(AccessLogTest, IdentifiesClientsByAKeyedHashThatSurvivesRestarts) {
  const json first = line_of();
  ASSERT_EQ(secret().size(), 32u);
  EXPECT_EQ(first.at("client_id"), log_name(secret(), kLoopback));
  EXPECT_EQ(line_of().at("client_id"), first.at("client_id"));
  EXPECT_EQ(fs::status(base_.folder() / "data" / "log.secret").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AccessLogTest, IdentifiesAKeyTheSameWayAndNeverShowsIt) {
  const KnowledgeBase::Key key = base_.create_key("developer");
  const json line = line_of({}, key.text);
  EXPECT_EQ(line.at("client_id"), log_name(secret(), "key:" + key.id));
  for (const std::string& hidden : {key.text, std::string("secret=value"), std::string("127.0.0.1")})
    EXPECT_EQ(base_.log().find(hidden), std::string::npos) << base_.log();
}

TEST_F(AccessLogTest, ReadsItsSecretFromAFile) {
  const auto file = base_.write("pepper", "a secret of the operator\n");
  const json line = line_of({"--set", "logging.secret=file:" + file.string()});
  EXPECT_EQ(line.at("client_id"), log_name("a secret of the operator", kLoopback));
  EXPECT_FALSE(fs::exists(base_.folder() / "data" / "log.secret"));
}

TEST_F(AccessLogTest, ShowsAnAddressAsConfigured) {
  EXPECT_EQ(line_of({"--set", "logging.client_address=prefix"}).at("client"), "127.0.0.0/24");
  EXPECT_EQ(line_of({"--set", "logging.client_address=full"}).at("client"), "127.0.0.1");
  const json none = line_of({"--set", "logging.client_address=none"});
  EXPECT_FALSE(none.contains("client"));
  EXPECT_FALSE(none.contains("client_id"));
  const KnowledgeBase::Key key = base_.create_key("developer");
  EXPECT_TRUE(line_of({"--set", "logging.client_address=none"}, key.text).contains("client_id"));
}

TEST_F(AccessLogTest, StopsTheStartIfItsSecretIsIncomplete) {
  base_.write("data/log.secret", "cut");
  const Outcome outcome = base_.run({"serve"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find("log.secret"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace kbase::tests
