// SPDX-License-Identifier: Apache-2.0
#include "adapters/openai/openai_language_model.hpp"

#include <nlohmann/json.hpp>

#include "adapters/language_model/http_language_model.hpp"
#include "domain/base/result.hpp"

namespace kbase::openai {
namespace {

using language_model::CompletionBuilder;
using language_model::Value;

ports::FinishReason to_finish_reason(std::string_view name) {
  if (name == "stop") return ports::FinishReason::Stop;
  if (name == "length") return ports::FinishReason::Length;
  return name == "content_filter" ? ports::FinishReason::ContentFilter : ports::FinishReason::Other;
}

/// Reads the members that a response and a part of a stream share. `message` is the member with the text.
Status read_common(Value response, std::string_view message, CompletionBuilder& completion) {
  completion.set_model(response.member("model").text());
  const Value usage = response.member("usage");
  completion.set_prompt_tokens(usage.member("prompt_tokens").count());
  completion.set_completion_tokens(usage.member("completion_tokens").count());
  const Value choice = response.member("choices").at(0);  // the request asks for one choice
  const std::string_view reason = choice.member("finish_reason").text();
  if (!reason.empty()) completion.set_finish_reason(to_finish_reason(reason));
  // Servers of the older API, without messages, send the text in the choice.
  for (const Value content :
       {choice.member(message).member("content"), choice.member(message).member("refusal"), choice.member("text")})
    if (content.has_value()) KBASE_TRY(language_model::append_content(content, completion));
  return {};
}

}  // namespace

OpenAiLanguageModel::OpenAiLanguageModel(const Options& options, ports::HttpClient& http, const ports::Clock& clock)
    : HttpLanguageModel({http, clock, language_model::make_bearer_address(options.base_url, options.api_key)},
                        {"/chat/completions", "/models", language_model::Framing::Events, "[DONE]"}),
      token_limit_(options.token_limit == Options::TokenLimit::MaxTokens ? "max_tokens" : "max_completion_tokens"),
      requests_usage_(options.requests_usage) {}

Result<std::string> OpenAiLanguageModel::make_request(const ports::Prompt& prompt) const {
  nlohmann::json request = language_model::make_chat_request(prompt);
  request[token_limit_] = prompt.max_tokens;
  if (prompt.temperature) request["temperature"] = *prompt.temperature;
  if (prompt.is_stream && requests_usage_) request["stream_options"] = {{"include_usage", true}};
  return language_model::serialize(request);
}

Status OpenAiLanguageModel::read_response(Value response, CompletionBuilder& completion) const {
  return read_common(response, "message", completion);
}

Result<OpenAiLanguageModel::Part> OpenAiLanguageModel::read_part(Value part, CompletionBuilder& completion) const {
  // The token counts follow the finish reason, so no part is known to be the last one.
  KBASE_TRY(read_common(part, "delta", completion));
  return Part::More;
}

}  // namespace kbase::openai
