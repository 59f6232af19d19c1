// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ports/driven/clock.hpp"
#include "ports/driven/rate_limit_store.hpp"

/// What answers in a ledger's place while it is away, beside a ledger of this process. Any thread; neither counts.
namespace kbase::runtime {

/// How a request fails that the ledger would have to count and does not: Unavailable, worth a retry after a second,
/// when the ledger was asked for its health again. `cause` is for the log.
model::Error cannot_count(std::string cause);

/// Admits everybody and shows full windows. `clock` outlives it.
class AllowingLedger final : public ports::RateLimitStore {
 public:
  explicit AllowingLedger(const ports::Clock& clock) : clock_(clock) {}

  Capabilities capabilities() const override { return {.inline_calls = true, .shared = false}; }
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;
  model::Status settle(ports::Call&, const ports::Take&, const ports::Taken&, std::uint32_t) override { return {}; }
  model::Status health(ports::Call&) override { return {}; }

 private:
  const ports::Clock& clock_;
};

/// Fails with Unavailable.
class DenyingLedger final : public ports::RateLimitStore {
 public:
  Capabilities capabilities() const override { return {.inline_calls = true, .shared = false}; }
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;
  model::Status settle(ports::Call&, const ports::Take&, const ports::Taken&, std::uint32_t) override { return {}; }
  model::Status health(ports::Call&) override { return {}; }
};

}  // namespace kbase::runtime
