// SPDX-License-Identifier: Apache-2.0
// Accounts of developers: signing up and in by a mailed link, keys, approval, and requests from other sites.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/text_file.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kOwnPage = "Sec-Fetch-Site: same-origin";

class Accounts : public ChangingTest {
 protected:
  void serve(const std::string& mode, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {
        "--set", "signup.mode=" + mode, "--set", "mail.plugin=outbox", "--set", "mail.config.from=docs@example.org"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    settings_ = arguments;
    served_ = std::make_unique<ServedBase>(GetParam(), fixture_corpus_file(), Quota::Lifted, arguments);
    web_ = std::make_unique<Client>(served_->client());
  }

  Response post(const std::string& target, const std::optional<json>& body, std::vector<std::string> fields = {}) {
    return call("POST", target, body, std::move(fields));
  }

  Response call(const std::string& method, const std::string& target, const std::optional<json>& body = {},
                std::vector<std::string> fields = {}) {
    Request request{.method = method, .target = target, .fields = std::move(fields), .body = {}, .whole_target = {}};
    if (!cookie_.empty()) request.fields.push_back("Cookie: kbase_session=" + cookie_);
    if (body) {
      request.fields.push_back("Content-Type: application/json");
      request.body = body->dump();
    }
    return web_->send(request);
  }

  fs::path outbox() const { return served_->base().folder() / "data/outbox"; }

  /// Waits for the next mail and returns it.
  std::string next_mail() {
    std::string mail;
    EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] {
      std::error_code missing;
      for (const auto& file : fs::directory_iterator(outbox(), missing))
        if (file.path().extension() == ".eml" && read_.insert(file.path().filename().string()).second) {
          mail = text_of(file.path());
          return true;
        }
      return false;
    }));
    return mail;
  }

  /// Returns the token of the link in a mail.
  static std::string token_in(std::string mail) {
    for (std::size_t at; (at = mail.find("=\r\n")) != std::string::npos;) mail.erase(at, 3);  // quoted-printable
    const std::size_t begin = mail.find("/account/confirm#");
    return begin == std::string::npos ? std::string() : mail.substr(begin + 17, 64);
  }

  /// Signs up and in; keeps the cookie.
  void sign_in(const std::string& email) {
    ASSERT_EQ(post("/accounts", json{{"email", email}}).status, 202);
    confirm(token_in(next_mail()));
  }

  void confirm(const std::string& token) {
    const Response confirmed = post("/sessions/confirm", json{{"token", token}}, {kOwnPage});
    ASSERT_EQ(confirmed.status, 200) << confirmed.body;
    const std::string cookie = confirmed.field("set-cookie");
    ASSERT_TRUE(cookie.starts_with("kbase_session="));
    cookie_ = cookie.substr(14, cookie.find(';') - 14);
    EXPECT_NE(cookie.find("; HttpOnly"), std::string::npos);
    EXPECT_NE(cookie.find("; SameSite=Strict"), std::string::npos);
    EXPECT_EQ(confirmed.body.find(cookie_), std::string::npos);
  }

  json account() {
    const Response response = call("GET", "/account");
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.field("cache-control"), "no-store");
    return response.json().value("data", json());
  }

  /// Status of a search with a key.
  long search_with(const std::string& key) { return served_->client(key).get("/search?q=planet").status; }

  Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), settings_.begin(), settings_.end());
    return served_->base().run(std::move(arguments));
  }

  std::vector<std::string> settings_;
  std::unique_ptr<ServedBase> served_;
  std::unique_ptr<Client> web_;
  std::string cookie_;
  std::set<std::string> read_;
};

INSTANTIATE_TEST_SUITE_P(Storage, Accounts, every_storage(), name_of);

TEST_P(Accounts, APersonSignsUpAndGetsAKey) {
  serve("open");
  sign_in("Reader@Example.org");
  json mine = account();
  EXPECT_EQ(mine["email"], "Reader@example.org");
  EXPECT_EQ(mine["state"], "active");
  EXPECT_EQ(mine["plan"], "developer");
  EXPECT_TRUE(mine["keys"].empty());

  const Response created = post("/account/keys", json{{"name", "my site"}}, {kOwnPage});
  ASSERT_EQ(created.status, 201) << created.body;
  const std::string key = created.json()["data"]["key"];
  const std::string id = created.json()["data"]["id"];
  EXPECT_EQ(search_with(key), 200);
  EXPECT_EQ(search_with(key), 200);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] {
    const json days = account()["keys"][0]["requests"];
    return days.size() == 30 && days.back()["requests"] == 2;
  }));
  mine = account();
  EXPECT_EQ(mine["keys"][0]["name"], "my site");
  EXPECT_EQ(mine["keys"][0]["limits"]["minute"]["limit"], 60);
  EXPECT_EQ(mine["keys"][0]["limits"]["minute"]["remaining"], 58);
  EXPECT_FALSE(mine["keys"][0].contains("key"));

  const Response rotated = post("/account/keys/" + id + "/rotate", {}, {kOwnPage});
  ASSERT_EQ(rotated.status, 200) << rotated.body;
  EXPECT_EQ(search_with(rotated.json()["data"]["key"]), 200);
  EXPECT_EQ(call("DELETE", "/account/keys/" + id, {}, {kOwnPage}).status, 204);
  EXPECT_EQ(search_with(rotated.json()["data"]["key"]), 401);
  EXPECT_EQ(call("DELETE", "/account/keys/" + id, {}, {kOwnPage}).status, 404);

  EXPECT_EQ(call("DELETE", "/sessions", {}, {kOwnPage}).status, 204);
  EXPECT_EQ(call("GET", "/account").status, 401);
}

TEST_P(Accounts, ThePublicAddressDecidesOnTheCookie) {
  serve("open", {"--set", "signup.public_url=https://docs.example.org"});
  ASSERT_EQ(post("/accounts", json{{"email", "reader@example.org"}}).status, 202);
  const json token{{"token", token_in(next_mail())}};
  EXPECT_EQ(post("/sessions/confirm", token, {"Origin: http://docs.example.org", "Sec-Fetch-Site: cross-site"}).status,
            403);
  const Response confirmed = post("/sessions/confirm", token, {"Origin: https://docs.example.org"});
  ASSERT_EQ(confirmed.status, 200) << confirmed.body;
  EXPECT_NE(confirmed.field("set-cookie").find("; Secure"), std::string::npos);
}

TEST_P(Accounts, SigningOutEverywhereEndsTheSessionsOfOtherBrowsers) {
  serve("open");
  sign_in("reader@example.org");
  const std::string other = cookie_;
  sign_in("reader@example.org");
  EXPECT_EQ(call("DELETE", "/sessions?everywhere=perhaps", {}, {kOwnPage}).status, 400);
  EXPECT_EQ(call("DELETE", "/sessions?everywhere=true").status, 403) << "not a page of the site";
  EXPECT_EQ(call("DELETE", "/sessions?everywhere=true", {}, {kOwnPage}).status, 204);
  EXPECT_EQ(call("GET", "/account").status, 401);
  cookie_ = other;
  EXPECT_EQ(call("GET", "/account").status, 401);
}

TEST_P(Accounts, ADeletedAccountEndsItsKeysAtOnce) {
  serve("open");
  sign_in("reader@example.org");
  const Response created = post("/account/keys", json{{"name", "my site"}}, {kOwnPage});
  const std::string key = created.json()["data"]["key"];
  EXPECT_EQ(search_with(key), 200);
  EXPECT_EQ(call("DELETE", "/account", {}, {kOwnPage}).status, 204);
  EXPECT_EQ(search_with(key), 401);
  EXPECT_EQ(call("GET", "/account").status, 401);
  EXPECT_EQ(run({"accounts", "list", "--json"}).output, "[]\n");
}

TEST_P(Accounts, AnAccountSurvivesARestart) {
  serve("open");
  sign_in("reader@example.org");
  const Response created = post("/account/keys", json{{"name", "my site"}}, {kOwnPage});
  served_->restart();
  web_ = std::make_unique<Client>(served_->client());
  EXPECT_EQ(account()["email"], "reader@example.org");
  EXPECT_EQ(search_with(created.json()["data"]["key"]), 200);
}

TEST_P(Accounts, KeysWorkOnceTheOperatorHasApproved) {
  serve("approval");
  sign_in("reader@example.org");
  const json mine = account();
  EXPECT_EQ(mine["state"], "pending");
  const Response created = post("/account/keys", json{{"name", "my site"}}, {kOwnPage});
  ASSERT_EQ(created.status, 201) << created.body;
  const std::string key = created.json()["data"]["key"];
  EXPECT_EQ(search_with(key), 401);
  const std::string id = mine["id"];
  EXPECT_EQ(run({"accounts", "approve", id}).exit_code, 0);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return search_with(key) == 200; }));
  EXPECT_NE(next_mail().find("/account"), std::string::npos);
  EXPECT_EQ(run({"accounts", "block", id}).exit_code, 0);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return search_with(key) == 401; }));
  EXPECT_EQ(call("GET", "/account").status, 401);
  EXPECT_EQ(run({"accounts", "delete", id}).exit_code, 0);
  EXPECT_EQ(run({"accounts", "delete", id}).exit_code, 1);
}

TEST_P(Accounts, KnownAndUnknownAddressesGetTheSameAnswer) {
  serve("open");
  sign_in("known@example.org");
  cookie_.clear();
  for (const std::string target : {"/accounts", "/sessions"}) {
    const Response known = post(target, json{{"email", "known@example.org"}});
    const Response unknown = post(target, json{{"email", "unknown@example.org"}});
    EXPECT_EQ(known.status, 202);
    EXPECT_EQ(unknown.status, 202);
    EXPECT_EQ(known.body, unknown.body);
    const auto names = [](const Response& response) {
      std::vector<std::string> all;
      for (const auto& [name, value] : response.fields) all.push_back(name);
      return all;
    };
    EXPECT_EQ(names(known), names(unknown));
  }
}

TEST_P(Accounts, OtherSitesCannotActForASignedInPerson) {
  serve("open");
  sign_in("reader@example.org");
  const std::vector<std::vector<std::string>> foreign = {{"Origin: https://evil.example"},
                                                         {"Origin: null"},
                                                         {"Sec-Fetch-Site: cross-site"},
                                                         {"Sec-Fetch-Site: same-site", "Origin: https://evil.example"},
                                                         {"Sec-Fetch-Site: same-site"}};
  for (const auto& fields : foreign) {
    EXPECT_EQ(post("/account/keys", json{{"name", "evil"}}, fields).status, 403) << fields[0];
    EXPECT_EQ(call("DELETE", "/account", {}, fields).status, 403) << fields[0];
    EXPECT_EQ(call("DELETE", "/sessions", {}, fields).status, 403) << fields[0];
    EXPECT_EQ(post("/accounts", json{{"email", "a@example.org"}}, fields).status, 403) << fields[0];
    EXPECT_EQ(post("/sessions/confirm", json{{"token", std::string(64, 'a')}}, fields).status, 403) << fields[0];
  }
  EXPECT_EQ(post("/account/keys", json{{"name", "none"}}).status, 403);
  EXPECT_EQ(post("/account/keys", json{{"name", "none"}}, {"Sec-Fetch-Site: none"}).status, 403);
  EXPECT_TRUE(account()["keys"].empty());
}

TEST_P(Accounts, WhatIsNotALinkIsRefused) {
  serve("open");
  for (const std::string& token : {std::string("a"), std::string(64, 'a'), std::string(10'000, 'a')}) {
    const Response refused = post("/sessions/confirm", json{{"token", token}}, {kOwnPage});
    EXPECT_EQ(refused.status, 400);
    EXPECT_FALSE(refused.has("set-cookie"));
  }
  ASSERT_EQ(post("/accounts", json{{"email", "reader@example.org"}}).status, 202);
  const std::string token = token_in(next_mail());
  cookie_ = std::string(64, 'b');  // a session that someone else has chosen
  const std::string chosen = cookie_;
  confirm(token);
  EXPECT_NE(cookie_, chosen);
  EXPECT_EQ(post("/sessions/confirm", json{{"token", token}}, {kOwnPage}).status, 400);
}

TEST_P(Accounts, InvalidAddressesAreRefused) {
  serve("open", {"--set", "signup.allowed_domains=[example.org]"});
  for (const json& email : {json(""), json("reader"), json(7), json("a@example.org\r\nBcc: b@example.org"),
                            json("<script>@example.org"), json("a@other.example")})
    EXPECT_EQ(post("/accounts", json{{"email", email}}).status, 400) << email;
  EXPECT_EQ(post("/accounts", json::object()).status, 400);
  EXPECT_EQ(post("/accounts", json{{"email", "a@example.org"}}).status, 202);
}

TEST_P(Accounts, WithoutSignUpOnlyOperatorsReachThem) {
  serve("off");
  EXPECT_EQ(post("/accounts", json{{"email", "reader@example.org"}}).status, 404);
  EXPECT_EQ(call("GET", "/account").status, 404);
  EXPECT_EQ(run({"accounts", "list"}).exit_code, 0);
}

TEST_P(Accounts, TheLogHasNoAddress) {
  serve("open", {"--set", "logging.level=debug"});
  sign_in("a.secret.name@example.org");
  EXPECT_EQ(served_->base().log().find("secret.name"), std::string::npos);
}

}  // namespace
}  // namespace kbase::tests
