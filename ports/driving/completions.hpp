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

/// The body of POST /external/llm (docs/guide/completions.md). Absent members take their values from the configuration.
struct CompletionRequest {
  std::string_view prompt;
  std::optional<std::string_view> model;
  std::optional<std::uint64_t> max_tokens;
  std::optional<double> temperature;
  bool stream = false;
};

/// The client's or the service's daily token budget has less left than the completion may need.
struct TokensSpent {
  std::uint32_t limit = 0;
  std::uint32_t remaining = 0;
  model::Instant reset;  ///< when the day ends
};

/// Sends prompts to the language-model service. Any thread.
class Completions {
 public:
  using Outcome = std::variant<Completion, TokensSpent>;

  virtual ~Completions() = default;

  /// Passes the completion's text to the visitor in pieces, see LanguageModel. The call's deadline applies to the whole
  /// completion; for a stream, to its first piece.
  ///
  /// InvalidArgument with the member's name as `parameter`. Unavailable: the service is disabled, saturated
  /// (retry_after) or cannot be reached, or the rate limiter is unavailable. BadUpstream, Deadline: the service failed
  /// or was too slow, possibly after some pieces. Cancelled.
  virtual model::Result<Outcome> complete(Call& call, const ExternalClient& client, const CompletionRequest& request,
                                          model::Visitor<std::string_view> text) = 0;
};

}  // namespace kbase::ports
