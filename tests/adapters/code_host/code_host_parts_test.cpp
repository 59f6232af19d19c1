// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "adapters/code_host/calls.hpp"
#include "adapters/code_host/look_up_result.hpp"
#include "adapters/code_host/rest_code_host.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using code_host::rate_limit_wait;
using code_host::Response;

const model::Instant kNow = *model::parse_instant("2026-03-14T12:00:00Z");

Response linked(std::string link) { return {200, {{"link", std::move(link)}}, {}}; }

TEST(NextPage, IsTakenFromTheLinkHeader) {
  EXPECT_EQ(linked(R"(<https://a/x?page=1>; rel="prev", <https://a/x?page=3>; rel="next")").next_page(), "/x?page=3");
  EXPECT_EQ(linked("</x?page=2>; rel=next").next_page(), "/x?page=2");
  EXPECT_EQ(linked(R"(<https://a/x?page=1>; rel="first")").next_page(), "");
  EXPECT_EQ(Response{}.next_page(), "");
}

TEST(NextPage, IsAPathRegardlessOfTheHost) {
  EXPECT_EQ(linked(R"(<https://elsewhere.example/user/7/repos?page=2>; rel="next")").next_page(),
            "/user/7/repos?page=2");
}

TEST(NextPage, RejectsLinksWithoutAValidPath) {
  for (const char* target : {"//elsewhere.example/x", "x", "ftp://a/x", "https://a", "/a b", "/\xc3\xa4", ""})
    EXPECT_EQ(linked("<" + std::string(target) + R"(>; rel="next")").next_page(), "") << target;
  EXPECT_EQ(linked("</" + std::string(3000, 'x') + R"(>; rel="next")").next_page(), "");
  EXPECT_EQ(linked(R"(<https://a/x?page=3; rel="next")").next_page(), "");
}

TEST(Redirect, IsFollowedOnlyWithinItsOrigin) {
  const auto redirect_target = [](std::uint32_t status, std::string location) {
    const Response answer{status, {{"location", std::move(location)}}, {}};
    return std::string(answer.redirect_target("https://a.example"));
  };
  EXPECT_EQ(redirect_target(301, "https://a.example/repositories/1"), "/repositories/1");
  EXPECT_EQ(redirect_target(308, "/repositories/1"), "/repositories/1");
  EXPECT_EQ(redirect_target(302, "https://a.example.org/x"), "");
  EXPECT_EQ(redirect_target(302, "https://a.example@b.example/x"), "");
  EXPECT_EQ(redirect_target(302, "//b.example/x"), "");
  EXPECT_EQ(redirect_target(200, "/x"), "");
}

TEST(ResponseTag, IsTheEntityTagOrADigest) {
  EXPECT_EQ((Response{200, {{"etag", "W/\"1\""}}, "a"}.tag()), "W/\"1\"");
  const std::string digest = Response{200, {}, "a"}.tag();
  EXPECT_FALSE(code_host::is_entity_tag(digest));
  EXPECT_EQ(digest, (Response{200, {{"etag", "no tag"}}, "a"}.tag()));
  EXPECT_EQ(digest, (Response{200, {{"etag", "\"" + std::string(300, 'x') + "\""}}, "a"}.tag()));
  EXPECT_NE(digest, (Response{200, {}, "b"}.tag()));
  EXPECT_NE(digest, (Response{404, {}, "a"}.tag()));
}

TEST(RateLimitResponse, WaitsAsLongAsTheServiceRequests) {
  EXPECT_EQ(rate_limit_wait({429, {{"retry-after", "8"}}, {}}, kNow), 8s);
  EXPECT_EQ(rate_limit_wait({403, {{"retry-after", "30"}}, {}}, kNow), 30s);
  EXPECT_EQ(rate_limit_wait({429, {{"retry-after", "Sat, 14 Mar 2026 12:00:09 GMT"}}, {}}, kNow), 9s);
  const std::string reset = std::to_string(kNow.time_since_epoch().count() / 1000 + 90);
  EXPECT_EQ(rate_limit_wait({403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", reset}}, {}}, kNow), 90s);
  EXPECT_EQ(rate_limit_wait({429, {{"ratelimit-remaining", "0"}, {"ratelimit-reset", reset}}, {}}, kNow), 90s);
}

TEST(RateLimitResponse, UsesTheClockOfTheService) {
  EXPECT_EQ(
      rate_limit_wait(
          {429, {{"date", "Sat, 14 Mar 2026 13:00:00 GMT"}, {"retry-after", "Sat, 14 Mar 2026 13:00:09 GMT"}}, {}},
          kNow),
      9s);
}

TEST(RateLimitResponse, WaitsOneMinuteByDefault) {
  EXPECT_EQ(rate_limit_wait({429, {}, {}}, kNow), 60s);
  EXPECT_EQ(rate_limit_wait({429, {{"retry-after", "soon"}}, {}}, kNow), 60s);
  EXPECT_EQ(rate_limit_wait({403, {}, "You have exceeded a secondary rate limit."}, kNow), 60s);
}

TEST(RateLimitResponse, WaitsBetweenOneSecondAndOneDay) {
  EXPECT_EQ(rate_limit_wait({429, {{"retry-after", "0"}}, {}}, kNow), 1s);
  EXPECT_EQ(rate_limit_wait({429, {{"retry-after", "-5"}}, {}}, kNow), 1s);
  EXPECT_EQ(rate_limit_wait({429, {{"retry-after", "Sat, 14 Mar 2020 12:00:00 GMT"}}, {}}, kNow), 1s);
  EXPECT_EQ(rate_limit_wait({429, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1807651200000"}}, {}}, kNow),
            24h);
  const Response long_ago{429, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "-9223372036854775808"}}, {}};
  EXPECT_EQ(rate_limit_wait(long_ago, kNow), 1s);
}

TEST(RateLimitResponse, IsNotDetectedInOtherErrors) {
  EXPECT_FALSE(rate_limit_wait({403, {{"x-ratelimit-remaining", "12"}}, "Must have admin rights"}, kNow));
  EXPECT_FALSE(rate_limit_wait({404, {{"x-ratelimit-remaining", "0"}}, {}}, kNow));
  EXPECT_FALSE(rate_limit_wait({200, {{"x-ratelimit-remaining", "0"}}, {}}, kNow));
}

TEST(JsonResponse, IsRejectedBeyondTheParserLimits) {
  const auto is_accepted = [](const std::string& body) {
    return code_host::parse_object(Response{200, {}, body}).has_value();
  };
  const auto deep = [](std::size_t levels) {
    return R"({"a": )" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_TRUE(is_accepted(deep(31)));
  EXPECT_FALSE(is_accepted(deep(32)));
  std::string many = R"({"a": [0)";
  for (int i = 0; i < 150'000; ++i) many += ",0";
  EXPECT_FALSE(is_accepted(many + "]}"));
  EXPECT_TRUE(is_accepted(R"({"a": ")" + std::string(200'000, ',') + "[\\\"[" + R"("})"))
      << "strings do not count as values";
}

TEST(Instant, IsParsedWithFractionAndOffset) {
  const auto read = [](std::string_view text) {
    const auto instant = code_host::parse_rfc3339(text);
    return instant ? model::format_instant(*instant) : std::string("none");
  };
  EXPECT_EQ(read("2015-03-03T18:37:05Z"), "2015-03-03T18:37:05Z");
  EXPECT_EQ(read("2015-03-03T18:37:05.387Z"), "2015-03-03T18:37:05Z");
  EXPECT_EQ(read("2015-03-03T01:37:05+02:00"), "2015-03-02T23:37:05Z");
  EXPECT_EQ(read("2015-12-31T23:00:05.387-0130"), "2016-01-01T00:30:05Z");
  for (const char* text :
       {"", "2015-03-03", "2015-03-03T18:37:05", "2015-03-03T18:37:05+2", "2015-03-03T18:37:05.", "x"})
    EXPECT_EQ(read(text), "none") << text;
}

TEST(ApiUrl, RequiresAValidUrlAndToken) {
  const conformance::ManualClock clock;
  const auto made = [&](std::string url, std::string token) {
    return code_host::Api::make(nullptr, clock, {std::move(url), std::move(token)}, {});
  };
  for (const char* url : {"", "api.github.com", "https://api.github.com?x", "https://api.github.com/#x"})
    EXPECT_TRUE(failed(made(url, ""), ErrorCode::InvalidArgument, "base_url")) << url;
  EXPECT_TRUE(failed(made("ftp://git.example", ""), ErrorCode::InvalidArgument, "base_url"));
  EXPECT_TRUE(failed(made("https://api.github.com", "s3cret\n"), ErrorCode::InvalidArgument, "token"));
  const auto api = made("https://git.example:8443/sub//", "");
  ASSERT_TRUE(succeeded(api));
  EXPECT_EQ(api->origin, "https://git.example:8443");
  EXPECT_EQ(api->path, "/sub");
}

TEST(ApiUrl, CoversTargetsBelowItsPath) {
  const conformance::ManualClock clock;
  const auto api_at = [&](std::string url) { return code_host::Api::make(nullptr, clock, {std::move(url), ""}, {}); };
  const auto whole = api_at("https://git.example");
  EXPECT_TRUE(whole->covers("/users/mona?page=2"));
  const auto part = api_at("https://git.example/sub");
  for (const char* target : {"/sub/users/mona", "/sub/projects?name=%2F..x"})
    EXPECT_TRUE(part->covers(target)) << target;
  for (const char* target : {"/users/mona", "/subway/x", "/sub", "/sub?x", "/sub/../x", "/sub/%2e%2e/x"})
    EXPECT_FALSE(part->covers(target)) << target;
}

TEST(RepositoryFullName, IsValidInAPathOnlyWithoutDotSegments) {
  for (const char* name : {"mona/a", "mona/.github", "group/sub.group/..x", "a/b.", "1/_-"})
    EXPECT_TRUE(code_host::is_full_name(name)) << name;
  for (const char* name : {"", "..", "mona/..", "../mona/a", "mona/./a", "mona/a/../../x", "mona/a?x", "mona/%2e%2e"})
    EXPECT_FALSE(code_host::is_full_name(name)) << name;
}

}  // namespace
}  // namespace kbase::tests
