// SPDX-License-Identifier: Apache-2.0
// What readers search for and say of items, for the operator.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/text_file.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class InsightsTest : public ChangingTest {
 protected:
  InsightsTest() : served_(GetParam(), fixture_corpus_file(), Quota::Lifted, settings()) {}

  static std::vector<std::string> settings() {
    return {"--set", "insights.enabled=true", "--set", "server.trusted_proxies=[127.0.0.1]"};
  }

  Response get(int client, const std::string& target) {
    return served_.client().get(target, {"X-Forwarded-For: 192.0.2." + std::to_string(client)});
  }

  /// Searches as a client and returns the id of the search.
  std::string search(int client, const std::string& q) {
    const Response response = get(client, "/search?q=" + encoded(q));
    EXPECT_EQ(response.status, 200) << response.body;
    return response.field("x-search-id");
  }

  Response give(int client, const std::string& item, const json& feedback) {
    return served_.client().send(
        {.method = "POST",
         .target = "/item/" + item + "/feedback",
         .fields = {"Content-Type: application/json", "X-Forwarded-For: 192.0.2." + std::to_string(client)},
         .body = feedback.dump(),
         .whole_target = {}});
  }

  json report(std::vector<std::string> options = {}) {
    std::vector<std::string> arguments{"insights", "--json"};
    for (const auto& more : {options, settings()}) arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = served_.base().run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return json::parse(outcome.output, nullptr, false);
  }

  /// A server stores all counts when it stops. The memory store ends with its server.
  void stop() { served_.server().stop(); }

  ServedBase served_;
};

INSTANTIATE_TEST_SUITE_P(Storage, InsightsTest, every_storage(), name_of);

TEST_P(InsightsTest, AQueryShowsOnceThreeClientsAskedIt) {
  for (const int client : {1, 2, 3}) search(client, "Planet");
  for (const int client : {1, 2}) search(client, "private matter");
  for (const int client : {1, 2, 3}) search(client, "nosuchwordanywhere");
  const std::string id = search(4, "planet");
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(get(4, "/item/earth?from=search:" + id).status, 200);
  stop();

  const json queries = report();
  ASSERT_EQ(queries.size(), 2u) << queries;
  EXPECT_EQ(queries[0]["query"], "planet");
  EXPECT_EQ(queries[0]["searches"], 4);
  EXPECT_EQ(queries[0]["without_result"], 0);
  EXPECT_EQ(queries[0]["without_click"], 3);
  EXPECT_EQ(queries[0]["days"].size(), 1u);
  const json zero = report({"--zero"});
  ASSERT_EQ(zero.size(), 1u);
  EXPECT_EQ(zero[0]["query"], "nosuchwordanywhere");
  EXPECT_EQ(zero[0]["without_result"], 3);
}

TEST_P(InsightsTest, ASearchWhoseAnswerTheClientHasCountsToo) {
  const auto searched = [&](int client, const std::string& target, const std::string& tag) {
    std::vector<std::string> fields{"X-Forwarded-For: 192.0.2." + std::to_string(client)};
    if (!tag.empty()) fields.push_back("If-None-Match: " + tag);
    return served_.client().send({.method = "GET", .target = {}, .fields = fields, .body = {}, .whole_target = target});
  };
  for (const char* path : {"/api/v1/search", "/search"})
    for (const char* word : {"planet", "nosuchwordanywhere"}) {
      const std::string target = std::string(path) + "?q=" + word;
      const std::string tag = searched(1, target, "").field("etag");
      for (const int client : {2, 3}) EXPECT_EQ(searched(client, target, tag).status, 304) << target;
    }
  EXPECT_EQ(get(3, "/item/earth?from=search:" + search(3, "planet")).status, 200);
  stop();
  const json queries = report();
  ASSERT_EQ(queries.size(), 2u) << queries;
  for (const json& each : queries) {
    const bool is_known = each["query"] == "planet";
    EXPECT_EQ(each["searches"], is_known ? 7 : 6) << each;
    EXPECT_EQ(each["without_result"], is_known ? 0 : 6) << each;
  }
}

TEST_P(InsightsTest, NoFileHasAQueryOfFewClients) {
  for (const int client : {1, 2}) search(client, "quixotic-secret");
  for (const int client : {1, 2, 3}) search(client, "wellknown");
  stop();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(served_.base().folder())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(text_of(entry.path()).find("quixotic"), std::string::npos) << entry.path();
  }
  for (std::vector<std::string> command :
       {std::vector<std::string>{"insights"}, {"insights", "--csv"}, {"insights", "--json"}, {"export"}}) {
    const std::vector<std::string> more = settings();
    command.insert(command.end(), more.begin(), more.end());
    EXPECT_EQ(served_.base().run(command).output.find("quixotic"), std::string::npos) << command[0];
  }
}

TEST_P(InsightsTest, FeedbackOfAClientCountsOnceADay) {
  EXPECT_EQ(give(1, "earth", {{"helpful", true}}).status, 200);
  EXPECT_EQ(give(1, "earth", {{"helpful", false}, {"comment", "=1+1 is wrong"}}).status, 200);
  EXPECT_EQ(give(2, "earth", {{"helpful", true}}).status, 200);
  EXPECT_EQ(give(1, "no-such-item", {{"helpful", true}}).status, 404);
  EXPECT_EQ(give(1, "earth", {{"helpful", "yes"}}).status, 400);
  EXPECT_EQ(give(1, "earth", json::object()).status, 400);
  const json feedback = report({"--feedback"});
  ASSERT_EQ(feedback.size(), 1u) << feedback;
  EXPECT_EQ(feedback[0]["item"], "earth");
  EXPECT_EQ(feedback[0]["helpful"], 1);
  EXPECT_EQ(feedback[0]["not_helpful"], 1);
  EXPECT_EQ(feedback[0]["comments"][0]["text"], "=1+1 is wrong");
  std::vector<std::string> csv{"insights", "--feedback", "--csv"};
  const std::vector<std::string> more = settings();
  csv.insert(csv.end(), more.begin(), more.end());
  EXPECT_NE(served_.base().run(csv).output.find(",'=1+1 is wrong"), std::string::npos) << "no formula of a spreadsheet";
}

TEST_P(InsightsTest, WithoutThemNothingIsNoted) {
  const ServedBase plain(GetParam());
  EXPECT_FALSE(plain.client().get("/search?q=planet").has("x-search-id"));
  EXPECT_EQ(plain.client()
                .send({.method = "POST",
                       .target = "/item/earth/feedback",
                       .fields = {"Content-Type: application/json"},
                       .body = R"({"helpful":true})",
                       .whole_target = {}})
                .status,
            404);
}

}  // namespace
}  // namespace kbase::tests
