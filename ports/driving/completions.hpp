// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "domain/model/day.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driving/external_client.hpp"

namespace kbase::ports {

/// The body of POST /external/llm (docs/guide/completions.md); absent members are decided by the configuration.
struct CompletionRequest {
  std::string_view prompt;
  std::optional<std::string_view> model;
  std::optional<std::uint64_t> max_tokens;
  std::optional<double> temperature;
  bool stream = false;
};

/// A day's budget of tokens, the client's or the service's, has less left than the completion may need.
struct TokensSpent {
  std::uint32_t limit = 0;
  std::uint32_t remaining = 0;
  model::Instant reset;  ///< when the day ends
};

/// Prompts for the language-model service. Any thread.
class Completions {
 public:
  using Outcome = std::variant<Completion, TokensSpent>;

  virtual ~Completions() = default;

  /// Tells the completion's text in pieces, as LanguageModel does. The call's deadline is that of the whole; of a
  /// stream, that of its first piece.
  ///
  /// InvalidArgument with the member's name as `parameter`. Unavailable: the service is disabled, saturated
  /// (retry_after) or can't be reached, or tokens can't be counted now. BadUpstream, Deadline: it failed or was too
  /// late, maybe after some pieces. Cancelled.
  virtual model::Result<Outcome> complete(Call& call, const ExternalClient& client, const CompletionRequest& request,
                                          model::Visitor<std::string_view> text) = 0;
};

}  // namespace kbase::ports
