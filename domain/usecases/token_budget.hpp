// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "ports/driven/clock.hpp"
#include "ports/driven/digest.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driving/completions.hpp"

namespace kbase::usecases {

/// Daily budgets (UTC) of the tokens for completions, one per client and one for all clients together. The rate limiter
/// counts them separately from requests. The maximum is reserved before a completion, because its token count is
/// unknown until then, and adjusted afterwards. Concurrent prompts therefore never overdraw a budget. Any thread.
class TokenBudget {
 public:
  /// All must outlive the object.
  struct Parts {
    ports::RateLimitStore& rate_limiter;
    const ports::Digest& digest;
    const ports::Clock& clock;
  };

  /// Charged tokens of one completion.
  class Reservation {
    friend class TokenBudget;
    struct Part {
      ports::AcquireRequest request;
      ports::Decision decision;
    };
    std::array<Part, 2> parts_;
    std::size_t count_ = 0;
  };
  using Outcome = std::variant<Reservation, ports::TokensSpent>;

  /// `per_day` is the budget of the service; 0: no limit.
  TokenBudget(const Parts& parts, std::uint32_t per_day);

  /// Charges both budgets or neither. Fails if the rate limiter fails: without it, no tokens may be used.
  model::Result<Outcome> reserve(ports::Call& call, const ports::ExternalClient& client, std::uint32_t tokens);

  /// Refunds unused tokens, or charges the tokens used beyond the reservation. If the rate limiter fails, the estimate
  /// stays charged.
  void adjust(const Reservation& reservation, std::uint32_t used);

 private:
  model::ClientId client_id_of(const model::ClientId& spender) const;

  const Parts parts_;
  const model::ClientId service_;
  const std::uint32_t per_day_;
};

}  // namespace kbase::usecases
