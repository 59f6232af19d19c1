// SPDX-License-Identifier: Apache-2.0
#include "adapters/ollama/ollama_language_model.hpp"

#include <nlohmann/json.hpp>

#include "adapters/language_model/chat.hpp"

namespace kbase::ollama {
namespace {

using language_model::Draft;
using language_model::Value;

ports::FinishReason reason_of(std::string_view name) {
  if (name == "stop") return ports::FinishReason::Stop;
  return name == "length" ? ports::FinishReason::Length : ports::FinishReason::Other;
}

}  // namespace

OllamaLanguageModel::OllamaLanguageModel(const Options& options, ports::HttpClient& http, const ports::Clock& clock)
    : HttpLanguageModel({http, clock, language_model::with_bearer(options.base_url, options.api_key)},
                        {"/api/chat", "/api/tags", language_model::Framing::Lines, {}}) {}

model::Result<std::string> OllamaLanguageModel::request_of(const ports::Prompt& prompt) const {
  nlohmann::json request = language_model::chat_of(prompt);
  request["options"]["num_predict"] = prompt.max_tokens;
  if (prompt.temperature) request["options"]["temperature"] = *prompt.temperature;
  return language_model::text_of(request);
}

/// A response has the form of the last line of a stream.
model::Status OllamaLanguageModel::read_answer(Value answer, Draft& draft) const {
  const auto read = read_part(answer, draft);
  if (!read) return read.error();
  return {};
}

model::Result<OllamaLanguageModel::Part> OllamaLanguageModel::read_part(Value part, Draft& draft) const {
  draft.name_model(part.member("model").text());
  if (auto said = draft.say(part.member("message").member("content").text()); !said) return said.error();
  if (!part.member("done").is_true()) return Part::More;
  draft.stop(reason_of(part.member("done_reason").text()));
  draft.count_prompt(part.member("prompt_eval_count").count());
  draft.count_completion(part.member("eval_count").count());
  return Part::Last;
}

}  // namespace kbase::ollama
