// SPDX-License-Identifier: Apache-2.0
#include "adapters/anthropic/anthropic_language_model.hpp"

#include <nlohmann/json.hpp>

#include "adapters/language_model/chat.hpp"

namespace kbase::anthropic {
namespace {

using language_model::Draft;
using language_model::Value;

constexpr double kHighestTemperature = 1.0;

language_model::ServiceAddress address_of(const Options& options) {
  language_model::ServiceAddress address{options.base_url, {{"anthropic-version", "2023-06-01"}}};
  if (!options.api_key.empty()) address.fields.emplace_back("x-api-key", options.api_key);
  return address;
}

ports::FinishReason reason_of(std::string_view name) {
  if (name == "end_turn" || name == "stop_sequence") return ports::FinishReason::Stop;
  if (name == "max_tokens" || name == "model_context_window_exceeded") return ports::FinishReason::Length;
  return name == "refusal" ? ports::FinishReason::ContentFilter : ports::FinishReason::Other;
}

void read_stop(Value holder, Draft& draft) {
  const std::string_view reason = holder.member("stop_reason").text();
  if (!reason.empty()) draft.stop(reason_of(reason));
}

/// The tokens of a prompt are the sum of three counts, because `input_tokens` excludes the tokens read from or written
/// to a cache. A count that is missing leaves the earlier value.
void read_usage(Value usage, Draft& draft) {
  std::uint64_t prompt = 0;
  for (const char* const name : {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"})
    prompt += usage.member(name).count().value_or(0);
  if (prompt > 0) draft.count_prompt(prompt);
  draft.count_completion(usage.member("output_tokens").count());
}

void read_message(Value message, Draft& draft) {
  draft.name_model(message.member("model").text());
  read_usage(message.member("usage"), draft);
  read_stop(message, draft);
}

/// Reads a block or a delta of a block. Blocks of thoughts have no `text`.
model::Status read_block(Value block, Draft& draft) {
  return draft.say(block.member("text").text());
}

}  // namespace

AnthropicLanguageModel::AnthropicLanguageModel(const Options& options, ports::HttpClient& http,
                                               const ports::Clock& clock)
    : HttpLanguageModel({http, clock, address_of(options)},
                        {"/messages", "/models", language_model::Framing::Events, {}}) {}

model::Result<std::string> AnthropicLanguageModel::request_of(const ports::Prompt& prompt) const {
  if (prompt.temperature.value_or(0) > kHighestTemperature)
    return model::invalid_argument("temperature", "The service's models take a temperature of at most 1.");
  nlohmann::json request = language_model::chat_of(prompt);
  request["max_tokens"] = prompt.max_tokens;
  if (prompt.temperature) request["temperature"] = *prompt.temperature;
  return language_model::text_of(request);
}

model::Status AnthropicLanguageModel::read_answer(Value answer, Draft& draft) const {
  read_message(answer, draft);
  const Value blocks = answer.member("content");
  for (std::size_t i = 0; i < blocks.elements(); ++i)
    if (auto read = read_block(blocks.element(i), draft); !read) return read;
  return {};
}

model::Result<AnthropicLanguageModel::Part> AnthropicLanguageModel::read_part(Value part, Draft& draft) const {
  const std::string_view type = part.member("type").text();
  if (type == "message_stop") return Part::Last;
  if (type == "message_start") read_message(part.member("message"), draft);
  if (type == "message_delta") {
    read_stop(part.member("delta"), draft);
    read_usage(part.member("usage"), draft);
  }
  model::Status read;
  if (type == "content_block_start") read = read_block(part.member("content_block"), draft);
  if (type == "content_block_delta") read = read_block(part.member("delta"), draft);
  if (!read) return read.error();
  return Part::More;
}

}  // namespace kbase::anthropic
