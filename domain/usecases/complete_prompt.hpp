// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "domain/usecases/token_budget.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driving/completions.hpp"

namespace kbase::usecases {

/// What may be asked of the language-model service.
struct PromptRules {
  std::string default_model;
  std::vector<std::string> allowed_models;  ///< beside the default one; empty: any
  std::uint32_t max_tokens = 0;             ///< that a request may ask for
  std::uint32_t default_max_tokens = 0;     ///< of one that asks for none; at most max_tokens
  std::size_t max_prompt_bytes = 0;
  std::uint32_t tokens_per_day = 0;             ///< of all clients together; 0: no limit
  std::chrono::milliseconds idle_timeout{0};    ///< how long a stream may be silent
  std::chrono::milliseconds stream_timeout{0};  ///< how long it may last
  bool log_prompts = false;                     ///< prompts and completions show in the log
};

/// Completes prompts within the rules and budgets of the configuration.
class CompletePrompt final : public ports::Completions {
 public:
  /// What it is made of outlives it.
  struct Parts {
    ports::LanguageModel* model;  ///< null: the service is disabled
    ports::RateLimitStore& rate_limiter;
    const ports::Digest& digest;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  CompletePrompt(const Parts& parts, PromptRules rules);

  model::Result<Outcome> complete(ports::Call& call, const ports::ExternalClient& client,
                                  const ports::CompletionRequest& request,
                                  model::Visitor<std::string_view> text) override;

 private:
  model::Status check(const ports::CompletionRequest& request) const;
  model::Status check_model(std::string_view model) const;
  ports::Prompt prompt_of(const ports::CompletionRequest& request) const;
  model::Result<ports::Completion> ask(ports::Call& call, const ports::Prompt& prompt,
                                       model::Visitor<std::string_view> text);
  model::Result<ports::Completion> stream(ports::Call& call, const ports::Prompt& prompt,
                                          model::Visitor<std::string_view> text);
  void log_prompt(const ports::Call& call, const ports::Prompt& prompt, std::string_view text);

  const Parts parts_;
  const PromptRules rules_;
  TokenBudget budget_;
};

/// How many tokens a text has, about: a third of its bytes, rounded up. English has four bytes a token or more, source
/// code and most other scripts between two and a half and four, so it is seldom too low, and what it is wrong by is
/// settled when the service has counted.
std::uint32_t estimated_tokens(std::size_t bytes);

}  // namespace kbase::usecases
