// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/complete_prompt.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "domain/model/utf8.hpp"
#include "domain/usecases/idle_timeout.hpp"

namespace kbase::usecases {
namespace {

using model::ErrorCode;
using Tokens = std::uint32_t;

constexpr std::size_t kMaxLoggedBytes = 64 * 1024;
constexpr double kMaxTemperature = 2.0;

model::Error disabled() {
  return {ErrorCode::Unavailable, "The language-model service is not enabled on this server.", {}, {}, {}};
}

Tokens capped(std::uint64_t tokens) {
  return static_cast<Tokens>(std::min<std::uint64_t>(tokens, std::numeric_limits<Tokens>::max()));
}

Tokens sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<Tokens>::max();
  return capped(std::min(a, kMost) + std::min(b, kMost));
}

/// The token cost of a failed completion. nullopt: unknown, so the reservation stays charged.
std::optional<Tokens> cost_of(const model::Error& error, std::size_t prompt_bytes, std::size_t told_bytes) {
  if (told_bytes > 0) return sum(estimated_tokens(prompt_bytes), estimated_tokens(told_bytes));
  // The service may continue to generate after the call ended.
  if (error.code == ErrorCode::Deadline || error.code == ErrorCode::Cancelled) return std::nullopt;
  return 0;
}

}  // namespace

std::uint32_t estimated_tokens(std::size_t bytes) {
  constexpr std::size_t kBytesPerToken = 3;
  return capped(bytes / kBytesPerToken + (bytes % kBytesPerToken != 0 ? 1 : 0));
}

CompletePrompt::CompletePrompt(const Parts& parts, PromptRules rules)
    : parts_(parts),
      rules_(std::move(rules)),
      budget_({parts.rate_limiter, parts.digest, parts.clock}, rules_.tokens_per_day) {}

model::Result<CompletePrompt::Outcome> CompletePrompt::complete(ports::Call& call, const ports::ExternalClient& client,
                                                                const ports::CompletionRequest& request,
                                                                model::Visitor<std::string_view> text) {
  if (auto sound = check(request); !sound) return sound.error();
  if (parts_.model == nullptr) return disabled();
  const ports::Prompt prompt = prompt_of(request);
  auto reserved = budget_.reserve(call, client, sum(prompt.max_tokens, estimated_tokens(prompt.text.size())));
  if (!reserved) return reserved.error();
  if (const auto* const spent = std::get_if<ports::TokensSpent>(&*reserved)) return Outcome(*spent);

  std::size_t told_bytes = 0;
  std::string logged;
  const auto tell = [&](std::string_view piece) {
    told_bytes += piece.size();
    if (rules_.log_prompts) logged.append(piece.substr(0, kMaxLoggedBytes - std::min(logged.size(), kMaxLoggedBytes)));
    return text(piece);
  };
  auto completion = ask(call, prompt, tell);
  if (rules_.log_prompts) log_prompt(call, prompt, logged);

  const std::optional<Tokens> used = completion ? sum(completion->prompt_tokens, completion->completion_tokens)
                                                : cost_of(completion.error(), prompt.text.size(), told_bytes);
  if (used) budget_.adjust(std::get<TokenBudget::Reservation>(*reserved), *used);
  if (!completion) return completion.error();
  return Outcome(*std::move(completion));
}

model::Status CompletePrompt::check(const ports::CompletionRequest& request) const {
  if (request.prompt.empty()) return model::invalid_argument("prompt", "prompt must not be empty");
  if (request.prompt.size() > rules_.max_prompt_bytes)
    return model::invalid_argument(
        "prompt", "prompt must not be longer than " + std::to_string(rules_.max_prompt_bytes) + " bytes");
  if (!model::utf8::is_valid(request.prompt)) return model::invalid_argument("prompt", "prompt must be UTF-8");
  if (request.model)
    if (auto allowed = check_model(*request.model); !allowed) return allowed;
  if (request.max_tokens && *request.max_tokens < 1)
    return model::invalid_argument("max_tokens", "max_tokens must be at least 1");
  if (request.max_tokens && *request.max_tokens > rules_.max_tokens)
    return model::invalid_argument("max_tokens", "max_tokens must be at most " + std::to_string(rules_.max_tokens));
  // The negated condition also rejects NaN.
  if (request.temperature && !(*request.temperature >= 0 && *request.temperature <= kMaxTemperature))
    return model::invalid_argument("temperature", "temperature must be from 0 to 2");
  return {};
}

model::Status CompletePrompt::check_model(std::string_view model) const {
  if (model.empty()) return model::invalid_argument("model", "model must not be empty");
  const auto& allowed = rules_.allowed_models;
  if (allowed.empty() || model == rules_.default_model) return {};
  if (std::find(allowed.begin(), allowed.end(), model) != allowed.end()) return {};
  std::string names = rules_.default_model;
  for (const std::string& name : allowed)
    if (name != rules_.default_model) names.append(", ").append(name);
  return model::invalid_argument("model", "model must be one of: " + names);
}

ports::Prompt CompletePrompt::prompt_of(const ports::CompletionRequest& request) const {
  ports::Prompt prompt;
  prompt.text = request.prompt;
  prompt.model = request.model.value_or(rules_.default_model);
  prompt.max_tokens = capped(request.max_tokens.value_or(std::min(rules_.default_max_tokens, rules_.max_tokens)));
  prompt.temperature = request.temperature;
  prompt.is_stream = request.stream;
  return prompt;
}

model::Result<ports::Completion> CompletePrompt::ask(ports::Call& call, const ports::Prompt& prompt,
                                                     model::Visitor<std::string_view> text) {
  return prompt.is_stream ? stream(call, prompt, text) : parts_.model->complete(call, prompt, text);
}

/// The idle timeout does not run while the visitor processes a piece: then the client is slow, not the service.
model::Result<ports::Completion> CompletePrompt::stream(ports::Call& call, const ports::Prompt& prompt,
                                                        model::Visitor<std::string_view> text) {
  IdleTimeout idle_timeout(call, parts_.clock, call.deadline);
  ports::Call inner = call;
  inner.deadline = parts_.clock.steady() + rules_.stream_timeout;
  inner.cancel = idle_timeout.source();
  const auto tell = [&](std::string_view piece) {
    idle_timeout.extend_until(IdleTimeout::Time::max());
    const model::Visit visit = text(piece);
    idle_timeout.extend_until(parts_.clock.steady() + rules_.idle_timeout);
    return visit;
  };
  auto completion = parts_.model->complete(inner, prompt, tell);
  if (completion || completion.error().code != ErrorCode::Cancelled || call.cancelled() || !idle_timeout.is_over())
    return completion;
  model::Error late = completion.error().during("no further text came in time");
  late.code = ErrorCode::Deadline;
  late.message = "The language-model service did not answer in time.";
  return late;
}

/// Only called if the operator enabled `log_prompts`.
void CompletePrompt::log_prompt(const ports::Call& call, const ports::Prompt& prompt, std::string_view text) {
  const std::array<ports::LogField, 4> fields = {{{"request", call.trace_id},
                                                  {"model", prompt.model},
                                                  {"prompt", prompt.text.substr(0, kMaxLoggedBytes)},
                                                  {"completion", text}}};
  parts_.log.log(ports::LogLevel::Info, "llm.prompt", "a prompt was sent to the language-model service", fields);
}

}  // namespace kbase::usecases
