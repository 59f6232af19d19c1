// SPDX-License-Identifier: Apache-2.0
// Changes of the content over HTTP, by keys with the scope `write`.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

const json kItem = {{"title", "Moon landing"}, {"category", "space"}, {"content", "A lander reached the moon."}};

class Writing : public ChangingTest {
 protected:
  Writing()
      : served_(GetParam()),
        writer_(served_.client(served_.base().create_key("premium", {"--scopes", "read,write"}).text)) {}

  void SetUp() override {
    if (GetParam().storage == Storage::Memory) GTEST_SKIP() << "the storage memory keeps no changes";
  }

  Response send(const std::string& method, const std::string& id, const json& body = {},
                std::vector<std::string> fields = {}) {
    Request request{
        .method = method, .target = "/item/" + id, .fields = std::move(fields), .body = {}, .whole_target = {}};
    if (!body.is_null()) {
      request.fields.push_back("Content-Type: application/json");
      request.body = body.dump();
    }
    return writer_.send(request);
  }

  ServedBase served_;
  Client writer_;
};

INSTANTIATE_TEST_SUITE_P(Storage, Writing, every_storage(), name_of);

TEST_P(Writing, AnItemIsCreatedChangedAndDeleted) {
  const Response created = send("PUT", "moon%2Flanding", kItem);
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(created.json()["data"]["outcome"], "created");
  const Response read = writer_.get("/item/moon%2Flanding");
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.json()["data"]["title"], "Moon landing");
  EXPECT_EQ(read.field("etag"), created.field("etag"));
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] {
    return writer_.get("/search?q=moon+lander").json()["pagination"]["total"].get<int>() >= 1;
  }));

  json changed = kItem;
  changed["title"] = "Moon landings";
  EXPECT_EQ(send("PUT", "moon%2Flanding", changed).json()["data"]["outcome"], "changed");
  EXPECT_EQ(send("PUT", "moon%2Flanding", changed).json()["data"]["outcome"], "unchanged");
  EXPECT_EQ(send("DELETE", "moon%2Flanding").status, 204);
  EXPECT_EQ(send("DELETE", "moon%2Flanding").status, 404);
  EXPECT_EQ(writer_.get("/item/moon%2Flanding").status, 404);
}

TEST_P(Writing, PreconditionsAreHonoured) {
  EXPECT_EQ(send("PUT", "moon", kItem, {"If-Match: *"}).status, 412);
  const Response created = send("PUT", "moon", kItem, {"If-None-Match: *"});
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(send("PUT", "moon", kItem, {"If-None-Match: *"}).status, 412);
  const std::string tag = created.field("etag");
  json changed = kItem;
  changed["title"] = "Another title";
  EXPECT_EQ(send("PUT", "moon", changed, {"If-Match: \"other\""}).status, 412);
  const Response second = send("PUT", "moon", changed, {"If-Match: " + tag});
  ASSERT_EQ(second.status, 200) << second.body;
  EXPECT_NE(second.field("etag"), tag);
  EXPECT_EQ(send("PUT", "moon", kItem, {"If-Match: " + tag}).status, 412);
  EXPECT_EQ(send("DELETE", "moon", {}, {"If-Match: " + tag}).status, 412);
  EXPECT_EQ(send("DELETE", "moon", {}, {"If-Match: " + second.field("etag")}).status, 204);
}

TEST_P(Writing, OnlyTheScopeWriteAllowsIt) {
  const auto put_as = [&](const std::string& key) {
    Client client = served_.client(key);
    return client
        .send({.method = "PUT",
               .target = "/item/moon",
               .fields = {"Content-Type: application/json"},
               .body = kItem.dump(),
               .whole_target = {}})
        .status;
  };
  EXPECT_EQ(put_as(""), 401);
  EXPECT_EQ(put_as("kb_nothing"), 401);
  EXPECT_EQ(put_as(served_.base().create_key("premium").text), 403);
  EXPECT_EQ(writer_.get("/item/moon").status, 404);
}

TEST_P(Writing, WhatIsNotAnItemIsRefused) {
  for (const json& bad :
       {json::object(), json::array(), json{{"title", "x"}}, json{{"title", 7}, {"category", "a"}, {"content", "b"}},
        json{{"type", "delete"}}, json{{"id", "other"}, {"title", "x"}, {"category", "a"}, {"content", "b"}}}) {
    const Response refused = send("PUT", "moon", bad);
    EXPECT_EQ(refused.status, 400) << bad << refused.body;
  }
  EXPECT_EQ(send("PUT", "moon", kItem, {"Content-Encoding: gzip"}).status, 415);
  EXPECT_EQ(writer_.get("/item/moon").status, 404);
}

}  // namespace
}  // namespace kbase::tests
