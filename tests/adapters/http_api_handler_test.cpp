// SPDX-License-Identifier: Apache-2.0
// The order of checks in docs/guide/errors.md, and the fields of every response.
#include <stdexcept>

#include "tests/adapters/http_fixture.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;
using Mode = ports::AcquireRequest::Mode;
using Verdict = ports::Admission::Verdict;

class ApiHandler : public testing::Test, protected HttpFixture {
 protected:
  /// Returns `given` as the admission of every client.
  void admit_as(ports::Admission given) {
    admission = std::move(given);
    allowance = NAMED_ALLOW_CALL(access, admit(_, _, _)).LR_SIDE_EFFECT(note(_2, _3)).LR_RETURN(admission);
  }

  void SetUp() override { admit_as(admitted(clock.now())); }

  void note(const ports::Client& client, Mode mode) {
    address = client.address;
    credential = client.credential ? std::optional<std::string>(*client.credential) : std::nullopt;
    decision = mode;
  }

  ports::Admission with(Verdict verdict) {
    ports::Admission given = admitted(clock.now());
    given.verdict = verdict;
    return given;
  }

  ports::Admission with_key(model::Scopes scopes) {
    ports::Admission given = admitted(clock.now());
    given.has_key = true;
    given.scopes = scopes;
    return given;
  }

  ports::Admission admission;
  std::unique_ptr<trompeloeil::expectation> allowance;
  std::string address;
  std::optional<std::string> credential;
  std::optional<Mode> decision;
};

TEST_F(ApiHandler, SetsTheCommonFieldsOfEveryResponse) {
  const HttpAnswer answer = get("/nothing", "X-Request-Id: mine.1\r\n");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.field("date"), "Sat, 14 Mar 2026 12:00:00 GMT");
  EXPECT_EQ(answer.field("content-type"), "application/json; charset=utf-8");
  EXPECT_EQ(answer.field("content-length"), std::to_string(answer.body.size()));
  EXPECT_EQ(answer.field("x-ratelimit-limit"), "10");
  EXPECT_EQ(answer.field("x-ratelimit-remaining"), "9");
  EXPECT_EQ(answer.field("x-ratelimit-reset"), std::to_string(clock.now().time_since_epoch().count() / 1000 + 60));
  EXPECT_EQ(answer.field("ratelimit-policy"), "\"minute\";q=10;w=60, \"day\";q=1000;w=86400");
  EXPECT_EQ(answer.field("ratelimit"), "\"minute\";r=9;t=60, \"day\";r=999;t=43200");
  EXPECT_EQ(answer.field("x-request-id"), "mine.1");
  EXPECT_EQ(answer.field("access-control-allow-origin"), "*");
  EXPECT_EQ(answer.field("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer.field("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
  EXPECT_EQ(answer.field("vary"), "Accept-Encoding");
  EXPECT_EQ(answer.field("connection"), "(absent)");
  EXPECT_EQ(answer.field("server"), "(absent)");
  const auto json = answer.json();
  EXPECT_EQ(json.at("error").at("code"), "NOT_FOUND");
  EXPECT_TRUE(json.at("error").at("message").is_string());
  EXPECT_FALSE(json.at("error").contains("details"));
  EXPECT_EQ(json.at("timestamp"), "2026-03-14T12:00:00Z");
}

TEST_F(ApiHandler, Returns429BeforeAnyOtherError) {
  ports::Admission limited = with(Verdict::Limited);
  limited.decision.minute.remaining = 0;
  limited.decision.minute.reset = clock.now() + std::chrono::milliseconds(1500);
  admit_as(limited);
  for (const char* path : {"/nothing", "/item/%zz", "/search"}) {
    const HttpAnswer answer = get(path);
    EXPECT_EQ(answer.status, 429) << path;
    EXPECT_EQ(answer.error_code(), "RATE_LIMIT_EXCEEDED");
    EXPECT_EQ(answer.field("retry-after"), "2");
    EXPECT_EQ(answer.json().at("error").at("details").at("limit"), 10);
    EXPECT_EQ(std::to_string(answer.json().at("error").at("details").at("reset").get<long>()),
              answer.field("x-ratelimit-reset"));
  }
}

TEST_F(ApiHandler, RejectsAnInvalidKeyBeforeItSelectsTheRoute) {
  admit_as(with(Verdict::BadKey));
  for (const char* path : {"/nothing", "/stats", "/external/llm"}) {
    const HttpAnswer answer = get(path, "Authorization: Bearer nonsense\r\n");
    EXPECT_EQ(answer.status, 401) << path;
    EXPECT_EQ(answer.field("www-authenticate"), "Bearer");
  }
}

TEST_F(ApiHandler, Returns503IfTheKeyStoreOrTheRateLimiterIsUnavailable) {
  for (const Verdict verdict : {Verdict::KeyUnchecked, Verdict::Unavailable}) {
    admit_as(with(verdict));
    const HttpAnswer answer = get("/stats");
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.field("retry-after"), "5") << "the field is missing";

    ports::Admission hinted = with(verdict);
    hinted.retry_after = std::chrono::milliseconds(1001);
    admit_as(hinted);
    EXPECT_EQ(get("/stats").field("retry-after"), "2");
  }
}

TEST_F(ApiHandler, PassesTheKeyOnlyForTheBearerSchemeInAnyCase) {
  get("/nothing", "Authorization: bEARER  abc \r\n");
  EXPECT_EQ(credential, "abc");
  get("/nothing", "Authorization: Basic abc\r\n");
  EXPECT_EQ(credential, "");
  get("/nothing", "Authorization: abc\r\n");
  EXPECT_EQ(credential, "");
  get("/nothing");
  EXPECT_EQ(credential, std::nullopt);
}

TEST_F(ApiHandler, ChargesAllPathsBelowTheBasePathExceptHealthAndOptions) {
  REQUIRE_CALL(health, report()).RETURN(ports::HealthReport{});
  get("/nothing");
  EXPECT_EQ(decision, Mode::Charge);
  get("/health");
  EXPECT_EQ(decision, Mode::Peek);
  send("OPTIONS", "/item/x");
  EXPECT_EQ(decision, Mode::Peek);
  send("POST", "/external/llm");
  EXPECT_EQ(decision, Mode::ChargeExactly)
      << "rejected while the rate limiter is unavailable, regardless of the configuration";
  handle("GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(decision, Mode::Peek);
}

TEST_F(ApiHandler, AcceptsAnyKeyForHealthAndOptions) {
  admit_as(with(Verdict::BadKey));
  REQUIRE_CALL(health, report()).RETURN(ports::HealthReport{});
  EXPECT_EQ(get("/health", "Authorization: Bearer x\r\n").status, 200);
  EXPECT_EQ(send("OPTIONS", "/item/x", "Authorization: Bearer x\r\n").status, 204);
}

TEST_F(ApiHandler, ChargesTheNetworkOfTheClientAddress) {
  const std::string request = "GET /api/v1/no HTTP/1.1\r\nHost: x\r\n\r\n";
  handle(request, "2001:db8:1:2:3::4");
  EXPECT_EQ(address, "2001:db8:1:2::/64");
  handle(request, "::ffff:192.0.2.9");
  EXPECT_EQ(address, "192.0.2.9");
}

TEST_F(ApiHandler, AcceptsForwardedAddressesOnlyFromTrustedProxies) {
  const std::string request = "GET /api/v1/no HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n";
  handle(request, "10.0.0.1");
  EXPECT_EQ(address, "10.0.0.1");
  options.trusted_proxies = {"10.0.0.0/8"};
  handle(request, "10.0.0.1");
  EXPECT_EQ(address, "198.51.100.1");
}

TEST_F(ApiHandler, Returns405WithTheAllowedMethods) {
  for (const char* method : {"POST", "PATCH", "TRACE", "FROB", "get"}) {
    const HttpAnswer answer = send(method, "/item/x");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.field("allow"), "GET, HEAD, PUT, DELETE, OPTIONS");
    EXPECT_EQ(send(method, "/nothing").status, 404) << method;
  }
  EXPECT_EQ(get("/external/llm").status, 405);
  EXPECT_EQ(get("/external/llm").field("allow"), "POST, OPTIONS");
}

TEST_F(ApiHandler, AnswersOptionsWithoutABody) {
  const HttpAnswer answer = send("OPTIONS", "/item/x");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("allow"), "GET, HEAD, PUT, DELETE, OPTIONS");
  EXPECT_EQ(answer.field("content-length"), "(absent)");
  EXPECT_EQ(answer.field("access-control-max-age"), "(absent)");
  EXPECT_EQ(send("OPTIONS", "/nothing").status, 404);
  EXPECT_EQ(handle("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").status, 204);
}

TEST_F(ApiHandler, AnswersPreflightRequestsOnAnyPath) {
  for (const char* path : {"/search", "/nothing"}) {
    const HttpAnswer answer = send("OPTIONS", path, "Origin: https://a\r\nAccess-Control-Request-Method: GET\r\n");
    EXPECT_EQ(answer.status, 204);
    EXPECT_NE(answer.field("access-control-allow-headers").find("Authorization"), std::string::npos);
    EXPECT_NE(answer.field("access-control-allow-methods").find("POST"), std::string::npos);
    EXPECT_EQ(answer.field("access-control-max-age"), "86400");
    EXPECT_EQ(answer.field("access-control-allow-credentials"), "(absent)");
  }
}

TEST_F(ApiHandler, AllowsOnlyConfiguredOrigins) {
  options.cors.allowed_origins = {"https://good"};
  EXPECT_EQ(get("/no", "Origin: https://good\r\n").field("access-control-allow-origin"), "https://good");
  EXPECT_EQ(get("/no", "Origin: https://bad\r\n").field("access-control-allow-origin"), "(absent)");
  EXPECT_EQ(get("/no").field("vary"), "Accept-Encoding, Origin");
}

TEST_F(ApiHandler, ChecksTheKeyThenTheScopeThenTheMediaTypeThenTheBody) {
  const std::string text = "Content-Type: text/plain\r\n";
  EXPECT_EQ(send("POST", "/external/llm", text, "{").status, 401);
  admit_as(with_key(static_cast<model::Scopes>(model::Scope::Read)));
  const HttpAnswer forbidden = send("POST", "/external/llm", text, "{");
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_EQ(forbidden.field("www-authenticate"), "Bearer error=\"insufficient_scope\"");
  admit_as(with_key(model::kDefaultScopes));
  EXPECT_EQ(send("POST", "/external/llm", text, "{").error_code(), "UNSUPPORTED_MEDIA_TYPE");
  EXPECT_EQ(send("POST", "/external/llm", "Content-Encoding: gzip\r\n", "{").status, 415);
  EXPECT_EQ(send("POST", "/external/llm", "", "{").error_code(), "INVALID_BODY");
  EXPECT_EQ(send("POST", "/external/llm", "Content-Type: application/x+json; charset=utf-8\r\n", "[]").error_code(),
            "INVALID_BODY");
}

TEST_F(ApiHandler, RejectsAKeyWithoutTheScopeRead) {
  admit_as(with_key(static_cast<model::Scopes>(model::Scope::Llm)));
  EXPECT_EQ(get("/stats").status, 403);
  REQUIRE_CALL(health, report()).RETURN(ports::HealthReport{});
  EXPECT_EQ(get("/health").status, 200);
}

TEST_F(ApiHandler, TurnsAnExceptionInto500AndOnlyLogsItsCause) {
  ALLOW_CALL(statistics, validator(_)).THROW(std::runtime_error("secret inside"));
  const HttpAnswer answer = get("/stats", "X-Request-Id: r1\r\n");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.error_code(), "INTERNAL_ERROR");
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  EXPECT_EQ(log.lines().front(), "http.failed request_id=r1 cause=secret inside");
  EXPECT_EQ(answer.field("x-ratelimit-limit"), "10");
}

TEST_F(ApiHandler, TurnsAnExceptionOfUnknownTypeInto500) {
  ALLOW_CALL(statistics, validator(_)).THROW(42);
  EXPECT_EQ(get("/stats").status, 500);
}

TEST_F(ApiHandler, HidesTheDetailOfInternalErrors) {
  for (const auto code : {ErrorCode::Internal, ErrorCode::Corrupt, ErrorCode::Gone}) {
    ALLOW_CALL(statistics, validator(_)).RETURN(ports::Validator{});
    ALLOW_CALL(statistics, report(_)).RETURN(Error{code, "page 7", "detail 7"});
    const HttpAnswer answer = get("/stats");
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.body.find("page 7"), std::string::npos);
  }
}

TEST_F(ApiHandler, SendsRetryAfterIfAServiceIsUnavailable) {
  ALLOW_CALL(statistics, validator(_)).RETURN(ports::Validator{});
  ALLOW_CALL(statistics, report(_))
      .RETURN(Error{ErrorCode::Unavailable, "The store is down.", {}, {}, std::chrono::milliseconds(2100)});
  const HttpAnswer answer = get("/stats");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.error_code(), "SERVICE_UNAVAILABLE");
  EXPECT_EQ(answer.field("retry-after"), "3");
  EXPECT_EQ(answer.json().at("error").at("message"), "The store is down.");
}

TEST_F(ApiHandler, ReportsATimeoutOfAnExternalServiceAsUpstreamTimeout) {
  ALLOW_CALL(users, find_cached("ada")).RETURN(std::nullopt);
  ALLOW_CALL(users, look_up(_, _, "ada")).RETURN(Error{ErrorCode::Deadline, "Late."});
  EXPECT_EQ(get("/external/codehost/ada").status, 504);
  ALLOW_CALL(statistics, validator(_)).RETURN(ports::Validator{});
  ALLOW_CALL(statistics, report(_)).RETURN(Error{ErrorCode::Deadline, "Late."});
  EXPECT_EQ(get("/stats").status, 503);
}

TEST_F(ApiHandler, RunsOnTheExecutorOfItsBackendUnlessTheReplyIsCached) {
  HeldExecutor searches, both, codehost, llm, changes;
  const http::Services apart{
      search,  catalog,    statistics,  health,  access,
      writing, users,      completions, clock,   random,
      log,     pseudonyms, signatures,  metrics, {executor, searches, both, codehost, llm, changes}};
  const http::ApiHandler api_handler(options, apart, *http::NetworkSet::parse(options.trusted_proxies));
  ALLOW_CALL(access, is_inline(_)).RETURN(false);
  const auto executor_of = [&](std::string_view path) {
    http::RequestParser parser{http::MessageLimits{}};
    const std::string bytes = "GET /api/v1" + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    parser.feed(bytes);
    const http::Peer from(*http::NetworkAddress::parse("192.0.2.7"));
    http::RequestContext context{parser.request(), api_handler.match(parser.request()), from, clock.steady()};
    return api_handler.prepare(context);
  };
  ALLOW_CALL(users, find_cached("ada")).RETURN(std::nullopt);
  ALLOW_CALL(users, find_cached("bob")).RETURN(ports::UserReply{"{}", {}});
  EXPECT_EQ(executor_of("/external/codehost/ada"), &codehost);
  EXPECT_EQ(executor_of("/external/codehost/bob"), &executor);
  EXPECT_EQ(executor_of("/external/llm"), &llm);
  EXPECT_EQ(executor_of("/search"), &searches);
  EXPECT_EQ(executor_of("/suggest"), &searches);
  EXPECT_EQ(executor_of("/item/a/related"), &both);
  EXPECT_EQ(executor_of("/popular"), &both);
  EXPECT_EQ(executor_of("/item/a"), &executor);
  EXPECT_EQ(executor_of("/nothing"), &executor);
}

TEST_F(ApiHandler, UsesTheTimeoutOfTheCodeHostIfThatIsShorter) {
  using namespace std::chrono_literals;
  ALLOW_CALL(users, find_cached("ada")).RETURN(std::nullopt);
  for (const auto& [wanted, given] : {std::pair(2s, 1960ms), std::pair(60s, 29'900ms)}) {
    options.codehost_timeout = wanted;
    const auto deadline = clock.steady() + given;
    REQUIRE_CALL(users, look_up(_, _, "ada")).WITH(_1.deadline == deadline).RETURN(ports::UserReply{"{}", {}});
    EXPECT_EQ(get("/external/codehost/ada").status, 200);
  }
}

TEST_F(ApiHandler, RequiresAKeyForTheCodeHostIfConfigured) {
  options.codehost_needs_key = true;
  ALLOW_CALL(users, find_cached("ada")).RETURN(ports::UserReply{"{}", {}});
  EXPECT_EQ(get("/external/codehost/ada").status, 401);
  admit_as(with_key(model::kDefaultScopes));
  EXPECT_EQ(get("/external/codehost/ada").status, 200);
}

TEST_F(ApiHandler, DoesNotLogKeysQueriesOrAddresses) {
  ALLOW_CALL(catalog, item(_, "x y", _)).RETURN(Error{ErrorCode::NotFound, "No."});
  get("/item/x%20y?secret=1", "Authorization: Bearer kb_key\r\nX-Request-Id: r2\r\n");
  const std::string line = log.last();
  EXPECT_EQ(line.find("http.request method=GET route=/item/{id} status=404 bytes="), 0u) << line;
  EXPECT_NE(line.find("request_id=r2 client_id=s07............."), std::string::npos) << line;
  for (const char* hidden : {"secret", "kb_key", "192.0.2.7", "x%20y"})
    EXPECT_EQ(line.find(hidden), std::string::npos) << line;
}

TEST_F(ApiHandler, LogsTheAddressAsConfigured) {
  const auto line_with = [&](http::LoggedAddress shown) {
    options.logged_address = shown;
    handle("GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n", "2001:db8:1:2:3::4");
    return log.last();
  };
  using Shown = http::LoggedAddress;
  EXPECT_TRUE(line_with(Shown::Hash).ends_with(" client_id=s07............."));
  EXPECT_TRUE(line_with(Shown::Prefix).ends_with(" client_id=s07............. client=2001:db8:1::/48"));
  EXPECT_TRUE(line_with(Shown::Full).ends_with(" client_id=s07............. client=2001:db8:1:2:3::4"));
  EXPECT_EQ(line_with(Shown::None).find("client_id"), std::string::npos);
  admit_as(with_key(model::kDefaultScopes));
  EXPECT_TRUE(line_with(Shown::None).ends_with(" client_id=s07............."));
}

TEST_F(ApiHandler, CountsResponsesByEndpointAndStatusOnly) {
  ALLOW_CALL(catalog, item(_, _, _)).RETURN(Error{ErrorCode::NotFound, "No."});
  for (const char* path : {"/item/a", "/item/b?x=y", "/nothing"}) get(path);
  const std::string text = metrics.expose().text;
  const auto has = [&](const char* line) { return text.find('\n' + std::string(line) + '\n') != std::string::npos; };
  EXPECT_TRUE(has(R"(kbase_http_requests_total{route="/item/{id}",status="404"} 2)")) << text;
  EXPECT_TRUE(has(R"(kbase_http_requests_total{route="-",status="404"} 1)"));
  EXPECT_TRUE(has(R"(kbase_http_request_duration_seconds_count{route="/item/{id}"} 2)"));
  EXPECT_TRUE(has("kbase_http_requests_in_flight 0"));
  EXPECT_EQ(text.find("item/a"), std::string::npos);
  EXPECT_EQ(text.find("192.0.2.7"), std::string::npos);
}

TEST_F(ApiHandler, CountsDeniedRequestsByClientKindAndWindow) {
  ports::Admission limited = with(Verdict::Limited);
  limited.decision.minute.remaining = 0;
  admit_as(limited);
  get("/stats");
  limited.decision.minute.remaining = 3;
  limited.decision.day.remaining = 0;
  limited.has_key = true;
  admit_as(limited);
  get("/stats");
  const std::string text = metrics.expose().text;
  EXPECT_NE(text.find(R"(kbase_quota_denials_total{client="address",window="minute"} 1)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(kbase_quota_denials_total{client="key",window="day"} 1)"), std::string::npos);
  EXPECT_NE(text.find(R"(kbase_quota_denials_total{client="key",window="minute"} 0)"), std::string::npos);
}

TEST_F(ApiHandler, PassesTheDeadlineAndTheRequestId) {
  std::string trace;
  ports::Call::SteadyTime deadline;
  ALLOW_CALL(statistics, validator(_))
      .LR_SIDE_EFFECT(trace = _1.trace_id; deadline = _1.deadline)
      .RETURN(Error{ErrorCode::Unavailable, "no"});
  get("/stats", "X-Request-Id: r3\r\n");
  EXPECT_EQ(trace, "r3");
  EXPECT_EQ(deadline, clock.steady() + options.request_timeout);
}

}  // namespace
}  // namespace kbase::tests
