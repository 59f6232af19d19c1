// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/answer_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "tests/support/rate_fields.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

constexpr const char* kAbsent = "(absent)";

/// Table of errors in docs/guide/errors.md. The codes of 400 depend on the component that rejects the request.
const std::map<int, std::set<std::string>> kCodes{
    {400, {"BAD_REQUEST", "INVALID_PARAMETER", "INVALID_BODY"}},
    {401, {"UNAUTHORIZED"}},
    {403, {"FORBIDDEN"}},
    {404, {"NOT_FOUND"}},
    {405, {"METHOD_NOT_ALLOWED"}},
    {408, {"REQUEST_TIMEOUT"}},
    {413, {"PAYLOAD_TOO_LARGE"}},
    {414, {"URI_TOO_LONG"}},
    {415, {"UNSUPPORTED_MEDIA_TYPE"}},
    {417, {"EXPECTATION_FAILED"}},
    {431, {"HEADERS_TOO_LARGE"}},
    {501, {"NOT_IMPLEMENTED"}},
    {503, {"SERVICE_UNAVAILABLE"}},
    {505, {"HTTP_VERSION_NOT_SUPPORTED"}},
};

void expect_match(const HttpAnswer& answer, const std::string& name, const char* pattern) {
  EXPECT_TRUE(std::regex_match(answer.field(name), std::regex(pattern))) << name << ": " << answer.field(name);
}

void expect_field(const HttpAnswer& answer, const std::string& name, const std::string& value) {
  EXPECT_EQ(answer.field(name), value) << name;
}

void expect_common_fields(const HttpAnswer& answer) {
  expect_match(answer, "date",
               "(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
               "\\d{4} \\d\\d:\\d\\d:\\d\\d GMT");
  expect_match(answer, "x-request-id", "[A-Za-z0-9._-]{1,64}");
  for (const char* name : {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"})
    expect_match(answer, name, "\\d{1,10}");
  EXPECT_EQ(answer.fields.contains("ratelimit"), answer.fields.contains("ratelimit-policy"));
  EXPECT_EQ(answer.fields.contains("ratelimit"), answer.field("x-ratelimit-limit") != "2147483647");
  for (const char* name : {"ratelimit", "ratelimit-policy"})
    EXPECT_TRUE(!answer.fields.contains(name) || parse_rate_items(answer.field(name)))
        << name << ": " << answer.field(name);
  expect_field(answer, "access-control-allow-origin", "*");
  EXPECT_NE(answer.field("access-control-expose-headers").find("X-Request-Id"), std::string::npos);
  expect_field(answer, "access-control-allow-credentials", kAbsent);
  expect_field(answer, "x-content-type-options", "nosniff");
  expect_field(answer, "content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  for (const char* name : {"server", "transfer-encoding", "upgrade", "trailer"}) expect_field(answer, name, kAbsent);
  for (const auto& [name, value] : answer.fields)
    EXPECT_EQ(value.find("; twice: "), std::string::npos) << name << ": " << value;
}

void expect_content_fields(const HttpAnswer& answer) {
  const bool has_content = answer.status != 204 && answer.status != 304;
  if (has_content) {
    expect_field(answer, "content-type", "application/json; charset=utf-8");
    expect_match(answer, "content-length", "\\d+");
    EXPECT_NE(answer.field("vary").find("Accept-Encoding"), std::string::npos) << answer.field("vary");
  } else {
    expect_field(answer, "content-type", kAbsent);
    expect_field(answer, "content-length", kAbsent);
    EXPECT_EQ(answer.body, "");
  }
  const bool is_error = answer.status >= 400;
  expect_field(answer, "cache-control", is_error || answer.status == 204 ? "no-store" : "private, no-cache");
  const bool has_tag = !is_error && answer.status != 204;
  EXPECT_EQ(answer.fields.contains("etag"), has_tag);
}

void expect_fields_of_its_status(const HttpAnswer& answer) {
  EXPECT_EQ(answer.fields.contains("allow"), answer.status == 405 || answer.status == 204);
  EXPECT_EQ(answer.fields.contains("www-authenticate"), answer.status == 401 || answer.status == 403);
  EXPECT_EQ(answer.fields.contains("retry-after"), answer.status == 503);
}

void expect_error_body(const HttpAnswer& answer, Announced connection) {
  const json body = json::parse(answer.body, nullptr, false);
  ASSERT_TRUE(body.is_object()) << answer.body;
  EXPECT_EQ(body.size(), 2U) << answer.body;
  ASSERT_TRUE(body.contains("error") && body["error"].is_object()) << answer.body;
  const json& error = body["error"];
  const std::string code = error.value("code", "");
  const auto codes = kCodes.find(answer.status);
  ASSERT_NE(codes, kCodes.end()) << answer.status;
  EXPECT_TRUE(codes->second.contains(code)) << answer.body;
  const bool is_malformed = answer.status == 400 && connection == Announced::Close;
  EXPECT_TRUE(!is_malformed || code == "BAD_REQUEST") << answer.body;
  EXPECT_FALSE(error.value("message", "").empty()) << answer.body;
  EXPECT_EQ(error.size(), code == "INVALID_PARAMETER" ? 3U : 2U) << answer.body;
  EXPECT_TRUE(std::regex_match(body.value("timestamp", ""), std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")))
      << answer.body;
}

void expect_data_body(const HttpAnswer& answer) {
  const json body = json::parse(answer.body, nullptr, false);
  ASSERT_TRUE(body.is_object()) << answer.body;
  EXPECT_EQ(body.value("success", false), true) << answer.body;
  EXPECT_TRUE(body.contains("data")) << answer.body;
}

void expect_body(const HttpAnswer& answer, const Expected& expected, Announced connection) {
  if (answer.status >= 400)
    expect_error_body(answer, connection);
  else if (answer.status == 200)
    expect_data_body(answer);
  EXPECT_TRUE(answer.status == 401 || answer.body.find(expected.body_part) != std::string::npos) << answer.body;
}

}  // namespace

void expect_valid(const HttpAnswer& answer, const Expected& expected, Announced connection) {
  const auto& statuses = expected.statuses;
  ASSERT_NE(std::find(statuses.begin(), statuses.end(), answer.status), statuses.end())
      << "status " << answer.status << ", not " << testing::PrintToString(statuses) << ": " << answer.body;
  if (answer.status == 100) {
    EXPECT_TRUE(answer.fields.empty());
    return;
  }
  expect_common_fields(answer);
  expect_content_fields(answer);
  expect_fields_of_its_status(answer);
  const char* announced = connection == Announced::Close       ? "close"
                          : connection == Announced::KeepAlive ? "keep-alive"
                                                               : kAbsent;
  expect_field(answer, "connection", announced);
  if (expected.body == Expected::Body::HeadOnly)
    EXPECT_EQ(answer.body, "");
  else
    expect_body(answer, expected, connection);
}

}  // namespace kbase::tests
