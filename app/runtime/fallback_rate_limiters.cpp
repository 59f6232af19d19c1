// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/fallback_rate_limiters.hpp"

namespace kbase::runtime {

model::Error cannot_count(std::string cause) {
  return {model::ErrorCode::Unavailable,
          "Requests cannot be counted now; try again later.",
          std::move(cause),
          {},
          std::chrono::seconds(1)};
}

model::Status AllowingRateLimitStore::acquire(ports::Call&, std::span<const ports::AcquireRequest* const> requests,
                                              std::span<ports::Decision* const> decisions) {
  const model::Instant now = clock_.now();
  for (std::size_t i = 0; i < requests.size(); ++i) *decisions[i] = ports::untouched(requests[i]->limits, now);
  return {};
}

model::Status DenyingRateLimitStore::acquire(ports::Call&, std::span<const ports::AcquireRequest* const>,
                                             std::span<ports::Decision* const>) {
  return cannot_count("the rate limiter is away, and rate_limit.when_unavailable says deny");
}

}  // namespace kbase::runtime
