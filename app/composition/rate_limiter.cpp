// SPDX-License-Identifier: Apache-2.0
#include "app/composition/rate_limiter.hpp"

#include "app/runtime/fallback_rate_limiters.hpp"
#include "app/runtime/metered_requests.hpp"
#include "app/runtime/metered_tokens.hpp"

namespace kbase::composition {
namespace {

constexpr std::chrono::milliseconds kProbePause{1000};

model::Result<std::unique_ptr<ports::RateLimitStore>> open_fallback(config::WhenUnavailable wanted, Backends& backends,
                                                                    Platform& platform) {
  switch (wanted) {
    case config::WhenUnavailable::Local:
      return backends.open_local_rate_limiter();
    case config::WhenUnavailable::Allow:
      return std::unique_ptr<ports::RateLimitStore>(std::make_unique<runtime::AllowingRateLimitStore>(platform.clock));
    case config::WhenUnavailable::Deny:
      break;
  }
  return std::unique_ptr<ports::RateLimitStore>(std::make_unique<runtime::DenyingRateLimitStore>());
}

}  // namespace

model::Result<RateLimiter> open_rate_limiter(const config::RateLimit& settings, Backends& backends, Platform& platform,
                                             ports::Metrics& metrics) {
  auto store = backends.open_rate_limiter();
  if (!store) return store.error();
  RateLimiter rate_limiter;
  rate_limiter.store = *std::move(store);
  ports::RateLimitStore* asked = rate_limiter.store.get();
  if (!asked->capabilities().inline_calls) {
    auto fallback = open_fallback(settings.when_unavailable, backends, platform);
    if (!fallback) return fallback.error();
    rate_limiter.fallback = *std::move(fallback);
    rate_limiter.guard = std::make_unique<runtime::GuardedRateLimitStore>(
        runtime::GuardedRateLimitStore::Parts{
            *rate_limiter.store, *rate_limiter.fallback, platform.clock, platform.log,
            metrics.counter("kbase_rate_limit_failures_total",
                            "Takes and settlements that the rate limiter did not answer in time."),
            metrics.counter("kbase_rate_limit_fallback_decisions_total",
                            "Takes answered as rate_limit.when_unavailable says.")},
        settings.timeout);
    asked = rate_limiter.guard.get();
  }
  rate_limiter.metered_requests =
      std::make_unique<runtime::MeteredRequests>(*asked, platform.clock, metrics, platform.log);
  rate_limiter.metered_tokens = std::make_unique<runtime::MeteredTokens>(*asked, platform.clock, metrics, platform.log);
  return rate_limiter;
}

std::unique_ptr<runtime::PeriodicTask> watch_rate_limiter(const RateLimiter& rate_limiter,
                                                          runtime::ServiceProbes& probes) {
  if (!rate_limiter.guard) return nullptr;
  return std::make_unique<runtime::PeriodicTask>(kProbePause, [&guard = *rate_limiter.guard, &probes] {
    guard.probe();
    probes.set(ports::Service::RateLimit, guard.is_present() ? ports::ServiceState::Up : ports::ServiceState::Down);
  });
}

}  // namespace kbase::composition
