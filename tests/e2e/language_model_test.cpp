// SPDX-License-Identifier: Apache-2.0
// POST /external/llm without streaming, with a fake service. Manual: docs/guide/completions.md.
#include <chrono>

#include "tests/e2e/language_model_fixture.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json received_by(const ModelService& service) { return json::parse(service.prompts().back().body); }

/// Returns the `data` of a completion, and expects that it is not cacheable.
json expect_completion(const Response& response) {
  expect_common_fields(response);
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.field("cache-control"), "no-store");
  EXPECT_FALSE(response.has("etag"));
  const json body = response.json();
  const bool is_envelope = body.is_object() && body.size() == 2 && body.value("success", false);
  EXPECT_TRUE(is_envelope) << response.body;
  return is_envelope ? body.value("data", json::object()) : json::object();
}

TEST_F(LanguageModelTest, CompletesAPrompt) {
  Client web = serve();
  const json data = expect_completion(prompt(web));
  EXPECT_EQ(data, (json{{"model", "small-1"},
                        {"completion", "Grüße"},
                        {"finish_reason", "stop"},
                        {"usage", {{"prompt_tokens", 11}, {"completion_tokens", 4}, {"total_tokens", 15}}}}));
  const json received = received_by(service_);
  EXPECT_EQ(received["model"], "small-1");
  EXPECT_EQ(received["messages"].back()["content"], "Why?");
  EXPECT_FALSE(received.contains("temperature"));
  EXPECT_NE(received.dump().find(":1024"), std::string::npos) << received;
  EXPECT_EQ(service_.prompts().back().field("authorization"), std::string("Bearer ") + kFakeKey);
}

TEST_F(LanguageModelTest, SendsOnlyTheRequestedParameters) {
  service_.complete({{"cut"}, /*is_cut_by_length=*/true});
  Client web = serve();
  const json data = expect_completion(prompt(web, {{"prompt", "\u65e5\u672c \"x\"\n"},
                                                   {"model", "big-1"},
                                                   {"max_tokens", 7},
                                                   {"temperature", 0.5},
                                                   {"stream", false},
                                                   {"user", "mine"},
                                                   {"system", {{"a", 1}}}}));
  EXPECT_EQ(data["finish_reason"], "length");
  const json received = received_by(service_);
  EXPECT_EQ(received["model"], "big-1");
  EXPECT_EQ(received["messages"].back()["content"], "\u65e5\u672c \"x\"\n");
  EXPECT_EQ(received["temperature"], 0.5);
  EXPECT_FALSE(received.contains("user") || received.contains("system")) << received;
  EXPECT_NE(received.dump().find(":7"), std::string::npos) << received;
}

TEST_F(LanguageModelTest, RejectsParametersOutOfBounds) {
  Client web =
      serve({"llm.max_prompt_bytes=8", "llm.max_tokens=50", "llm.default_max_tokens=20", "llm.allowed_models=[big-1]"});
  for (const json& members : {json{{"prompt", "12345678"}}, json{{"prompt", "x"}, {"max_tokens", 50}},
                              json{{"prompt", "x"}, {"max_tokens", 1}}, json{{"prompt", "x"}, {"temperature", 0}},
                              json{{"prompt", "x"}, {"temperature", 2.0}}, json{{"prompt", "x"}, {"model", "big-1"}},
                              json{{"prompt", "x"}, {"model", "small-1"}}})
    EXPECT_EQ(prompt(web, members).status, 200) << members;
  const std::size_t prompts_before = service_.prompts().size();
  EXPECT_EQ(prompts_before, 7U);
  expect_bad_parameter(prompt(web, {{"prompt", "123456789"}}), "prompt");
  expect_bad_parameter(prompt(web, {{"prompt", "日本語"}}), "prompt");
  expect_bad_parameter(prompt(web, {{"prompt", "x"}, {"max_tokens", 51}}), "max_tokens");
  expect_bad_parameter(prompt(web, {{"prompt", "x"}, {"max_tokens", 1e30}}), "max_tokens");
  const Response other = prompt(web, {{"prompt", "x"}, {"model", "other"}});
  expect_bad_parameter(other, "model");
  EXPECT_EQ(other.json()["error"]["details"]["reason"], "model must be one of: small-1, big-1");
  expect_bad_parameter(prompt(web, {{"prompt", "x"}, {"model", ""}}), "model");
  for (const char* member : {"prompt", "model", "max_tokens", "temperature", "stream"}) {
    for (const json& wrong : {json(), json::array(), json::object(), json("")}) {
      json members{{"prompt", "x"}};
      members[member] = wrong;
      expect_bad_parameter(prompt(web, members), member);
    }
  }
  EXPECT_EQ(service_.prompts().size(), prompts_before) << "an invalid prompt is not sent";
}

TEST_F(LanguageModelTest, AcceptsAnyJsonObjectAsABody) {
  Client web = serve();
  const std::string body = R"({"prompt":"Why?"})";
  for (const char* type : {"Content-Type: application/json", "Content-Type: Application/JSON; charset=utf-8",
                           "Content-Type: application/problem+json", "Content-Type:"})
    EXPECT_EQ(web.send(post(body, {type})).status, 200) << type;
  for (const char* type : {"Content-Type: text/json", "Content-Type: multipart/form-data; boundary=x"})
    expect_error(web.send(post(body, {type})), 415, "UNSUPPORTED_MEDIA_TYPE");
  expect_error(web.send(post(body, {"Content-Type: application/json", "Content-Encoding: gzip"})), 415,
               "UNSUPPORTED_MEDIA_TYPE");
  for (const std::string& wrong : {std::string("{\"prompt\":\"\xff\"}"), std::string(R"({"prompt":"\ud800"})"),
                                   std::string(R"({"prompt":"x",})"), std::string(R"({'prompt':'x'})"),
                                   std::string(R"({"prompt":NaN})"), std::string(100'000, '['), std::string(1, '\0')})
    expect_error(web.send(post(wrong)), 400, "INVALID_BODY");
  EXPECT_EQ(web.send(post("\xEF\xBB\xBF" + body)).status, 200) << "a byte order mark";
}

TEST_F(LanguageModelTest, RejectsABodyAboveTheMaximum) {
  Client web = serve({"server.max_body_bytes=4KiB", "llm.max_prompt_bytes=4KiB"});
  EXPECT_EQ(web.send(post(R"({"prompt":"x"})" + std::string(4096 - 14, ' '))).status, 200);
  const Response large = web.send(post(R"({"prompt":"x"})" + std::string(4097 - 14, ' ')));
  expect_error(large, 413, "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(large.field("connection"), "close");
}

TEST_F(LanguageModelTest, AnswersOnlyPost) {
  Client web = serve();
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE", "PATCH", "TRACE", "FROB"}) {
    SCOPED_TRACE(method);
    const Response response =
        web.send({.method = method, .target = "/external/llm", .fields = {}, .body = {}, .whole_target = {}});
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.field("allow"), "POST, OPTIONS");
    if (std::string_view(method) != "HEAD") expect_error(response, 405, "METHOD_NOT_ALLOWED");
  }
  Request other_target = post(R"({"prompt":"Why?"})");
  other_target.target = "/external/llm/x";
  expect_error(web.send(other_target), 404, "NOT_FOUND");
  for (const char* same : {"/external/llm/", "/external/llm?model=ignored", "/external/ll%6d"}) {
    other_target.target = same;
    EXPECT_EQ(web.send(other_target).status, 200) << same;
  }
}

TEST_F(LanguageModelTest, AnswersAPreflightOfABrowser) {
  Client web = serve();
  const Response plain =
      web.send({.method = "OPTIONS", .target = "/external/llm", .fields = {}, .body = {}, .whole_target = {}});
  expect_common_fields(plain);
  EXPECT_EQ(plain.status, 204);
  EXPECT_EQ(plain.field("allow"), "POST, OPTIONS");
  const Response preflight = Client(server().base_url())
                                 .send({.method = "OPTIONS",
                                        .target = "/external/llm",
                                        .fields = {"Origin: https://example.org", "Access-Control-Request-Method: POST",
                                                   "Access-Control-Request-Headers: authorization, content-type"},
                                        .body = {},
                                        .whole_target = {}});
  EXPECT_EQ(preflight.status, 204);
  EXPECT_NE(preflight.field("access-control-allow-methods").find("POST"), std::string::npos);
  for (const char* name : {"Authorization", "Content-Type"})
    EXPECT_NE(preflight.field("access-control-allow-headers").find(name), std::string::npos) << name;
  EXPECT_EQ(prompt(web).number("x-ratelimit-remaining"), 59) << "neither was counted";
}

TEST_F(LanguageModelTest, RequiresAKeyWithTheScope) {
  Client web = serve();
  Client keyless(server().base_url());
  const Response none = prompt(keyless);
  expect_error(none, 401, "UNAUTHORIZED");
  EXPECT_EQ(none.field("www-authenticate"), "Bearer");
  expect_error(keyless.send(post(R"({"prompt":"Why?"})", {"Authorization: Bearer " + std::string(40, 'x')})), 401,
               "UNAUTHORIZED");
  expect_error(keyless.send(post(R"({"prompt":"Why?"})", {"Authorization: Basic " + key()})), 401, "UNAUTHORIZED");
  Client reader(server().base_url(), base_.create_key("developer", {"--scopes", "read,codehost"}).text);
  const Response unscoped = prompt(reader);
  expect_error(unscoped, 403, "FORBIDDEN");
  EXPECT_EQ(unscoped.field("www-authenticate"), "Bearer error=\"insufficient_scope\"");
  Client writer(server().base_url(), base_.create_key("developer", {"--scopes", "llm"}).text);
  expect_completion(prompt(writer));
  EXPECT_EQ(service_.prompts().size(), 1U);
}

TEST_F(LanguageModelTest, ChecksTheLimitThenTheKeyThenTheBody) {
  Client web = serve({"plans.developer.per_minute=2"});
  expect_error(web.send(post("{", {"Content-Type: text/plain"})), 415, "UNSUPPORTED_MEDIA_TYPE");
  expect_error(web.send(post("{")), 400, "INVALID_BODY");
  const Response limited = web.send(post("{", {"Content-Type: text/plain"}));
  expect_error(limited, 429, "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(limited.json()["error"]["details"]["limit"], 2);
  EXPECT_EQ(limited.number("x-ratelimit-remaining"), 0);
  EXPECT_GE(limited.number("retry-after"), 1);
  expect_error(Client(server().base_url()).send(post("{", {"Content-Type: text/plain"})), 401, "UNAUTHORIZED");
  EXPECT_TRUE(service_.prompts().empty());
}

struct Refusal {
  const char* status;
  std::string type;
  long seen;
  const char* code;
  const char* parameter;
};

TEST_F(LanguageModelTest, ReportsWhatTheServiceRejects) {
  Client web = serve();
  const std::string sentence = "A sentence of the service about sk-key-of-ours-123 and small-1.";
  for (const Refusal& refusal :
       {Refusal{"401 Unauthorized", "invalid_api_key", 502, "UPSTREAM_ERROR", ""},
        Refusal{"403 Forbidden", "permission_error", 502, "UPSTREAM_ERROR", ""},
        Refusal{"404 Not Found", "model_not_found", 400, "INVALID_PARAMETER", "model"},
        Refusal{"400 Bad Request", "context_length_exceeded", 400, "INVALID_PARAMETER", "prompt"},
        Refusal{"418 I'm a teapot", "tea", 502, "UPSTREAM_ERROR", ""},
        Refusal{"429 Too Many Requests\r\nRetry-After: 7", "rate_limit_error", 503, "SERVICE_UNAVAILABLE", ""},
        Refusal{"429 Too Many Requests", "insufficient_quota", 503, "SERVICE_UNAVAILABLE", ""},
        Refusal{"307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/", "x", 502, "UPSTREAM_ERROR", ""},
        Refusal{"200 OK", "server_error", 502, "UPSTREAM_ERROR", ""},
        Refusal{"500 Internal Server Error", "server_error", 502, "UPSTREAM_ERROR", ""},
        Refusal{"503 Service Unavailable", "overloaded", 503, "SERVICE_UNAVAILABLE", ""}}) {
    SCOPED_TRACE(refusal.status);
    service_.refuse(refusal.status, service_.api().error(refusal.type, sentence));
    for (const bool is_stream : {false, true}) {
      const Response response = prompt(web, {{"prompt", "Why?"}, {"stream", is_stream}});
      expect_error(response, refusal.seen, refusal.code, refusal.parameter);
      EXPECT_EQ(response.body.find("sk-key"), std::string::npos);
      EXPECT_EQ(response.body.find("sentence"), std::string::npos);
      EXPECT_EQ(response.has("retry-after"), refusal.seen == 503);
      if (std::string_view(refusal.status).find("Retry-After: 7") != std::string_view::npos) {
        EXPECT_EQ(response.number("retry-after"), 7);
      }
    }
  }
}

TEST_F(LanguageModelTest, AnswersInTimeWhileTheServiceIsSilent) {
  service_.say_nothing();
  Client web = serve({"llm.timeout=300ms"});
  for (const json& members : {json{{"prompt", "Why?"}}, kStreamed}) {
    const auto began = std::chrono::steady_clock::now();
    expect_error(prompt(web, members), 504, "UPSTREAM_TIMEOUT");
    const auto took = std::chrono::steady_clock::now() - began;
    EXPECT_GE(took, 290ms) << "the service gets all but a fiftieth of the time";
    EXPECT_LT(took, 3s);
  }
}

TEST_F(LanguageModelTest, IsUnavailableWhileTheServiceIsGone) {
  const std::string unused_url = "llm.config.base_url=http://127.0.0.1:1/v1";
  Client web = serve({unused_url});
  const Response response = prompt(web);
  expect_error(response, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(response.number("retry-after"), 1);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] {
    const json health = web.get("/health").json();
    return health["services"]["external_apis"]["llm"] == "unavailable" && health["status"] == "degraded";
  }));
}

TEST_F(LanguageModelTest, IsAvailableInHealth) {
  Client web = serve();
  const json health = web.get("/health").json();
  EXPECT_EQ(health["services"]["external_apis"]["llm"], "available");
  EXPECT_EQ(health["status"], "healthy");
}

TEST_F(LanguageModelTest, LimitsTheWaitForASlot) {
  service_.say_nothing();
  Client web = serve({"llm.max_concurrent=1", "llm.timeout=20s", "server.max_queue_time=100ms"});
  RawClient first = raw_client();
  first.send(raw_prompt(R"({"prompt":"Why?"})"));
  ASSERT_TRUE(eventually(kWithinFiveSeconds, [&] { return service_.prompts().size() == 1; }));
  const auto began = std::chrono::steady_clock::now();
  const Response second = prompt(web);
  expect_error(second, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(second.number("retry-after"), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 3s);
  EXPECT_EQ(web.get("/categories").status, 200) << "no other client is delayed";
  EXPECT_EQ(service_.prompts().size(), 1U);
}

TEST_F(LanguageModelTest, KeepsItsConnectionAfterEveryResponse) {
  serve();
  RawClient web = raw_client();
  web.send(raw_prompt(R"({"prompt":"Why?"})"));
  EXPECT_EQ(web.answer().status, 200);
  web.send(raw_prompt("{"));
  EXPECT_EQ(web.answer().status, 400);
  service_.refuse("500 Internal Server Error", "");
  web.send(raw_prompt(R"({"prompt":"Why?"})"));
  EXPECT_EQ(web.answer().status, 502);
  service_.complete({});
  web.send(raw_prompt(R"({"prompt":"Why?"})", "1.0", "Connection: keep-alive\r\n"));
  const HttpAnswer old = web.answer();
  EXPECT_EQ(old.status, 200);
  EXPECT_EQ(old.field("connection"), "keep-alive");
  web.send("POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key() +
           "\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"prompt\"\r\n8\r\n:\"Why?\"}\r\n0\r\n\r\n");
  EXPECT_EQ(web.answer().status, 200);
}

TEST_F(LanguageModelTest, CompressesALongCompletion) {
  service_.complete({{std::string(5'000, 'x')}});
  Client web = serve();
  Request request = post(R"({"prompt":"Why?"})");
  EXPECT_FALSE(web.send(request).has("content-encoding"));
  request.accepts_gzip = true;
  const Response packed = web.send(request);
  EXPECT_EQ(packed.field("content-encoding"), "gzip");
  EXPECT_NE(packed.field("vary").find("Accept-Encoding"), std::string::npos);
  EXPECT_EQ(expect_completion(packed)["completion"], std::string(5'000, 'x'));
}

TEST_F(LanguageModelTest, IgnoresConditionalRequestFields) {
  Client web = serve();
  for (int i = 0; i < 2; ++i)
    expect_completion(
        web.send(post(R"({"prompt":"Why?"})", {"If-None-Match: *", "Range: bytes=0-3", "Accept: text/html"})));
  EXPECT_EQ(service_.prompts().size(), 2U);
}

TEST_F(LanguageModelTest, LogsAPromptOnlyIfConfigured) {
  const auto log_of = [&](const std::vector<std::string>& settings) {
    Client web = serve(settings);
    const Response response = web.send(post(R"({"prompt":"my private question"})", {"X-Request-Id: this-one"}));
    EXPECT_EQ(response.field("x-request-id"), "this-one");
    EXPECT_EQ(server().stop(), 0);
    return base_.log();
  };
  const std::string plain = log_of({"logging.level=debug"});
  EXPECT_NE(plain.find("this-one"), std::string::npos);
  EXPECT_EQ(plain.find("private question"), std::string::npos);
  EXPECT_EQ(plain.find("Grüße"), std::string::npos);
  const std::string log = log_of({"llm.log_prompts=true"});
  EXPECT_NE(log.find("private question"), std::string::npos);
  EXPECT_NE(log.find("Grüße"), std::string::npos);
}

TEST_F(LanguageModelTest, AnswersOnTheCommandLine) {
  const Outcome outcome = run({"external", "llm", "--prompt", "Why?"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "Grüße\n");
  EXPECT_NE(outcome.errors.find("small-1: 11 prompt tokens, 4 completion tokens"), std::string::npos) << outcome.errors;
  service_.refuse("401 Unauthorized", service_.api().error("invalid_api_key", kFakeKey));
  const Outcome refused = run({"external", "llm", "--prompt", "Why?"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("api_key"), std::string::npos) << "must name the setting: " << refused.errors;
  EXPECT_EQ((refused.output + refused.errors).find(kFakeKey), std::string::npos);
  EXPECT_EQ(run({"external", "llm", "--prompt", "Why?"}, {"llm.plugin=none"}).exit_code, 2);
}

TEST_F(LanguageModelTest, IsPrintedOnATerminalWithoutControlSequences) {
  if (const std::string reason = missing_terminal(); !reason.empty()) GTEST_SKIP() << reason;
  service_.complete({.pieces = {"a\x1B]0;own", "ed\a\tb\n\xC2\x9B", "31m"}});
  std::vector<std::string> words = {"external", "llm", "--prompt", "Why?"};
  for (std::string& argument : arguments({})) words.push_back(std::move(argument));
  EXPECT_EQ(base_.run(words).output, "a\x1B]0;owned\a\tb\n\xC2\x9B\x33\x31m\n") << "a file receives the whole text";
  const Outcome shown =
      run_program({.command = {"/usr/bin/script", "-qec", in_shell(base_.command(words)), "/dev/null"},
                   .environment = {},
                   .error_log = {}});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  const std::string kMark = "\xEF\xBF\xBD";
  EXPECT_EQ(shown.output.find("a" + kMark + "]0;owned" + kMark + "\tb\r\n" + kMark + "31m\r\n"), 0U) << shown.output;
}

/// Runs with every kind of service, through its plugin.
class EveryLanguageModel : public LanguageModelTest, public testing::WithParamInterface<const FakeApi*> {
 protected:
  EveryLanguageModel() : LanguageModelTest(*GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Api, EveryLanguageModel, testing::ValuesIn(fake_apis()),
                         [](const testing::TestParamInfo<const FakeApi*>& api) { return api.param->name(); });

TEST_P(EveryLanguageModel, CompletesAPromptInOnePieceAndAsAStream) {
  Client web = serve();
  const json data = expect_completion(prompt(web));
  EXPECT_EQ(data["completion"], "Grüße");
  EXPECT_EQ(data["usage"]["total_tokens"], 15);
  const Response streamed = prompt(web, kStreamed);
  expect_stream_fields(streamed);
  std::string text;
  const std::vector<Event> events = events_of(streamed.body);
  for (const Event& event : events) text += event.data.value("text", "");
  EXPECT_EQ(text, "Grüße");
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().name, "done");
  EXPECT_EQ(events.back().data["usage"], data["usage"]);
  for (const ReceivedRequest& received : service_.prompts()) {
    EXPECT_EQ(received.target, "/v1" + service_.api().path());
    EXPECT_NE(received.head.find(service_.api().key_line()), std::string::npos);
  }
}

TEST_P(EveryLanguageModel, AnswersTheSubcommand) {
  const Outcome outcome = run({"external", "llm", "--prompt", "Why?", "--max-tokens", "9", "--temperature", "0"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "Grüße\n");
}

}  // namespace
}  // namespace kbase::tests
