// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/complete_prompt.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "domain/base/result.hpp"
#include "domain/base/text.hpp"
#include "domain/usecases/disabled_service.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::usecases {
namespace {

/// Ends a call that makes no progress. A fixed deadline cannot, as it is set before the call. Each sign of progress
/// extends the timeout. Any thread; the constructor's arguments must outlive the object.
class IdleTimeout {
 public:
  using Time = ports::Call::SteadyTime;

  IdleTimeout(const ports::Call& outer, const ports::Clock& clock, Time until)
      : outer_(outer), clock_(clock), until_(until) {}

  void extend_until(Time until) noexcept { until_ = until; }

  bool is_over() const noexcept { return clock_.steady() >= until_.load(); }

  /// Cancellation for the inner call: set when the timeout has expired or the outer call is cancelled.
  ports::CancelSource source() const noexcept {
    return {this, [](const void* state) noexcept {
              const auto& self = *static_cast<const IdleTimeout*>(state);
              return self.outer_.cancelled() || self.is_over();
            }};
  }

 private:
  const ports::Call& outer_;
  const ports::Clock& clock_;
  std::atomic<Time> until_;
};

}  // namespace

namespace {

/// Deadline of the adjust calls; they block a thread although no client waits for the result.
constexpr std::chrono::seconds kAdjustTimeout{1};

ports::AcquireRequest acquire_request_for(const model::ClientId& client_id, std::uint32_t tokens,
                                          std::uint32_t per_day) {
  ports::AcquireRequest request;
  request.client_id = client_id;
  request.cost = tokens;
  request.mode = ports::AcquireRequest::Mode::ChargeExactly;
  request.limits.per_day = per_day;
  return request;
}

}  // namespace

TokenBudget::TokenBudget(const Dependencies& deps, std::uint32_t per_day)
    : deps_(deps), service_(client_id_of(model::ClientId{})), per_day_(per_day) {}

/// Separates the token counts of a client from its request counts. The id of all zeros is the service's.
model::ClientId TokenBudget::client_id_of(const model::ClientId& client) const {
  std::string name = "tokens:";
  name.append(client.begin(), client.end());
  const auto hash = deps_.digest.sha256(name);
  model::ClientId client_id;
  std::copy_n(hash.begin(), client_id.size(), client_id.begin());
  return client_id;
}

Result<TokenBudget::Outcome> TokenBudget::reserve(ports::Call& call, const ports::ExternalClient& client,
                                                  std::uint32_t tokens) {
  Reservation reserved;
  const std::array reservations = {acquire_request_for(client_id_of(client.client_id), tokens, client.tokens_per_day),
                                   acquire_request_for(service_, tokens, per_day_)};
  for (const ports::AcquireRequest& request : reservations) {
    if (request.limits.per_day == 0) continue;
    Reservation::Charge& charge = reserved.charges_[reserved.count_];
    charge.request = request;
    const ports::AcquireRequest* const requests[] = {&charge.request};
    ports::Decision* const decisions[] = {&charge.decision};
    const auto acquired = deps_.rate_limiter.acquire(call, requests, decisions);
    if (acquired && charge.decision.allowed) {
      ++reserved.count_;
      continue;
    }
    adjust(reserved, 0);
    if (!acquired) return acquired.error();
    return Outcome(
        ports::TokensSpent{request.limits.per_day, charge.decision.day.remaining, charge.decision.day.reset});
  }
  return Outcome(reserved);
}

void TokenBudget::adjust(const Reservation& reservation, std::uint32_t used) {
  ports::Call call;
  call.deadline = deps_.clock.steady() + kAdjustTimeout;
  for (std::size_t i = 0; i < reservation.count_; ++i) {
    const Reservation::Charge& charge = reservation.charges_[i];
    // The rate limiter logs and counts its failures itself.
    [[maybe_unused]] const auto adjusted = deps_.rate_limiter.adjust(call, charge.request, charge.decision, used);
  }
}

namespace {
using Tokens = std::uint32_t;

constexpr std::size_t kMaxLoggedBytes = 64 * 1024;
constexpr double kMaxTemperature = 2.0;

Tokens capped(std::uint64_t tokens) {
  return static_cast<Tokens>(std::min<std::uint64_t>(tokens, std::numeric_limits<Tokens>::max()));
}

Tokens sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::numeric_limits<Tokens>::max();
  return capped(std::min(a, kMax) + std::min(b, kMax));
}

/// The token cost of a failed completion. nullopt: unknown, so the reservation stays charged.
std::optional<Tokens> cost_of(const Error& error, std::size_t prompt_bytes, std::size_t streamed_bytes) {
  if (streamed_bytes > 0) return sum(estimated_tokens(prompt_bytes), estimated_tokens(streamed_bytes));
  // The service may continue to generate after the call ended.
  if (error.code == ErrorCode::Deadline || error.code == ErrorCode::Cancelled) return std::nullopt;
  return 0;
}

}  // namespace

std::uint32_t estimated_tokens(std::size_t bytes) {
  constexpr std::size_t kBytesPerToken = 3;
  return capped(bytes / kBytesPerToken + (bytes % kBytesPerToken != 0 ? 1 : 0));
}

CompletePrompt::CompletePrompt(const Dependencies& deps, PromptRules rules)
    : deps_(deps),
      rules_(std::move(rules)),
      budget_({deps.rate_limiter, deps.digest, deps.clock}, rules_.tokens_per_day) {}

Result<CompletePrompt::Outcome> CompletePrompt::complete(ports::Call& call, const ports::ExternalClient& client,
                                                         const ports::CompletionRequest& request,
                                                         Visitor<std::string_view> text) {
  KBASE_TRY(check(request));
  if (deps_.model == nullptr) return disabled_service("language-model");
  const ports::Prompt prompt = prompt_of(request);
  auto reserved =
      KBASE_TRY(budget_.reserve(call, client, sum(prompt.max_tokens, estimated_tokens(prompt.text.size()))));
  if (const auto* const spent = std::get_if<ports::TokensSpent>(&reserved)) return Outcome(*spent);

  std::size_t streamed_bytes = 0;
  std::string logged;
  const auto on_piece = [&](std::string_view piece) {
    streamed_bytes += piece.size();
    if (rules_.log_prompts) logged.append(piece.substr(0, kMaxLoggedBytes - std::min(logged.size(), kMaxLoggedBytes)));
    return text(piece);
  };
  auto completion = query_service(call, prompt, on_piece);
  if (rules_.log_prompts) log_prompt(call, prompt, logged);

  const std::optional<Tokens> used = completion ? sum(completion->prompt_tokens, completion->completion_tokens)
                                                : cost_of(completion.error(), prompt.text.size(), streamed_bytes);
  if (used) budget_.adjust(std::get<TokenBudget::Reservation>(reserved), *used);
  if (!completion) return completion.error();
  return Outcome(*std::move(completion));
}

Status CompletePrompt::check(const ports::CompletionRequest& request) const {
  if (request.prompt.empty()) return invalid_argument("prompt", "prompt must not be empty");
  if (request.prompt.size() > rules_.max_prompt_bytes)
    return invalid_argument("prompt",
                            "prompt must not be longer than " + std::to_string(rules_.max_prompt_bytes) + " bytes");
  if (!utf8::is_valid(request.prompt)) return invalid_argument("prompt", "prompt must be UTF-8");
  if (request.model) KBASE_TRY(check_model(*request.model));
  if (request.max_tokens && *request.max_tokens < 1)
    return invalid_argument("max_tokens", "max_tokens must be at least 1");
  if (request.max_tokens && *request.max_tokens > rules_.max_tokens)
    return invalid_argument("max_tokens", "max_tokens must be at most " + std::to_string(rules_.max_tokens));
  // The negated condition also rejects NaN.
  if (request.temperature && !(*request.temperature >= 0 && *request.temperature <= kMaxTemperature))
    return invalid_argument("temperature", "temperature must be from 0 to 2");
  return {};
}

Status CompletePrompt::check_model(std::string_view model) const {
  if (model.empty()) return invalid_argument("model", "model must not be empty");
  const auto& allowed = rules_.allowed_models;
  if (allowed.empty() || model == rules_.default_model) return {};
  if (std::find(allowed.begin(), allowed.end(), model) != allowed.end()) return {};
  std::string names = rules_.default_model;
  for (const std::string& name : allowed)
    if (name != rules_.default_model) names.append(", ").append(name);
  return invalid_argument("model", "model must be one of: " + names);
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

Result<ports::Completion> CompletePrompt::query_service(ports::Call& call, const ports::Prompt& prompt,
                                                        Visitor<std::string_view> text) {
  return prompt.is_stream ? stream(call, prompt, text) : deps_.model->complete(call, prompt, text);
}

/// The idle timeout does not run while the visitor processes a piece: then the client is slow, not the service.
Result<ports::Completion> CompletePrompt::stream(ports::Call& call, const ports::Prompt& prompt,
                                                 Visitor<std::string_view> text) {
  IdleTimeout idle_timeout(call, deps_.clock, call.deadline);
  ports::Call inner = call;
  inner.deadline = deps_.clock.steady() + rules_.stream_timeout;
  inner.cancel = idle_timeout.source();
  const auto on_piece = [&](std::string_view piece) {
    idle_timeout.extend_until(IdleTimeout::Time::max());
    const Visit visit = text(piece);
    idle_timeout.extend_until(deps_.clock.steady() + rules_.idle_timeout);
    return visit;
  };
  auto completion = deps_.model->complete(inner, prompt, on_piece);
  if (completion || completion.error().code != ErrorCode::Cancelled || call.cancelled() || !idle_timeout.is_over())
    return completion;
  Error late = completion.error().during("no text arrived within the idle timeout");
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
  deps_.log.log(ports::LogLevel::Info, "llm.prompt", "a prompt was sent to the language-model service", fields);
}

}  // namespace kbase::usecases
