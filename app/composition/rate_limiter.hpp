// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/composition/backends.hpp"
#include "app/runtime/guarded_rate_limit_store.hpp"
#include "app/runtime/periodic_task.hpp"
#include "app/runtime/service_probes.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::composition {

/// The configured rate limiter with its wrappers: metrics, and a guard with a timeout if a call can block. Each member
/// uses only members declared before it.
struct RateLimiter {
  std::unique_ptr<ports::RateLimitStore> store;
  std::unique_ptr<ports::RateLimitStore> fallback;        ///< null: calls of the store never block
  std::unique_ptr<runtime::GuardedRateLimitStore> guard;  ///< null: as for `fallback`
  std::unique_ptr<ports::RateLimitStore> metered_requests;
  std::unique_ptr<ports::RateLimitStore> metered_tokens;

  /// Both views share one rate limiter; each has its own metrics.
  ports::RateLimitStore& requests() const { return *metered_requests; }
  ports::RateLimitStore& tokens() const { return *metered_tokens; }
};

/// `backends` and `metrics` must outlive the result. Errors: those of Backends::open_rate_limiter().
model::Result<RateLimiter> open_rate_limiter(const config::RateLimit& settings, Backends& backends, Platform& platform,
                                             ports::Metrics& metrics);

/// Checks the health of a guarded rate limiter once a second and reports it to `probes`. It has its own thread, so that
/// slow health checks of other services do not delay it. Null: the rate limiter is not guarded. Both arguments must
/// outlive the task.
std::unique_ptr<runtime::PeriodicTask> watch_rate_limiter(const RateLimiter& rate_limiter,
                                                          runtime::ServiceProbes& probes);

}  // namespace kbase::composition
