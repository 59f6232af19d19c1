// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/suites.hpp"

#include <array>
#include <initializer_list>
#include <thread>

namespace kbase::conformance {
namespace {
using std::chrono::seconds;
using Reply = FakeUpstream::Reply;

/// A valid user name of every service.
constexpr std::string_view kUser = "ada";
/// More calls than any plugin makes for one look-up with default settings.
constexpr std::uint64_t kMaxCalls = 100;

/// A visitor that ignores everything. The results of a failed look-up have no meaning.
class IgnoringVisitor final : public ports::UserVisitor {
 public:
  Visit profile(const ports::UserProfile&) override { return Visit::Continue; }
  Visit repository(const ports::Repository&) override { return Visit::Continue; }
  Visit contributions(const ports::Contributions&) override { return Visit::Continue; }
  Visit contribution_day(model::Day, std::uint64_t) override { return Visit::Continue; }
  Visit language(std::string_view, double) override { return Visit::Continue; }
};

Result<ports::LookUp> look_up(CodeHostFixture& fixture, Report& report, SourceLine where = SourceLine::current()) {
  ports::Call call;
  IgnoringVisitor visitor;
  const std::uint64_t requests_before = fixture.upstream.request_count();
  auto result = fixture.port().look_up(call, kUser, {}, visitor);
  report.equal(fixture.upstream.open_exchanges(), 0, "a look-up ends every exchange that it began", where);
  report.expect(fixture.upstream.request_count() - requests_before <= kMaxCalls, "a look-up has an end",
                std::to_string(fixture.upstream.request_count() - requests_before) + " requests", where);
  return result;
}

/// Expects a look-up to fail with one of `codes` when the upstream service returns `reply`.
void fails_with(CodeHostFixture& fixture, const Reply& reply, std::initializer_list<ErrorCode> codes,
                std::string_view wanted, Report& report, SourceLine where = SourceLine::current()) {
  fixture.upstream.set(reply);
  const auto result = look_up(fixture, report, where);
  const std::string about = "status " + std::to_string(reply.status) + ", " + reply.body.substr(0, 40) + ": ";
  if (!report.expect(!result, wanted, about + "it succeeded", where)) return;
  bool is_among = false;
  for (const ErrorCode code : codes) is_among = is_among || result.error().code == code;
  report.expect(is_among, wanted, about + std::string(name_of(result.error().code)) + ": " + result.error().message,
                where);
}

void accepts_valid_usernames(CodeHostFixture& fixture, Report& report) {
  const std::uint64_t requests_before = fixture.upstream.request_count();
  report.expect(fixture.port().is_username(kUser), "a short name of letters could be a user's");
  for (const std::string_view name :
       {std::string_view(), std::string_view("."), std::string_view(".."), std::string_view("a/b"),
        std::string_view("../a"), std::string_view("a b"), std::string_view("a?b"), std::string_view("a#b"),
        std::string_view("a%2fb"), std::string_view("a\\b"), std::string_view("a\0b", 3), std::string_view("a\r\nb"),
        std::string_view("\xff")})
    report.expect(!fixture.port().is_username(name), "what leads elsewhere in a URL is not a username", name);
  report.expect(!fixture.port().is_username(std::string(1000, 'a')), "a username has a bound");
  report.equal(fixture.upstream.request_count(), requests_before, "is_username sends no request");
}

void an_unknown_user_is_not_found(CodeHostFixture& fixture, Report& report) {
  fails_with(fixture, {.status = 404, .body = R"({"message":"Not Found"})"}, {ErrorCode::NotFound},
             "a user whom the service does not know is NotFound", report);
}

void distinguishes_a_rejected_token_from_an_unknown_user(CodeHostFixture& fixture, Report& report) {
  fails_with(fixture, {.status = 401, .body = R"({"message":"Bad credentials"})"}, {ErrorCode::BadUpstream},
             "a refused token is BadUpstream", report);
}

void reports_the_rate_limit_of_the_service(CodeHostFixture& fixture, Report& report) {
  fixture.upstream.set({.status = 429, .fields = {{"retry-after", "30"}}, .body = "{}"});
  const auto result = look_up(fixture, report);
  if (!report.fails(result, ErrorCode::Unavailable, "a rate limit that is used up is Unavailable")) return;
  report.expect(result.error().retry_after >= seconds(30) && result.error().retry_after <= seconds(31),
                "with the time that the service says to wait",
                std::to_string(result.error().retry_after.count()) + " ms");
}

void a_failure_is_not_a_result(CodeHostFixture& fixture, Report& report) {
  for (const std::uint32_t status : {400U, 403U, 405U, 418U, 500U, 502U, 503U, 504U, 599U})
    fails_with(fixture, {.status = status, .body = "{}"}, {ErrorCode::Unavailable, ErrorCode::BadUpstream},
               "a service that fails is Unavailable or BadUpstream", report);
}

void an_unexpected_status_is_not_a_result(CodeHostFixture& fixture, Report& report) {
  for (const std::uint32_t status : {204U, 206U, 301U, 302U, 304U, 307U})
    fails_with(fixture, {.status = status, .fields = {{"location", "https://elsewhere.example/"}}},
               {ErrorCode::Unavailable, ErrorCode::BadUpstream},
               "an answer that nothing asked for is Unavailable or BadUpstream", report);
}

void an_invalid_body_is_not_a_result(CodeHostFixture& fixture, Report& report) {
  std::string noise;
  for (std::uint32_t i = 0, state = 1; i < 5000; ++i) {
    state = state * 1664525 + 1013904223;  // generator from Numerical Recipes: the noise is reproducible
    noise += static_cast<char>(state >> 24U);
  }
  const std::array<std::string, 11> bodies{"",        " ",    "nonsense",    "{",   "[{\"login\":\"ada\"",
                                           "\"ada\"", "null", "{} trailing", noise, std::string(200'000, '['),
                                           "7"};
  for (const std::string& body : bodies)
    fails_with(fixture, {.body = body}, {ErrorCode::BadUpstream}, "what is not an answer of the service is BadUpstream",
               report);
  // A search without results has this form too.
  for (const char* body : {"{}", "[]", "[[]]", R"({"id":[],"login":{},"username":7})", R"([{"id":"x"}])"})
    fails_with(fixture, {.body = body}, {ErrorCode::BadUpstream, ErrorCode::NotFound},
               "a response without its members is BadUpstream or NotFound", report);
}

void a_truncated_body_is_not_a_result(CodeHostFixture& fixture, Report& report) {
  fails_with(fixture, {.body = R"([{"login":"ada","username":"ada","id":1}])", .is_truncated = true},
             {ErrorCode::BadUpstream, ErrorCode::Unavailable}, "a truncated response is not a result", report);
}

void reports_why_the_service_was_not_reached(CodeHostFixture& fixture, Report& report) {
  for (const ErrorCode code : {ErrorCode::Unavailable, ErrorCode::Deadline, ErrorCode::Cancelled})
    fails_with(fixture, {.failure = code}, {code}, "what the HTTP client failed with is what the look-up fails with",
               report);
}

void is_unhealthy_without_the_service(CodeHostFixture& fixture, Report& report) {
  ports::Call call;
  fixture.upstream.set({.failure = ErrorCode::Unavailable});
  report.expect(!fixture.port().health(call), "a code host that can't be reached is not healthy");
  fixture.upstream.set({.status = 500});
  report.expect(!fixture.port().health(call), "nor is one that fails");
  report.equal(fixture.upstream.open_exchanges(), 0, "health ends every exchange that it began");
}

void serves_many_threads(CodeHostFixture& fixture, Report& report) {
  fixture.upstream.set({.status = 404, .body = "{}"});
  std::array<int, 8> not_found{};
  std::vector<std::thread> threads;
  for (int& count : not_found)
    threads.emplace_back([&fixture, &count] {
      for (int i = 0; i < 100; ++i) {
        ports::Call call;
        IgnoringVisitor visitor;
        const auto result = fixture.port().look_up(call, kUser, {}, visitor);
        count += !result && result.error().code == ErrorCode::NotFound ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : not_found) report.equal(count, 100, "every thread gets its own result");
  report.equal(fixture.upstream.open_exchanges(), 0, "and every exchange ends");
}

}  // namespace

Suite<CodeHostFixture> code_host_suite() {
  return {
      {"AcceptsValidUsernames", "is_username", accepts_valid_usernames},
      {"AnUnknownUserIsNotFound", "look_up", an_unknown_user_is_not_found},
      {"DistinguishesARejectedTokenFromAnUnknownUser", "look_up", distinguishes_a_rejected_token_from_an_unknown_user},
      {"ReportsTheRateLimitOfTheService", "look_up", reports_the_rate_limit_of_the_service},
      {"AFailureIsNotAResult", "look_up", a_failure_is_not_a_result},
      {"AnUnexpectedStatusIsNotAResult", "look_up", an_unexpected_status_is_not_a_result},
      {"AnInvalidBodyIsNotAResult", "look_up", an_invalid_body_is_not_a_result},
      {"ATruncatedBodyIsNotAResult", "look_up", a_truncated_body_is_not_a_result},
      {"ReportsWhyTheServiceWasNotReached", "look_up", reports_why_the_service_was_not_reached},
      {"IsUnhealthyWithoutTheService", "health", is_unhealthy_without_the_service},
      {"ServesManyThreads", "", serves_many_threads},
  };
}

}  // namespace kbase::conformance
