// SPDX-License-Identifier: Apache-2.0
#include "adapters/anthropic/anthropic_language_model.hpp"

#include <nlohmann/json.hpp>

#include "adapters/language_model/http_language_model.hpp"

namespace kbase::anthropic {
namespace {

using language_model::CompletionBuilder;
using language_model::Value;

constexpr double kMaxTemperature = 1.0;

language_model::ServiceAddress make_address(const Options& options) {
  language_model::ServiceAddress address{options.base_url, {{"anthropic-version", "2023-06-01"}}};
  if (!options.api_key.empty()) address.fields.emplace_back("x-api-key", options.api_key);
  return address;
}

ports::FinishReason to_finish_reason(std::string_view name) {
  if (name == "end_turn" || name == "stop_sequence") return ports::FinishReason::Stop;
  if (name == "max_tokens" || name == "model_context_window_exceeded") return ports::FinishReason::Length;
  return name == "refusal" ? ports::FinishReason::ContentFilter : ports::FinishReason::Other;
}

void read_finish_reason(Value holder, CompletionBuilder& completion) {
  const std::string_view reason = holder.member("stop_reason").text();
  if (!reason.empty()) completion.set_finish_reason(to_finish_reason(reason));
}

/// The tokens of a prompt are the sum of three counts, because `input_tokens` excludes the tokens read from or written
/// to a cache. A count that is missing leaves the earlier value.
void read_usage(Value usage, CompletionBuilder& completion) {
  std::uint64_t prompt = 0;
  for (const char* const name : {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"})
    prompt += usage.member(name).count().value_or(0);
  if (prompt > 0) completion.set_prompt_tokens(prompt);
  completion.set_completion_tokens(usage.member("output_tokens").count());
}

void read_message(Value message, CompletionBuilder& completion) {
  completion.set_model(message.member("model").text());
  read_usage(message.member("usage"), completion);
  read_finish_reason(message, completion);
}

}  // namespace

AnthropicLanguageModel::AnthropicLanguageModel(const Options& options, ports::HttpClient& http,
                                               const ports::Clock& clock)
    : HttpLanguageModel({http, clock, make_address(options)},
                        {"/messages", "/models", language_model::Framing::Events, {}}) {}

Result<std::string> AnthropicLanguageModel::make_request(const ports::Prompt& prompt) const {
  if (prompt.temperature.value_or(0) > kMaxTemperature)
    return invalid_argument("temperature", "The models of this service accept a temperature of at most 1.");
  nlohmann::json request = language_model::make_chat_request(prompt);
  request["max_tokens"] = prompt.max_tokens;
  if (prompt.temperature) request["temperature"] = *prompt.temperature;
  return language_model::serialize(request);
}

Status AnthropicLanguageModel::read_response(Value response, CompletionBuilder& completion) const {
  read_message(response, completion);
  return language_model::append_content(response.member("content"), completion);
}

Result<AnthropicLanguageModel::Part> AnthropicLanguageModel::read_part(Value part,
                                                                       CompletionBuilder& completion) const {
  const std::string_view type = part.member("type").text();
  if (type == "message_stop") return Part::Last;
  if (type == "message_start") read_message(part.member("message"), completion);
  if (type == "message_delta") {
    read_finish_reason(part.member("delta"), completion);
    read_usage(part.member("usage"), completion);
  }
  // Blocks of thoughts have no `text`.
  if (type == "message_start")
    KBASE_TRY(language_model::append_content(part.member("message").member("content"), completion));
  if (type == "content_block_start")
    KBASE_TRY(language_model::append_content(part.member("content_block"), completion));
  if (type == "content_block_delta") KBASE_TRY(language_model::append_content(part.member("delta"), completion));
  return Part::More;
}

}  // namespace kbase::anthropic
