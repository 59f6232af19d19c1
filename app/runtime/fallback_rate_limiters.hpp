// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ports/driven/clock.hpp"
#include "ports/driven/rate_limit_store.hpp"

/// What answers in a rate limiter's place while it is away, beside a rate limiter of this process. Any thread; neither
/// counts.
namespace kbase::runtime {

/// How a request fails that the rate limiter would have to count and does not: Unavailable, worth a retry after a
/// second, when the rate limiter was asked for its health again. `cause` is for the log.
model::Error cannot_count(std::string cause);

/// Admits everybody and shows full windows. `clock` outlives it.
class AllowingRateLimitStore final : public ports::RateLimitStore {
 public:
  explicit AllowingRateLimitStore(const ports::Clock& clock) : clock_(clock) {}

  Capabilities capabilities() const override { return {.inline_calls = true, .shared = false}; }
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;
  model::Status adjust(ports::Call&, const ports::AcquireRequest&, const ports::Decision&, std::uint32_t) override {
    return {};
  }
  model::Status health(ports::Call&) override { return {}; }

 private:
  const ports::Clock& clock_;
};

/// Fails with Unavailable.
class DenyingRateLimitStore final : public ports::RateLimitStore {
 public:
  Capabilities capabilities() const override { return {.inline_calls = true, .shared = false}; }
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;
  model::Status adjust(ports::Call&, const ports::AcquireRequest&, const ports::Decision&, std::uint32_t) override {
    return {};
  }
  model::Status health(ports::Call&) override { return {}; }
};

}  // namespace kbase::runtime
