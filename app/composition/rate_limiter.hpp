// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/composition/backends.hpp"
#include "app/runtime/guarded_rate_limit_store.hpp"
#include "app/runtime/periodic_task.hpp"
#include "app/runtime/service_probes.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::composition {

/// The rate limiter that the configuration names, as the service asks it: counted, and guarded where it may keep a
/// request waiting. What it is made of stands in the order in which one part uses another.
struct RateLimiter {
  std::unique_ptr<ports::RateLimitStore> store;
  std::unique_ptr<ports::RateLimitStore> fallback;        ///< null: the store needs none
  std::unique_ptr<runtime::GuardedRateLimitStore> guard;  ///< null likewise
  std::unique_ptr<ports::RateLimitStore> metered_requests;
  std::unique_ptr<ports::RateLimitStore> metered_tokens;

  /// The same accounts; what is asked of them is counted apart.
  ports::RateLimitStore& requests() const { return *metered_requests; }
  ports::RateLimitStore& tokens() const { return *metered_tokens; }
};

/// `backends` and `metrics` outlive what is opened. Errors: as Backends::open_rate_limiter.
model::Result<RateLimiter> open_rate_limiter(const config::RateLimit& settings, Backends& backends, Platform& platform,
                                             ports::Metrics& metrics);

/// Asks a guarded ledger once a second how it is, in a thread of its own, so that nobody else's health keeps it away,
/// and tells the probes. Null: the rate limiter is not guarded. Both outlive it.
std::unique_ptr<runtime::PeriodicTask> watch_rate_limiter(const RateLimiter& rate_limiter,
                                                          runtime::ServiceProbes& probes);

}  // namespace kbase::composition
