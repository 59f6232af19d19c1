// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ports/driven/clock.hpp"
#include "ports/driven/rate_limit_store.hpp"

/// Fallbacks while the configured rate limiter is unavailable, in addition to the in-memory one. They do not count
/// requests. Thread-safe.
namespace kbase::runtime {

/// Error for a request that must be counted but cannot be: Unavailable with a retry after one second, by when the
/// health of the rate limiter was checked again. `cause` is for the log.
model::Error cannot_count(std::string cause);

/// Allows every request and reports full quotas. `clock` must outlive it.
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

/// Refuses every request with Unavailable.
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
