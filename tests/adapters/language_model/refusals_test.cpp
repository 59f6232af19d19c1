// SPDX-License-Identifier: Apache-2.0
// Error responses of services, in their own formats.
#include <gtest/gtest.h>

#include "adapters/openai/openai_language_model.hpp"
#include "tests/adapters/language_model/model_fixture.hpp"

namespace kbase::tests {
namespace {

/// An error response that was observed or is documented.
struct Refused {
  const char* name;
  const FakeApi* api;
  const char* status;
  const char* body;
  ErrorCode code;
  const char* parameter;
};

const std::vector<Refused> kRefusals{
    {"UnknownModelOfOpenAi", &fake_openai(), "404 Not Found",
     R"({"error":{"message":"The model `small-1` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}})",
     ErrorCode::InvalidArgument, "model"},
    {"UnknownModelOfVllm", &fake_openai(), "404 Not Found",
     R"({"error":{"message":"The model `small-1` does not exist.","type":"NotFoundError","param":"model","code":404}})",
     ErrorCode::InvalidArgument, "model"},
    {"UnknownModelAs400", &fake_openai(), "400 Bad Request",
     R"({"error":{"message":"invalid model","type":"invalid_model","param":null,"code":"1500"}})",
     ErrorCode::InvalidArgument, "model"},
    {"UnknownModelOfAnthropic", &fake_anthropic(), "404 Not Found",
     R"({"type":"error","error":{"type":"not_found_error","message":"model: small-1"}})", ErrorCode::InvalidArgument,
     "model"},
    {"UnknownModelOfOllama", &fake_ollama(), "404 Not Found",
     R"({"error":"model \"small-1\" not found, try pulling it first"})", ErrorCode::InvalidArgument, "model"},
    {"WrongPathOfLlamaCpp", &fake_openai(), "404 Not Found",
     R"({"error":{"code":404,"message":"File Not Found","type":"not_found_error"}})", ErrorCode::BadUpstream, ""},
    {"WrongPathOfAWebsite", &fake_anthropic(), "404 Not Found", "<html>Not Found</html>", ErrorCode::BadUpstream, ""},
    {"PromptTooLongOfOpenAi", &fake_openai(), "400 Bad Request",
     R"({"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})",
     ErrorCode::InvalidArgument, "prompt"},
    {"PromptTooLongOfLlamaCpp", &fake_anthropic(), "400 Bad Request",
     R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})",
     ErrorCode::InvalidArgument, "prompt"},
    {"PromptTooLongOfAnthropic", &fake_anthropic(), "400 Bad Request",
     R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}})",
     ErrorCode::InvalidArgument, "prompt"},
    {"BodyTooLarge", &fake_anthropic(), "413 Content Too Large",
     R"({"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}})",
     ErrorCode::InvalidArgument, "prompt"},
    {"TooManyTokensOfAnthropic", &fake_anthropic(), "400 Bad Request",
     R"({"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens"}})",
     ErrorCode::InvalidArgument, "max_tokens"},
    {"TooManyTokensOfOpenAi", &fake_openai(), "400 Bad Request",
     R"({"error":{"message":"max_tokens is too large: 100000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}})",
     ErrorCode::InvalidArgument, "max_tokens"},
    {"MemberThatOpenAiDoesNotKnow", &fake_openai(), "400 Bad Request",
     R"({"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}})",
     ErrorCode::BadUpstream, ""},
    {"Temperature", &fake_openai(), "400 Bad Request",
     R"({"error":{"message":"Unsupported value: 'temperature'","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}})",
     ErrorCode::InvalidArgument, "temperature"},
    {"KeyOfOpenAi", &fake_openai(), "401 Unauthorized",
     R"({"error":{"message":"Incorrect API key provided: sk-key-of-ours-123.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}})",
     ErrorCode::BadUpstream, ""},
    {"KeyOfAnthropic", &fake_anthropic(), "401 Unauthorized",
     R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
     ErrorCode::BadUpstream, ""},
    {"KeyThatMayNot", &fake_anthropic(), "403 Forbidden",
     R"({"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission"}})",
     ErrorCode::BadUpstream, ""},
    {"KeyOfAProxy", &fake_ollama(), "401 Unauthorized", "", ErrorCode::BadUpstream, ""},
    {"RateLimit", &fake_openai(), "429 Too Many Requests\r\nRetry-After: 7",
     R"({"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}})",
     ErrorCode::Unavailable, ""},
    {"UsedUpCreditOfOpenAi", &fake_openai(), "429 Too Many Requests",
     R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
     ErrorCode::Unavailable, ""},
    {"UsedUpCreditOfAnthropic", &fake_anthropic(), "400 Bad Request",
     R"({"type":"error","error":{"type":"billing_error","message":"Your credit balance is too low"}})",
     ErrorCode::Unavailable, ""},
    {"Overload", &fake_anthropic(), "529 ",
     R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})", ErrorCode::Unavailable, ""},
    {"Loading", &fake_openai(), "503 Service Unavailable",
     R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})", ErrorCode::Unavailable, ""},
    {"Failure", &fake_ollama(), "500 Internal Server Error", R"({"error":"llama runner process has terminated"})",
     ErrorCode::BadUpstream, ""},
    {"BadGateway", &fake_openai(), "502 Bad Gateway", "<html>nginx</html>", ErrorCode::BadUpstream, ""},
    {"ErrorInAGoodAnswer", &fake_openai(), "200 OK",
     R"({"error":{"message":"Provider returned error","code":429},"user_id":"u"})", ErrorCode::Unavailable, ""},
    {"OtherStatus", &fake_openai(), "204 No Content", "", ErrorCode::BadUpstream, ""},
};

class ErrorResponseTest : public testing::TestWithParam<Refused> {};
INSTANTIATE_TEST_SUITE_P(Each, ErrorResponseTest, testing::ValuesIn(kRefusals),
                         [](const testing::TestParamInfo<Refused>& test) { return test.param.name; });

TEST_P(ErrorResponseTest, HasTheSameMeaningWithAndWithoutAStreamAndIsNotRetried) {
  const Refused& refused = GetParam();
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer(refused.status, refused.body); });
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.retry.max_retries = 2;
  ModelClientFixture fixture(*refused.api, options);
  for (const bool is_stream : {false, true}) {
    const CompletionOutcome outcome = fixture.complete("Hello?", is_stream);
    // In a stream, an error instead of the first event is one line that a reader of events ignores.
    const bool is_ignored = is_stream && std::string_view(refused.status) == "200 OK";
    EXPECT_TRUE(failed_with(outcome, is_ignored ? ErrorCode::BadUpstream : refused.code, refused.parameter));
  }
  EXPECT_EQ(server.received().size(), 2U);
}

TEST_P(ErrorResponseTest, IsReportedWithoutTheKeyAndTheMessageOfTheService) {
  const Refused& refused = GetParam();
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer(refused.status, refused.body); });
  const CompletionOutcome outcome = ModelClientFixture(*refused.api, server.url()).complete();
  ASSERT_TRUE(outcome.error);
  EXPECT_FALSE(outcome.error->message.empty());
  EXPECT_FALSE(outcome.error->detail.empty());
  for (const char* const hidden : {kFakeKey, " model `", " tokens > ", "limit reached", "127.0.0.1"})
    EXPECT_EQ((outcome.error->message + outcome.error->detail).find(hidden), std::string::npos)
        << outcome.error->detail;
}

TEST(ErrorResponses, ThatQuoteThePromptDoNotExposeIt) {
  ScriptedHttpServer server([](const ReceivedRequest& received, Peer& peer) {
    peer.answer("400 Bad Request", fake_openai().error("invalid_request_error", "What is " + received.body));
  });
  const CompletionOutcome outcome = ModelClientFixture(fake_openai(), server.url()).complete("a secret of mine");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ((outcome.error->message + outcome.error->detail).find("secret"), std::string::npos)
      << outcome.error->detail;
}

TEST(ErrorResponses, ForARejectedKeyNameTheRemedy) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    peer.answer("401 Unauthorized", fake_openai().error("invalid_request_error", std::string("no key ") + kFakeKey));
  });
  const CompletionOutcome outcome = ModelClientFixture(fake_openai(), server.url()).complete();
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(
      outcome.error->detail,
      "it returned status 401 (invalid_request_error): it does not accept our API key; set llm.config.api_key to a "
      "valid key with access to the model");
}

TEST(ErrorResponses, ThatEchoTheKeyAsAnIdentifierDoNotExposeIt) {
  ScriptedHttpServer server(
      [](const ReceivedRequest&, Peer& peer) { peer.answer("400 Bad Request", fake_openai().error(kFakeKey, "no")); });
  const CompletionOutcome outcome = ModelClientFixture(fake_openai(), server.url()).complete();
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->detail.find(kFakeKey), std::string::npos);
}

TEST(ErrorResponses, ThatEchoAKeyLikeAnIdentifierDoNotExposeIt) {
  const std::string key = "keyofours";
  for (const char* const status : {"400 Bad Request", "200 OK"}) {
    ScriptedHttpServer server(
        [&](const ReceivedRequest&, Peer& peer) { peer.answer(status, fake_openai().error(key, key + ": no")); });
    CurlFixture fixture;
    const auto http = fixture.client(server.url());
    openai::Options options;
    options.base_url = server.url("/v1");
    options.api_key = key;
    openai::OpenAiLanguageModel model(options, *http, fixture.clock);
    const CompletionOutcome outcome = complete(model, fixture.call, prompt_of("Hello?"));
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->detail.find(key), std::string::npos) << outcome.error->detail;
  }
}

class ApiErrorTest : public OfEveryApi {};
INSTANTIATE_TEST_SUITE_P(Api, ApiErrorTest, testing::ValuesIn(fake_apis()), name_of_api);

TEST_P(ApiErrorTest, TooManyRequestsReportsWhenToRetry) {
  const std::string body = api().error("rate_limit_error", "Slow down.");
  const CompletionOutcome outcome = outcome_of_response("429 Too Many Requests\r\nRetry-After: 20", body);
  EXPECT_TRUE(failed_with(outcome, ErrorCode::Unavailable));
  EXPECT_EQ(outcome.error->retry_after, 20s);
  EXPECT_EQ(outcome_of_response("529 \r\nRetry-After: 3", body).error->retry_after, 3s);
  EXPECT_EQ(outcome_of_response("429 Too Many Requests", body).error->retry_after, 0s);
}

TEST_P(ApiErrorTest, ARedirectIsNotFollowed) {
  for (const char* const status : {"301 Moved Permanently", "302 Found", "307 Temporary Redirect"}) {
    ScriptedHttpServer other([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "{}"); });
    ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
      peer.answer(std::string(status) + "\r\nLocation: " + other.url("/v1/elsewhere"));
    });
    EXPECT_TRUE(failed_with(ModelClientFixture(api(), server.url()).complete(), ErrorCode::BadUpstream)) << status;
    EXPECT_TRUE(other.received().empty());
    EXPECT_EQ(server.received().size(), 1U);
  }
}

TEST_P(ApiErrorTest, AnErrorWithinAStreamEndsItAfterItsPieces) {
  Parts parts = api().stream({});
  parts.resize(api().first_text() + 1);
  parts.push_back(api().error_part("overloaded_error", "Overloaded"));
  const CompletionOutcome outcome = outcome_of_response("200 OK", joined(parts), true);
  EXPECT_EQ(outcome.pieces, (std::vector<std::string>{"Gr"}));
  ASSERT_TRUE(outcome.error);
  // Ollama reports only a message.
  EXPECT_EQ(outcome.error->code, &api() == &fake_ollama() ? ErrorCode::BadUpstream : ErrorCode::Unavailable);
}

}  // namespace
}  // namespace kbase::tests
