// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::ports {

/// The client on whose behalf an upstream service is called.
struct ExternalClient {
  model::ClientId client_id{};  ///< the client that the rate limiter counts
  bool has_key = false;
  std::uint32_t tokens_per_day = 0;  ///< its plan's limit of tokens for completions; 0: no limit
};

/// Data about a user of the code-hosting service.
struct UserReply {
  std::string text;                         ///< the response text, formatted by a UserWriter
  std::optional<std::chrono::seconds> age;  ///< time since the service returned or confirmed the data; nullopt: just
                                            ///< now
};

/// Outcome of a user look-up.
enum class LookUpOutcome {
  Cached,       ///< answered from a fresh cache entry
  Fetched,      ///< the service returned the user's data
  Confirmed,    ///< the service confirmed that the cached data is current
  Stale,        ///< answered from a stale cache entry, because the service could not be queried or did not respond
  Unknown,      ///< no such user: by the service, by a negative cache entry, or by the format of the name
  RateLimited,  ///< the limit of queries to the service was reached
  Failed,
  Cancelled,
};

/// Users of the code-hosting service (docs/guide/code-host-users.md). Any thread.
class CodeHostUsers {
 public:
  virtual ~CodeHostUsers() = default;

  /// Returns a fresh cached reply if the cache never blocks. nullopt: call look_up(). Never blocks.
  virtual std::optional<UserReply> find_cached(std::string_view username) = 0;

  /// NotFound: there is no such user. Unavailable: the service is disabled or saturated (retry_after), or cannot be
  /// reached. BadUpstream, Deadline: it failed or was too slow, and no cached reply can replace its response.
  virtual Result<UserReply> look_up(Call& call, const ExternalClient& client, std::string_view username) = 0;
};

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
  virtual Result<Outcome> complete(Call& call, const ExternalClient& client, const CompletionRequest& request,
                                   Visitor<std::string_view> text) = 0;
};

}  // namespace kbase::ports
