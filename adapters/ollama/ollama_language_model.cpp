// SPDX-License-Identifier: Apache-2.0
#include "adapters/ollama/ollama_language_model.hpp"

#include <nlohmann/json.hpp>

#include "adapters/language_model/http_language_model.hpp"
#include "domain/base/result.hpp"

namespace kbase::ollama {
namespace {

using language_model::CompletionBuilder;
using language_model::Value;

ports::FinishReason to_finish_reason(std::string_view name) {
  if (name == "stop") return ports::FinishReason::Stop;
  return name == "length" ? ports::FinishReason::Length : ports::FinishReason::Other;
}

}  // namespace

OllamaLanguageModel::OllamaLanguageModel(const Options& options, ports::HttpClient& http, const ports::Clock& clock)
    : HttpLanguageModel({http, clock, language_model::make_bearer_address(options.base_url, options.api_key)},
                        {"/api/chat", "/api/tags", language_model::Framing::Lines, {}}) {}

Result<std::string> OllamaLanguageModel::make_request(const ports::Prompt& prompt) const {
  nlohmann::json request = language_model::make_chat_request(prompt);
  request["options"]["num_predict"] = prompt.max_tokens;
  if (prompt.temperature) request["options"]["temperature"] = *prompt.temperature;
  return language_model::serialize(request);
}

/// A response has the form of the last line of a stream.
Status OllamaLanguageModel::read_response(Value response, CompletionBuilder& completion) const {
  KBASE_TRY(read_part(response, completion));
  return {};
}

Result<OllamaLanguageModel::Part> OllamaLanguageModel::read_part(Value part, CompletionBuilder& completion) const {
  completion.set_model(part.member("model").text());
  // `response` is the text of the older API, without messages.
  for (const Value content : {part.member("message").member("content"), part.member("response")})
    KBASE_TRY(language_model::append_content(content, completion));
  if (!part.member("done").is_true()) return Part::More;
  completion.set_finish_reason(to_finish_reason(part.member("done_reason").text()));
  completion.set_prompt_tokens(part.member("prompt_eval_count").count());
  completion.set_completion_tokens(part.member("eval_count").count());
  return Part::Last;
}

}  // namespace kbase::ollama
