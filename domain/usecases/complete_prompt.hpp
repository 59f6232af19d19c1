// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driving/external_services.hpp"

namespace kbase::usecases {

/// Daily budgets (UTC) of the tokens for completions, one per client and one for all clients together. The rate limiter
/// counts them separately from requests. The maximum is reserved before a completion, because its token count is
/// unknown until then, and adjusted afterwards. Concurrent prompts therefore never overdraw a budget. Any thread.
class TokenBudget {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::RateLimitStore& rate_limiter;
    const ports::Digest& digest;
    const ports::Clock& clock;
  };

  /// Charged tokens of one completion.
  class Reservation {
    friend class TokenBudget;
    struct Charge {
      ports::AcquireRequest request;
      ports::Decision decision;
    };
    std::array<Charge, 2> charges_;
    std::size_t count_ = 0;
  };
  using Outcome = std::variant<Reservation, ports::TokensSpent>;

  /// `per_day` is the budget of the service; 0: no limit.
  TokenBudget(const Dependencies& deps, std::uint32_t per_day);

  /// Charges both budgets or neither. Fails if the rate limiter fails: without it, no tokens may be used.
  Result<Outcome> reserve(ports::Call& call, const ports::ExternalClient& client, std::uint32_t tokens);

  /// Refunds unused tokens, or charges the tokens used beyond the reservation. If the rate limiter fails, the estimate
  /// stays charged.
  void adjust(const Reservation& reservation, std::uint32_t used);

 private:
  model::ClientId client_id_of(const model::ClientId& client) const;

  const Dependencies deps_;
  const model::ClientId service_;
  const std::uint32_t per_day_;
};

/// Limits of requests to the language-model service.
struct PromptRules {
  std::string default_model;
  std::vector<std::string> allowed_models;  ///< in addition to the default one; empty: any
  std::uint32_t max_tokens = 0;             ///< maximum that a request may specify
  std::uint32_t default_max_tokens = 0;     ///< for requests that specify none; reduced to max_tokens
  std::size_t max_prompt_bytes = 0;
  std::uint32_t tokens_per_day = 0;             ///< for all clients together; 0: no limit
  std::chrono::milliseconds idle_timeout{0};    ///< maximum pause of a stream after its first piece
  std::chrono::milliseconds stream_timeout{0};  ///< maximum duration of a stream
  bool log_prompts = false;                     ///< log prompts and completions
};

/// Completes prompts within the configured limits and budgets.
class CompletePrompt final : public ports::Completions {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::LanguageModel* model;  ///< null: the service is disabled
    ports::RateLimitStore& rate_limiter;
    const ports::Digest& digest;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  CompletePrompt(const Dependencies& deps, PromptRules rules);

  Result<Outcome> complete(ports::Call& call, const ports::ExternalClient& client,
                           const ports::CompletionRequest& request, Visitor<std::string_view> text) override;

 private:
  Status check(const ports::CompletionRequest& request) const;
  Status check_model(std::string_view model) const;
  ports::Prompt prompt_of(const ports::CompletionRequest& request) const;
  Result<ports::Completion> query_service(ports::Call& call, const ports::Prompt& prompt,
                                          Visitor<std::string_view> text);
  Result<ports::Completion> stream(ports::Call& call, const ports::Prompt& prompt, Visitor<std::string_view> text);
  void log_prompt(const ports::Call& call, const ports::Prompt& prompt, std::string_view text);

  const Dependencies deps_;
  const PromptRules rules_;
  TokenBudget budget_;
};

/// Estimates the tokens of a text as a third of its bytes, rounded up. English has four or more bytes per token, source
/// code and most other scripts two and a half to four. The estimate is therefore seldom too low; it is adjusted when
/// the service reports the actual count.
std::uint32_t estimated_tokens(std::size_t bytes);

}  // namespace kbase::usecases
