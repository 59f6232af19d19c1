// SPDX-License-Identifier: Apache-2.0
// `kbase keys` and API keys of requests. Manual: docs/operations/managing-keys.md and docs/guide/api-keys.md.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <zlib.h>

#include <regex>
#include <set>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

constexpr std::string_view kBase62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns the six characters that end a key with these 32 characters.
std::string checksum_of(std::string_view digits) {
  unsigned long crc = crc32(0, reinterpret_cast<const Bytef*>(digits.data()), static_cast<uInt>(digits.size()));
  std::string text(6, '0');
  for (std::size_t i = 6; i-- > 0; crc /= 62) text[i] = kBase62[crc % 62];
  return text;
}

class KeysTest : public ChangingTest {
 protected:
  /// Server whose store can receive keys while it serves.
  ServedBase served_{GetParam()};

  long status_with(const std::string& key) { return served_.client(key).get("/categories").status; }

  /// Whether a request with the key gets `status` within the five seconds of docs/operations/managing-keys.md.
  bool eventually_returns(const std::string& key, long status) {
    Client web = served_.client(key);
    return eventually(kWithinFiveSeconds,
                      [&] { return web.get("/health").status == 200 && status_with(key) == status; });
  }

  json listed() {
    const Outcome outcome = served_.base().run({"keys", "list", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return json::parse(outcome.output, nullptr, false);
  }
};

INSTANTIATE_TEST_SUITE_P(Storage, KeysTest, every_storage(), name_of);

TEST_P(KeysTest, HaveAChecksumThatDetectsTypos) {
  std::set<std::string> keys;
  for (int i = 0; i < 5; ++i) {
    const std::string key = served_.base().create_key("developer").text;
    EXPECT_TRUE(std::regex_match(key, std::regex("kb_[0-9A-Za-z]{38}"))) << key;
    EXPECT_EQ(key.substr(35), checksum_of(key.substr(3, 32)));
    EXPECT_TRUE(keys.insert(key).second);
  }
}

TEST_P(KeysTest, AreAcceptedAtOnceInAnyCaseOfTheScheme) {
  const std::string key = served_.base().create_key("premium").text;
  Client web = served_.client();
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER "}) {
    const Response response = web.get("/categories", {"Authorization: " + (scheme + key)});
    expect_data(response);
    EXPECT_EQ(response.number("x-ratelimit-limit"), 300);
  }
}

TEST_P(KeysTest, AreRejectedUnlessValid) {
  const std::string key = served_.base().create_key("developer").text;
  std::string typo = key;
  typo[10] = typo[10] == 'x' ? 'y' : 'x';
  const std::string unknown = "kb_" + std::string(32, 'A') + checksum_of(std::string(32, 'A'));
  Client web = served_.client();
  for (const std::string& value : {"Bearer " + typo, "Bearer " + unknown, std::string("Bearer nonsense"),
                                   std::string("Basic YTpi"), std::string("Bearer"), key, "Token " + key})
    for (const char* path : {"/categories", "/item/earth", "/search?q=lantern", "/no-such"}) {
      SCOPED_TRACE(value.substr(0, 12) + path);
      const Response response = web.get(path, {"Authorization: " + value});
      expect_error(response, 401, "UNAUTHORIZED");
      EXPECT_TRUE(response.field("www-authenticate").starts_with("Bearer")) << response.field("www-authenticate");
    }
}

TEST_P(KeysTest, AreListedWithoutTheirText) {
  const auto first = served_.base().create_key("developer");
  const auto second = served_.base().create_key("premium");
  const json list = listed();
  ASSERT_EQ(list.size(), 2U) << list;
  std::set<std::string> ids;
  for (const json& key : list) {
    ids.insert(key.at("id").get<std::string>());
    EXPECT_EQ(key.at("name"), "tester");
    EXPECT_EQ(key.at("plan"), key["id"] == first.id ? "developer" : "premium");
  }
  EXPECT_EQ(ids, (std::set<std::string>{first.id, second.id}));
  EXPECT_EQ(list.dump().find(first.text), std::string::npos);
  const Outcome table = served_.base().run({"keys", "list"});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_TRUE(std::regex_search(table.output, std::regex("^key +state +plan +expires +last used +name\n")))
      << table.output;
  EXPECT_NE(table.output.find(first.id), std::string::npos) << table.output;
}

TEST_P(KeysTest, AreRejectedAfterTheirRevocation) {
  const auto key = served_.base().create_key("developer");
  EXPECT_EQ(status_with(key.text), 200);
  const Outcome revoked = served_.base().run({"keys", "revoke", key.id});
  EXPECT_EQ(revoked.exit_code, 0) << revoked.errors;
  EXPECT_TRUE(eventually_returns(key.text, 401));
}

TEST_P(KeysTest, AreRotatedWithOrWithoutAGracePeriod) {
  const auto key = served_.base().create_key("developer");
  const Outcome graceful = served_.base().run({"keys", "rotate", key.id, "--grace", "24h"});
  EXPECT_EQ(graceful.exit_code, 0) << graceful.errors;
  EXPECT_EQ(status_with(key.text), 200);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(graceful.output, found, std::regex("kb_[0-9A-Za-z]{38}"))) << graceful.output;
  const std::string second = found.str();
  EXPECT_NE(second, key.text);
  EXPECT_EQ(status_with(second), 200);
  const Outcome abrupt = served_.base().run({"keys", "rotate", key.id, "--grace", "0s"});
  EXPECT_EQ(abrupt.exit_code, 0) << abrupt.errors;
  EXPECT_TRUE(eventually_returns(second, 401));
  EXPECT_EQ(listed().size(), 1U);
}

TEST_P(KeysTest, ExpireAtTheirExpiry) {
  const auto short_lived = served_.base().create_key("developer", {"--expires", "2s"});
  EXPECT_TRUE(eventually_returns(short_lived.text, 401));
  EXPECT_EQ(status_with(served_.base().create_key("developer", {"--expires", "90d"}).text), 200);
  EXPECT_EQ(status_with(served_.base().create_key("developer", {"--expires", "2099-01-31T00:00:00Z"}).text), 200);
}

TEST_P(KeysTest, ChangeTheirPlanWhileInUse) {
  const auto key = served_.base().create_key("developer");
  Client web = served_.client(key.text);
  EXPECT_EQ(web.get("/categories").number("x-ratelimit-limit"), 60);
  const Outcome changed = served_.base().run({"keys", "update", key.id, "--plan", "premium", "--name", "renamed"});
  EXPECT_EQ(changed.exit_code, 0) << changed.errors;
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return web.get("/health").number("x-ratelimit-limit") == 300; }));
  EXPECT_EQ(listed()[0]["name"], "renamed");
}

TEST_P(KeysTest, LoseTheirExpiryAndScopesByAnUpdate) {
  const auto key = served_.base().create_key("developer", {"--expires", "90d", "--scopes", "llm"});
  EXPECT_EQ(status_with(key.text), 403);
  const Outcome changed = served_.base().run(
      {"keys", "update", key.id, "--expires", "never", "--scopes", "read", "--plan", "premium", "--json"});
  EXPECT_EQ(changed.exit_code, 0) << changed.errors;
  const json updated = json::parse(changed.output, nullptr, false);
  EXPECT_EQ(updated.value("id", ""), key.id) << changed.output;
  EXPECT_EQ(updated.at("expires"), nullptr);
  EXPECT_EQ(updated.at("scopes"), json({"read"}));
  Client web = served_.client(key.text);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return web.get("/health").number("x-ratelimit-limit") == 300; }));
  EXPECT_EQ(status_with(key.text), 200);
  EXPECT_EQ(listed()[0]["expires"], nullptr);
}

TEST_P(KeysTest, AreCountedByTheDayWhileTheServerRuns) {
  const auto used = served_.base().create_key("developer");
  const auto idle = served_.base().create_key("premium");
  EXPECT_EQ(listed()[0]["last_used"], nullptr);
  Client web = served_.client(used.text);
  for (int i = 0; i < 3; ++i) web.get("/categories");
  web.get("/no-such");
  web.get("/health");  // which is not charged
  const auto usage = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"keys", "usage"});
    arguments.emplace_back("--json");
    const Outcome outcome = served_.base().run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return json::parse(outcome.output, nullptr, false);
  };
  json counted;
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return (counted = usage({used.id})).value("requests", 0) == 4; }))
      << counted;
  const std::string today = counted.at("last_used");
  EXPECT_EQ(counted.at("days"), json({{today, 4}}));
  const json unused = usage({idle.id, "--days", "1"});
  EXPECT_EQ(unused.at("requests"), 0);
  EXPECT_EQ(unused.at("last_used"), nullptr);
  EXPECT_EQ(usage({}).size(), 2U);
  for (const json& key : listed()) EXPECT_EQ(key.at("last_used"), key["id"] == used.id ? json(today) : json()) << key;

  web.get("/categories");
  EXPECT_EQ(served_.server().stop(), 0);
  EXPECT_EQ(usage({used.id}).at("requests"), 5) << "a server that is stopped loses no count";
  const Outcome table = served_.base().run({"keys", "usage"});
  EXPECT_NE(table.output.find(used.id), std::string::npos) << table.output;
  EXPECT_NE(served_.base().run({"keys", "usage", used.id}).output.find(today), std::string::npos);
}

TEST_P(KeysTest, AreRejectedAsWrongUsageIfInvalid) {
  const Outcome planless = served_.base().run({"keys", "create", "--name", "x", "--plan", "gold"});
  EXPECT_EQ(planless.exit_code, 2);
  EXPECT_TRUE(planless.errors.ends_with("its plans are: public, developer, premium, visitor\n")) << planless.errors;
  const Outcome dead =
      served_.base().run({"keys", "create", "--name", "x", "--plan", "developer", "--expires", "2020-01-01T00:00:00Z"});
  EXPECT_EQ(dead.exit_code, 2);
  EXPECT_NE(dead.errors.find("2020-01-01T00:00:00Z is in the past"), std::string::npos) << dead.errors;
  EXPECT_EQ(listed(), json::array());
}

TEST_P(KeysTest, SurviveARestart) {
  const auto key = served_.base().create_key("developer");
  served_.restart();
  EXPECT_EQ(status_with(key.text), 200);
}

TEST_P(KeysTest, AreNamedInErrorsOfTheCommandLine) {
  KnowledgeBase& base = served_.base();
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"keys", "revoke", "no-such-key"},
                                                    {"keys", "rotate", "no-such-key"},
                                                    {"keys", "update", "no-such-key", "--plan", "premium"},
                                                    {"keys", "usage", "no-such-key"}}) {
    const Outcome outcome = base.run(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
    EXPECT_NE(outcome.errors.find("no-such-key"), std::string::npos) << outcome.errors;
  }
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"keys", "create", "--plan", "developer"},
        {"keys", "create", "--name", "x"},
        {"keys", "create", "--name", "x", "--plan", "golden"},
        {"keys", "create", "--name", "x", "--plan", "developer", "--scopes", "admin"},
        {"keys", "create", "--name", "x", "--plan", "developer", "--scopes", ""},
        {"keys", "create", "--name", "x", "--plan", "developer", "--expires", "soon"},
        {"keys", "create", "--name", "x", "--plan", "developer", "--expires", ""},
        {"keys", "update", "some-key"},
        {"keys", "usage", "--days", "0"},
        {"keys"},
        {"keys", "lose"}}) {
    const Outcome outcome = base.run(arguments);
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_NE(outcome.errors, "");
  }
  EXPECT_EQ(listed(), json::array());
}

TEST_P(KeysTest, NeverAppearInTheLog) {
  const std::string key = served_.base().create_key("developer").text;
  status_with(key);
  served_.client("kb_wrongkey").get("/search?q=secretword");
  EXPECT_EQ(served_.server().stop(), 0);
  const std::string log = served_.base().log();
  EXPECT_EQ(log.find(key), std::string::npos);
  EXPECT_EQ(log.find("kb_wrongkey"), std::string::npos);
  EXPECT_EQ(log.find("secretword"), std::string::npos);
  EXPECT_EQ(log.find("127.0.0.1\""), std::string::npos) << "client addresses are hashed";
}

TEST(UsageOfKeys, IsLoggedAsLostIfTheStoreRejectsItUntilTheEnd) {
  ServedBase served(Storage::Sqlite);
  const std::string key = served.base().create_key("developer").text;
  sqlite3* state = nullptr;
  ASSERT_EQ(sqlite3_open((served.base().folder() / "data/state.db").c_str(), &state), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(state, "DROP TABLE key_days", nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(state);
  EXPECT_EQ(sqlite3_close(state), SQLITE_OK);
  EXPECT_EQ(served.client(key).get("/categories").status, 200);
  EXPECT_EQ(served.server().stop(), 0);
  const std::string log = served.base().log();
  EXPECT_NE(log.find(R"("event":"keys.usage_lost")"), std::string::npos) << log;
  EXPECT_NE(log.find(R"("requests":1)"), std::string::npos) << log;
  EXPECT_EQ(log.find("all data was written"), std::string::npos) << log;
}

}  // namespace
}  // namespace kbase::tests
