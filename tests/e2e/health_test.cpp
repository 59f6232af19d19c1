// SPDX-License-Identifier: Apache-2.0
// GET /health and the routing of /external. Manual: docs/guide/health.md and external-services.md.
#include <gtest/gtest.h>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class HealthEndpoint : public ReadingTest {};
class ExternalEndpoints : public ReadingTest {
 protected:
  Response complete(std::string body, std::vector<std::string> fields = {"Content-Type: application/json"}) {
    Client client = shared().client(key());
    return client.send({.method = "POST",
                        .target = "/external/llm",
                        .fields = std::move(fields),
                        .body = std::move(body),
                        .whole_target = {}});
  }

 private:
  std::string key() { return shared().base().create_key("developer").text; }
};

INSTANTIATE_TEST_SUITE_P(Storage, HealthEndpoint, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Storage, ExternalEndpoints, every_storage(), name_of);

TEST_P(HealthEndpoint, IsHealthyAndWithoutEnvelope) {
  const Response response = web.get("/health");
  expect_common_fields(response);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.field("cache-control"), "no-store");
  json body = response.json();
  ASSERT_TRUE(body.is_object()) << response.body;
  EXPECT_TRUE(is_timestamp(body.value("timestamp", ""))) << response.body;
  body.erase("timestamp");
  const json cache = body["services"]["cache"];
  EXPECT_TRUE(cache == "connected" || cache == "disabled") << body;
  EXPECT_EQ(body, (json{{"status", "healthy"},
                        {"version", "1.1.0"},
                        {"services",
                         {{"database", "connected"},
                          {"cache", cache},
                          {"external_apis", {{"codehost", "disabled"}, {"llm", "disabled"}}}}}}));
}

TEST_P(HealthEndpoint, IsHealthyFromItsFirstResponse) {
  for (const std::filesystem::path& content : {std::filesystem::path(), fixture_corpus_file()}) {
    const KnowledgeBase base(GetParam(), content);
    const ServerProcess server = base.serve();
    const Response response = Client(server.base_url()).get("/health");
    EXPECT_EQ(response.status, 200) << response.body;
  }
}

TEST_P(HealthEndpoint, AcceptsEveryKey) {
  EXPECT_EQ(web.get("/health", {"Authorization: Bearer nonsense"}).status, 200);
  EXPECT_EQ(web.get("/health", {"Authorization: Basic YTpi"}).status, 200);
}

TEST_P(ExternalEndpoints, AreUnavailableWhileTheirServicesAreDisabled) {
  const Response user = web.get("/external/codehost/ada");
  expect_error(user, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(user.number("retry-after"), 1);
  const Response completion = complete(R"({"prompt":"Hello"})");
  expect_error(completion, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(completion.number("retry-after"), 1);
}

TEST_P(ExternalEndpoints, RequireAKeyForTheLanguageModel) {
  const Response response = web.send({.method = "POST",
                                      .target = "/external/llm",
                                      .fields = {"Content-Type: application/json"},
                                      .body = R"({"prompt":"Hello"})",
                                      .whole_target = {}});
  expect_error(response, 401, "UNAUTHORIZED");
  EXPECT_EQ(response.field("www-authenticate"), "Bearer");
}

TEST_P(ExternalEndpoints, RequireTheScopeOfTheService) {
  const auto key = shared().base().create_key("developer", {"--scopes", "read"});
  Client client = shared().client(key.text);
  const Response completion = client.send({.method = "POST",
                                           .target = "/external/llm",
                                           .fields = {"Content-Type: application/json"},
                                           .body = R"({"prompt":"Hello"})",
                                           .whole_target = {}});
  expect_error(completion, 403, "FORBIDDEN");
  EXPECT_EQ(completion.field("www-authenticate"), "Bearer error=\"insufficient_scope\"");
  expect_error(client.get("/external/codehost/ada"), 403, "FORBIDDEN");
  expect_data(client.get("/recent"));
}

TEST_P(ExternalEndpoints, CheckTheMediaTypeBeforeTheBody) {
  expect_error(complete("prompt=Hello", {"Content-Type: text/plain"}), 415, "UNSUPPORTED_MEDIA_TYPE");
  expect_error(complete("{}", {"Content-Type: application/x-www-form-urlencoded"}), 415, "UNSUPPORTED_MEDIA_TYPE");
  const std::string body = R"({"prompt":"Hello"})";
  for (const char* type :
       {"Content-Type: application/json; charset=utf-8", "Content-Type: application/vnd.x+json", "Content-Type:"})
    expect_error(complete(body, {type}), 503, "SERVICE_UNAVAILABLE");
}

TEST_P(ExternalEndpoints, CheckTheBodyBeforeTheAvailability) {
  for (const char* body : {"", "{", "[]", "null", "\"Hello\"", "{\"prompt\":\"Hello\"} trailing"})
    expect_error(complete(body), 400, "INVALID_BODY");
  struct Wrong {
    const char* body;
    const char* member;
  };
  for (const auto& [body, member] :
       {Wrong{"{}", "prompt"}, Wrong{R"({"prompt":""})", "prompt"}, Wrong{R"({"prompt":7})", "prompt"},
        Wrong{R"({"prompt":"x","model":1})", "model"}, Wrong{R"({"prompt":"x","max_tokens":0})", "max_tokens"},
        Wrong{R"({"prompt":"x","max_tokens":-5})", "max_tokens"},
        Wrong{R"({"prompt":"x","max_tokens":1.5})", "max_tokens"},
        Wrong{R"({"prompt":"x","max_tokens":"9"})", "max_tokens"},
        Wrong{R"({"prompt":"x","temperature":2.1})", "temperature"},
        Wrong{R"({"prompt":"x","temperature":-0.1})", "temperature"},
        Wrong{R"({"prompt":"x","temperature":"hot"})", "temperature"},
        Wrong{R"({"prompt":"x","stream":"yes"})", "stream"}})
    expect_error(complete(body), 400, "INVALID_PARAMETER", member);
  expect_error(complete(R"({"prompt":"x","max_tokens":1,"temperature":2,"unknown":{}})"), 503, "SERVICE_UNAVAILABLE");
}

TEST_P(ExternalEndpoints, AnswerOnlyTheirOwnMethods) {
  const Response response = web.get("/external/llm");
  expect_error(response, 405, "METHOD_NOT_ALLOWED");
  EXPECT_NE(response.field("allow").find("POST"), std::string::npos) << response.field("allow");
  EXPECT_EQ(response.field("allow").find("GET"), std::string::npos) << response.field("allow");
  expect_error(web.get("/external"), 404, "NOT_FOUND");
  expect_error(web.get("/external/codehost/"), 404, "NOT_FOUND");
  expect_error(web.get("/external/codehost/%zz"), 400, "INVALID_PARAMETER", "username");
}

}  // namespace
}  // namespace kbase::tests
