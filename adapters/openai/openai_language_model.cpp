// SPDX-License-Identifier: Apache-2.0
#include "adapters/openai/openai_language_model.hpp"

#include <nlohmann/json.hpp>

#include "adapters/language_model/chat.hpp"

namespace kbase::openai {
namespace {

using language_model::Draft;
using language_model::Value;

ports::FinishReason reason_of(std::string_view name) {
  if (name == "stop") return ports::FinishReason::Stop;
  if (name == "length") return ports::FinishReason::Length;
  return name == "content_filter" ? ports::FinishReason::ContentFilter : ports::FinishReason::Other;
}

/// Reads the members that a response and a part of a stream share. `message` is the member with the text.
model::Status read_alike(Value answer, std::string_view message, Draft& draft) {
  draft.name_model(answer.member("model").text());
  const Value usage = answer.member("usage");
  draft.count_prompt(usage.member("prompt_tokens").count());
  draft.count_completion(usage.member("completion_tokens").count());
  const Value choice = answer.member("choices").element(0);  // the request asks for one choice
  const std::string_view reason = choice.member("finish_reason").text();
  if (!reason.empty()) draft.stop(reason_of(reason));
  const std::string_view text = choice.member(message).member("content").text();
  return draft.say(text.empty() ? choice.member(message).member("refusal").text() : text);
}

}  // namespace

OpenAiLanguageModel::OpenAiLanguageModel(const Options& options, ports::HttpClient& http, const ports::Clock& clock)
    : HttpLanguageModel({http, clock, language_model::with_bearer(options.base_url, options.api_key)},
                        {"/chat/completions", "/models", language_model::Framing::Events, "[DONE]"}),
      token_limit_(options.token_limit == Options::TokenLimit::MaxTokens ? "max_tokens" : "max_completion_tokens"),
      asks_for_usage_(options.asks_for_usage) {}

model::Result<std::string> OpenAiLanguageModel::request_of(const ports::Prompt& prompt) const {
  nlohmann::json request = language_model::chat_of(prompt);
  request[token_limit_] = prompt.max_tokens;
  if (prompt.temperature) request["temperature"] = *prompt.temperature;
  if (prompt.is_stream && asks_for_usage_) request["stream_options"] = {{"include_usage", true}};
  return language_model::text_of(request);
}

model::Status OpenAiLanguageModel::read_answer(Value answer, Draft& draft) const {
  return read_alike(answer, "message", draft);
}

model::Result<OpenAiLanguageModel::Part> OpenAiLanguageModel::read_part(Value part, Draft& draft) const {
  // The token counts follow the finish reason, so no part is known to be the last one.
  if (auto read = read_alike(part, "delta", draft); !read) return read.error();
  return Part::More;
}

}  // namespace kbase::openai
