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

/// The tokens that a client, and all of them together, may spend on completions in a UTC day. They are accounts of the
/// ledger beside those of requests. What a completion may need is taken ahead of it, since nobody knows before how many
/// tokens it has, and settled afterwards; so no day's budget is ever overdrawn by prompts that run at the same time.
/// Any thread.
class TokenBudget {
 public:
  /// What it is made of outlives it.
  struct Parts {
    ports::RateLimitStore& rate_limiter;
    const ports::Digest& digest;
    const ports::Clock& clock;
  };

  /// Tokens that were taken.
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

  /// `per_day`: of the service; 0: no limit.
  TokenBudget(const Parts& parts, std::uint32_t per_day);

  /// Takes from both budgets or from neither. Fails as the rate limiter does: while it is away, nothing may be spent.
  model::Result<Outcome> reserve(ports::Call& call, const ports::ExternalClient& client, std::uint32_t tokens);

  /// Gives back what was not used, or takes what was used beyond. Where the rate limiter fails, the estimate stays.
  void adjust(const Reservation& reservation, std::uint32_t used);

 private:
  model::ClientId client_id_of(const model::ClientId& spender) const;

  const Parts parts_;
  const model::ClientId service_;
  const std::uint32_t per_day_;
};

}  // namespace kbase::usecases
