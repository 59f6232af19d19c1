// SPDX-License-Identifier: Apache-2.0
// Checks that the OpenAPI document and the table of routes describe the same endpoints.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "adapters/http/routes.hpp"
#include "adapters/http/server.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

const json& document() {
  static const json parsed = json::parse(http::api_description("/api/v1"));
  return parsed;
}

std::string_view scope_name(model::Scope scope) {
  switch (scope) {
    case model::Scope::Read: return "read";
    case model::Scope::Llm: return "llm";
    case model::Scope::Codehost: return "codehost";
    case model::Scope::Write: return "write";
  }
  return {};
}

std::string_view member_name(http::Method method) {
  switch (method) {
    case http::Method::Post: return "post";
    case http::Method::Put: return "put";
    case http::Method::Delete: return "delete";
    default: return "get";
  }
}

class EndpointDescription : public testing::TestWithParam<http::Route> {
 protected:
  const http::Route& route = GetParam();
  const json path = document().at("paths").value(route.pattern, json::object());
  const json operation = path.value(member_name(route.method), json::object());

  bool answers(const char* status) const { return operation.at("responses").contains(status); }

  /// The scopes that a key needs for the operation.
  json required_scopes() const {
    for (const json& way : operation.at("security"))
      if (way.contains("key")) return way.at("key");
    return json();
  }
};

INSTANTIATE_TEST_SUITE_P(Each, EndpointDescription, testing::ValuesIn(http::routes().begin(), http::routes().end()),
                         [](const auto& named) {
                           std::string name(member_name(named.param.method));
                           for (const char c : named.param.pattern)
                             if (std::isalnum(static_cast<unsigned char>(c))) name += c;
                           return name;
                         });

TEST_P(EndpointDescription, HasTheOperationAndItsPathParameter) {
  ASSERT_FALSE(operation.empty()) << route.pattern;
  std::set<std::string> in_path;
  for (const json* const level : {&path, &operation})
    for (const json& parameter : level->value("parameters", json::array()))
      if (parameter.value("in", "") == "path") in_path.insert("{" + parameter.at("name").get<std::string>() + "}");
  std::set<std::string> routed;
  if (const std::size_t brace = route.pattern.find('{'); brace != route.pattern.npos)
    routed.emplace(route.pattern.substr(brace, route.pattern.find('}') + 1 - brace));
  EXPECT_EQ(in_path, routed);
}

/// The requests that need a session: those that only pages of the site may send, and the one that reads the account.
bool needs_session(const http::Route& route) {
  return route.senders == http::Senders::OwnPages || route.pattern == "/account";
}

TEST_P(EndpointDescription, ListsTheRequiredScopes) {
  const json& security = operation.at("security");
  const bool is_open = std::find(security.begin(), security.end(), json::object()) != security.end();
  const bool is_free = route.quota == http::Quota::Free;
  if (needs_session(route)) {
    EXPECT_EQ(security, json::array({{{"session", json::array()}}}));
  } else {
    EXPECT_EQ(is_open, !route.needs_key(http::ServerOptions()));
    EXPECT_EQ(required_scopes(), is_free ? json::array() : json::array({scope_name(route.scope)}));
  }
  for (const char* status : {"401", "403", "429"}) EXPECT_EQ(answers(status), !is_free) << status;
}

TEST_P(EndpointDescription, ListsTheResponses) {
  for (const char* status : {"502", "504"}) EXPECT_EQ(answers(status), route.execution.calls_upstream) << status;
  const bool has_body = route.method == http::Method::Post || route.method == http::Method::Put;
  EXPECT_EQ(answers("415"), has_body);
  const bool is_described = operation.contains("requestBody");
  EXPECT_EQ(is_described, has_body && route.endpoint != http::post_key_rotation);
  const json& allowed = document().at("components").at("headers").at("Allow").at("schema").at("enum");
  const http::Router router("", http::routes());
  EXPECT_NE(std::find(allowed.begin(), allowed.end(), router.match("GET", route.pattern).allow), allowed.end());
}

TEST(WholeDescription, HasOnlyPathsOfRoutes) {
  std::set<std::string> described, routed;
  for (const auto& [path, operations] : document().at("paths").items()) described.insert(path);
  for (const http::Route& route : http::routes()) routed.insert(std::string(route.pattern));
  EXPECT_EQ(described, routed);
}

TEST(WholeDescription, UsesTheConfiguredBasePath) {
  EXPECT_EQ(json::parse(http::api_description("/help/api")).at("servers").at(0).at("url"), "/help/api");
  EXPECT_EQ(json::parse(http::api_description("")).at("servers").at(0).at("url"), "/");
}

}  // namespace
}  // namespace kbase::tests
