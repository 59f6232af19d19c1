// SPDX-License-Identifier: Apache-2.0
// Small units: JSON, client addresses, rate-limit fields, request ids.
#include <limits>
#include <nlohmann/json.hpp>

#include "adapters/base/date_field.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/response.hpp"
#include "tests/adapters/http_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;

std::string json_text(std::string_view text) {
  std::string out;
  http::JsonWriter(out).text(text);
  return out;
}

TEST(JsonWriter, EscapesControlCharactersAndQuotes) {
  EXPECT_EQ(json_text("a\"\\/\n\r\t\b\x01\x1F\x7F"), "\"a\\\"\\\\/\\n\\r\\t\\u0008\\u0001\\u001f\x7F\"");
  EXPECT_EQ(json_text("grüß ★ 😀"), "\"grüß ★ 😀\"");
}

TEST(JsonWriter, WritesValidJsonForAnyText) {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), 'x'};
      ASSERT_TRUE(nlohmann::json::accept(json_text(text))) << first << " " << second;
    }
  EXPECT_EQ(json_text("a\xC0\xAF"
                      "b\xED\xA0\x80"),
            "\"a��b���\"");
}

TEST(JsonWriter, SeparatesValuesByCommas) {
  std::string out;
  http::JsonWriter json(out);
  json.begin_object().key("a").begin_array().number(1).begin_object().end_object().null().end_array();
  json.members("").members(R"("x":1)").key("b").boolean(false).end_object();
  EXPECT_EQ(out, R"({"a":[1,{},null],"x":1,"b":false})");
}

TEST(JsonWriter, WritesFractionsThatRoundTrip) {
  std::string out;
  http::JsonWriter json(out);
  json.begin_array().fraction(1).fraction(0.1).fraction(1.0 / 3).fraction(1e-9);
  json.fraction(std::numeric_limits<double>::quiet_NaN()).fraction(std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(out, "[1.0,0.1,0.3333333333333333,1e-09,0.0,0.0]");
}

TEST(NetworkAddress, IsFormattedWholeAsNetworkAndAsRateLimitKey) {
  const auto ipv4 = *http::NetworkAddress::parse("::ffff:192.0.2.77");
  EXPECT_EQ(ipv4.text(), "192.0.2.77");
  EXPECT_EQ(ipv4.network(), "192.0.2.0/24");
  EXPECT_EQ(ipv4.canonical(), "192.0.2.77");
  const auto ipv6 = *http::NetworkAddress::parse("2001:db8:a:b:c:d:e:f");
  EXPECT_EQ(ipv6.text(), "2001:db8:a:b:c:d:e:f");
  EXPECT_EQ(ipv6.network(), "2001:db8:a::/48");
  EXPECT_EQ(ipv6.canonical(), "2001:db8:a:b::/64");
}

std::string client(const std::string& fields, std::string_view peer, const std::vector<std::string>& trusted) {
  http::RequestParser parser{http::MessageLimits{}};
  parser.feed("GET / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n");
  const http::Peer socket(*http::NetworkAddress::parse(peer));
  return http::find_client(socket, parser.request(), *http::NetworkSet::parse(trusted)).value_or(socket).canonical;
}

TEST(ClientAddress, IsTheRightmostAddressThatIsNotATrustedProxy) {
  const std::vector<std::string> trusted = {"10.0.0.0/8", "2001:db8:ffff::/48"};
  EXPECT_EQ(client("X-Forwarded-For: 1.1.1.1, 2.2.2.2, 10.0.0.2\r\n", "10.0.0.1", trusted), "2.2.2.2");
  EXPECT_EQ(client("X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 10.0.0.2\r\n", "10.0.0.1", trusted), "1.1.1.1");
  EXPECT_EQ(client("X-Forwarded-For: 1.1.1.1, nonsense, 10.0.0.2\r\n", "10.0.0.1", trusted), "10.0.0.2");
  EXPECT_EQ(client("X-Forwarded-For: 10.0.0.3, 10.0.0.2\r\n", "10.0.0.1", trusted), "10.0.0.3");
  EXPECT_EQ(client("", "10.0.0.1", trusted), "10.0.0.1");
  EXPECT_EQ(client("X-Forwarded-For: 1.1.1.1:80\r\n", "2001:db8:ffff::1", trusted), "1.1.1.1");
  EXPECT_EQ(client("X-Forwarded-For: 1.1.1.1\r\n", "11.0.0.1", trusted), "11.0.0.1");
}

TEST(ClientAddress, IsReadFromForwardedIfThereIsNoXForwardedFor) {
  const std::vector<std::string> trusted = {"::1"};
  EXPECT_EQ(client("Forwarded: for=1.1.1.1;proto=http, by=x;For=\"[2001:db8:1:2:3::]:4711\"\r\n", "::1", trusted),
            "2001:db8:1:2::/64");
  EXPECT_EQ(client("Forwarded: for=_hidden\r\n", "::1", trusted), "::/64");
  EXPECT_EQ(client("Forwarded: for=1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\n", "::1", trusted), "2.2.2.2");
}

TEST(ClientAddress, TreatsAMappedAddressAsIpv4AlsoForTrust) {
  EXPECT_EQ(client("X-Forwarded-For: ::ffff:1.1.1.1\r\n", "::ffff:10.0.0.1", {"10.0.0.0/8"}), "1.1.1.1");
}

TEST(ClientAddress, IsComparedWithNetworksBitByBit) {
  const auto set = *http::NetworkSet::parse({"192.0.2.128/25", "2001:db8::/33"});
  const auto has = [&](std::string_view text) { return set.contains(*http::NetworkAddress::parse(text)); };
  EXPECT_TRUE(has("192.0.2.128"));
  EXPECT_FALSE(has("192.0.2.127"));
  EXPECT_TRUE(has("2001:db8:7fff::"));
  EXPECT_FALSE(has("2001:db8:8000::"));
  for (const char* bad : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "2001:db8::/129", "host", "10.0.0/8"})
    EXPECT_FALSE(http::NetworkSet::parse({bad}).has_value()) << bad;
}

class RateFields : public testing::Test {
 protected:
  ports::Admission admission(model::Limits limits, model::WindowState minute, model::WindowState day) const {
    ports::Admission given;
    given.plan.limits = limits;
    given.decision = {true, minute, day};
    return given;
  }
  const model::Instant now = *model::parse_instant("2026-03-14T12:00:00Z") + 250ms;
};

TEST_F(RateFields, DescribeTheWindowWithTheFewestRemaining) {
  const auto stats = http::compute_rate_state(admission({10, 20}, {5, now + 10s}, {3, now + 1h}), now);
  EXPECT_EQ(stats.limit, 20u);
  EXPECT_EQ(stats.remaining, 3u);
}

TEST_F(RateFields, DescribeTheWindowThatResetsLaterOnATie) {
  EXPECT_EQ(http::compute_rate_state(admission({10, 20}, {0, now + 10s}, {0, now + 1h}), now).limit, 20u);
  EXPECT_EQ(http::compute_rate_state(admission({10, 20}, {0, now + 10s}, {0, now + 5s}), now).limit, 10u);
}

TEST_F(RateFields, RoundTheResetUpToAtLeastOneSecond) {
  const auto stats = http::compute_rate_state(admission({10, 0}, {0, now + 1ms}, {}), now);
  EXPECT_EQ(stats.reset, std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count() + 1);
  EXPECT_EQ(stats.retry_after, 1s);
  EXPECT_EQ(http::compute_rate_state(admission({10, 0}, {0, now - 5s}, {}), now).retry_after, 1s);
}

TEST_F(RateFields, OmitAWindowWithoutALimit) {
  std::string fields;
  http::write_rate_fields(fields, admission({0, 20}, {0, now}, {7, now + 1s}), now);
  EXPECT_EQ(fields,
            "X-RateLimit-Limit: 20\r\nX-RateLimit-Remaining: 7\r\nX-RateLimit-Reset: 1773489602\r\n"
            "RateLimit-Policy: \"day\";q=20;w=86400\r\nRateLimit: \"day\";r=7;t=1\r\n");
}

TEST_F(RateFields, WithoutALimitAreTheLargestNumberAndMidnight) {
  std::string fields;
  http::write_rate_fields(fields, admission({0, 0}, {}, {}), now);
  EXPECT_EQ(fields,
            "X-RateLimit-Limit: 2147483647\r\nX-RateLimit-Remaining: 2147483647\r\nX-RateLimit-Reset: 1773532800\r\n");
}

TEST(HttpDate, IsFormattedAsImfFixdate) {
  EXPECT_EQ(format_date(*model::parse_instant("1994-11-06T08:49:37Z"), "GMT"), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace kbase::tests
