// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/expectations.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <regex>

#include "domain/base/text.hpp"
#include "domain/model/day.hpp"
#include "tests/support/rate_fields.hpp"

namespace kbase::tests {

using nlohmann::json;

namespace {

/// Expects that the RateLimit fields of the IETF draft report the same windows as the X-RateLimit fields, or are
/// absent if there is no limit.
void expect_rate_items(const Response& response) {
  const bool is_limited = response.number("x-ratelimit-limit") != 2147483647;
  EXPECT_EQ(response.has("ratelimit"), is_limited);
  EXPECT_EQ(response.has("ratelimit-policy"), is_limited);
  if (!is_limited) return;
  const auto policy = parse_rate_items(response.field("ratelimit-policy"));
  const auto left = parse_rate_items(response.field("ratelimit"));
  ASSERT_TRUE(policy && left) << response.field("ratelimit-policy") << "; " << response.field("ratelimit");
  ASSERT_EQ(policy->size(), left->size());
  bool is_described = false;
  for (const auto& [window, limit] : *policy) {
    const long long seconds = window == "minute" ? 60 : 86'400;
    EXPECT_EQ(limit, (std::map<std::string, long long>{{"q", limit.at("q")}, {"w", seconds}})) << window;
    ASSERT_TRUE(left->contains(window)) << window;
    const auto& now = left->at(window);
    EXPECT_EQ(now.size(), 2U) << window;
    EXPECT_TRUE(0 <= now.at("r") && now.at("r") <= limit.at("q")) << window;
    EXPECT_TRUE(0 <= now.at("t") && now.at("t") <= seconds) << window;
    is_described |= limit.at("q") == response.number("x-ratelimit-limit") &&
                    now.at("r") == response.number("x-ratelimit-remaining");
  }
  EXPECT_TRUE(is_described) << "X-RateLimit-* must describe one of the windows";
}

void expect_fields_of_any_body(const Response& response) {
  for (const char* name : {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"})
    EXPECT_GE(response.number(name), 0) << name;
  EXPECT_GT(response.number("x-ratelimit-reset"), 1'600'000'000);
  expect_rate_items(response);
  EXPECT_TRUE(std::regex_match(response.field("x-request-id"), std::regex("[A-Za-z0-9._-]{1,64}")))
      << response.field("x-request-id");
  EXPECT_TRUE(std::regex_match(response.field("date"), std::regex("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} .* GMT")))
      << response.field("date");
  EXPECT_EQ(response.field("access-control-allow-origin"), "*");
  EXPECT_FALSE(response.has("access-control-allow-credentials"));
  EXPECT_EQ(response.field("x-content-type-options"), "nosniff");
  EXPECT_EQ(response.field("server").find_first_of("0123456789"), std::string::npos) << response.field("server");
}

}  // namespace

void expect_common_fields(const Response& response) {
  expect_fields_of_any_body(response);
  if (response.status == 204 || response.status == 304) {
    EXPECT_EQ(response.body, "");
    return;
  }
  EXPECT_EQ(response.field("content-type"), "application/json; charset=utf-8");
  EXPECT_EQ(response.field("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
}

void expect_stream_fields(const Response& response) {
  expect_fields_of_any_body(response);
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.field("content-type"), "text/event-stream");
  EXPECT_EQ(response.field("cache-control"), "no-store, no-transform");
  for (const char* name : {"content-length", "content-encoding", "etag"}) EXPECT_FALSE(response.has(name)) << name;
}

json expect_envelope(const Response& response, bool with_pagination) {
  expect_common_fields(response);
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.field("cache-control"), "private, no-cache");
  EXPECT_TRUE(response.field("etag").starts_with("W/\"")) << response.field("etag");
  json body = response.json();
  const bool is_envelope = body.is_object() && body.contains("data") && body.value("success", false);
  EXPECT_TRUE(is_envelope) << response.body;
  if (!is_envelope) return {{"data", json::object()}, {"pagination", json::object()}};
  EXPECT_EQ(body.contains("pagination"), with_pagination) << response.body;
  EXPECT_EQ(body.size(), with_pagination ? 3U : 2U) << response.body;
  return body;
}

json expect_data(const Response& response) { return expect_envelope(response).at("data"); }

void expect_error(const Response& response, long status, const std::string& code, const std::string& parameter) {
  expect_common_fields(response);
  EXPECT_EQ(response.status, status) << response.body;
  EXPECT_EQ(response.field("cache-control"), "no-store");
  const json body = response.json();
  ASSERT_TRUE(body.is_object() && body.contains("error") && body["error"].is_object()) << response.body;
  EXPECT_EQ(body.size(), 2U) << response.body;
  EXPECT_TRUE(is_timestamp(body.value("timestamp", ""))) << response.body;
  const json& error = body["error"];
  EXPECT_EQ(error.value("code", ""), code);
  EXPECT_NE(error.value("message", ""), "");
  if (parameter.empty()) return;
  ASSERT_TRUE(error.contains("details")) << response.body;
  EXPECT_EQ(error["details"].value("parameter", ""), parameter) << response.body;
  EXPECT_NE(error["details"].value("reason", ""), "") << response.body;
}

void expect_summary(const json& summary) {
  for (const char* name : {"id", "title", "category", "excerpt"})
    EXPECT_TRUE(summary.contains(name) && summary[name].is_string()) << name << " in " << summary;
  ASSERT_TRUE(summary.contains("tags") && summary["tags"].is_array()) << summary;
  ASSERT_TRUE(summary.contains("metadata") && summary["metadata"].is_object()) << summary;
  const json& metadata = summary["metadata"];
  for (const char* name : {"author", "created", "updated"})
    EXPECT_TRUE(metadata.contains(name) && metadata[name].is_string()) << name << " in " << summary;
  EXPECT_TRUE(metadata.contains("views") && metadata["views"].is_number_unsigned()) << summary;
  EXPECT_LE(code_points(summary.value("excerpt", "")), 240) << summary;
  EXPECT_FALSE(summary.contains("content")) << summary;
}

bool is_timestamp(const std::string& text) {
  return std::regex_match(text, std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")) &&
         model::parse_instant(text).has_value();
}

long code_points(const std::string& text) {
  return utf8::is_valid(text) ? static_cast<long>(utf8::code_points(text)) : -1;
}

std::string day_from_today(int days) {
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return model::format_day(today + std::chrono::days(days));
}

}  // namespace kbase::tests
