// SPDX-License-Identifier: Apache-2.0
#include "app/composition/rate_limiting.hpp"

#include <algorithm>
#include <vector>

#include "app/runtime/rate_limit_metrics.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {
namespace {

constexpr std::chrono::milliseconds kHealthCheckPause{1000};

Result<std::unique_ptr<ports::RateLimitStore>> open_fallback(config::WhenUnavailable mode, Backends& backends,
                                                             Platform& platform) {
  switch (mode) {
    case config::WhenUnavailable::Local: return backends.open_local_rate_limiter();
    case config::WhenUnavailable::Allow:
      return std::unique_ptr<ports::RateLimitStore>(std::make_unique<runtime::AllowingRateLimitStore>(platform.clock));
    case config::WhenUnavailable::Deny: break;
  }
  return std::unique_ptr<ports::RateLimitStore>(std::make_unique<runtime::DenyingRateLimitStore>());
}

}  // namespace

Status HashingRateLimitStore::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                      std::span<ports::Decision* const> decisions) {
  std::vector<ports::AcquireRequest> hashed;
  std::vector<const ports::AcquireRequest*> pointers;
  hashed.reserve(requests.size());
  for (const ports::AcquireRequest* const request : requests)
    pointers.push_back(&hashed.emplace_back(hash_ids(*request)));
  return rate_limiter_->acquire(call, pointers, decisions);
}

ports::AcquireRequest HashingRateLimitStore::hash_ids(const ports::AcquireRequest& request) const {
  ports::AcquireRequest copy = request;
  copy.client_id = hash_ids("subject:", request.client_id);
  if (request.has_fallback_bucket()) copy.fallback_bucket = hash_ids("group:", request.fallback_bucket);
  return copy;
}

/// The kind separates the two hash domains from each other, and from the log's pseudonyms if the log has the same
/// secret.
model::ClientId HashingRateLimitStore::hash_ids(std::string_view kind, const model::ClientId& client_id) const {
  std::string message(kind);
  message.append(client_id.begin(), client_id.end());
  const auto code = hmac_.sign(message);
  model::ClientId hashed;
  std::copy_n(code.begin(), hashed.size(), hashed.begin());
  return hashed;
}

Result<RateLimiting> open_rate_limiting(const config::RateLimit& settings, Backends& backends, Platform& platform,
                                        ports::Metrics& metrics) {
  auto store = KBASE_TRY(backends.open_rate_limiter());
  RateLimiting rate_limiter;
  rate_limiter.store = std::move(store);
  ports::RateLimitStore* limiter = rate_limiter.store.get();
  if (!limiter->capabilities().inline_calls) {
    auto fallback = KBASE_TRY(open_fallback(settings.when_unavailable, backends, platform));
    rate_limiter.fallback = std::move(fallback);
    rate_limiter.guard = std::make_unique<runtime::GuardedRateLimitStore>(
        runtime::GuardedRateLimitStore::Dependencies{
            *rate_limiter.store, *rate_limiter.fallback, platform.clock, platform.log,
            metrics.counter("kbase_rate_limit_failures_total",
                            "Requests and adjustments that the rate limiter did not answer in time."),
            metrics.counter("kbase_rate_limit_fallback_decisions_total",
                            "Requests decided as rate_limit.when_unavailable requires.")},
        settings.timeout);
    limiter = rate_limiter.guard.get();
  }
  rate_limiter.metered_requests =
      std::make_unique<runtime::MeteredRequestLimiter>(*limiter, platform.clock, metrics, platform.log);
  rate_limiter.metered_tokens =
      std::make_unique<runtime::MeteredTokenLimiter>(*limiter, platform.clock, metrics, platform.log);
  return rate_limiter;
}

std::unique_ptr<runtime::PeriodicTask> start_health_task(const RateLimiting& rate_limiter,
                                                         runtime::HealthChecker& health) {
  if (!rate_limiter.guard) return nullptr;
  return std::make_unique<runtime::PeriodicTask>(kHealthCheckPause, [&guard = *rate_limiter.guard, &health] {
    guard.check_health();
    health.set(ports::Service::RateLimit, guard.is_available() ? ports::ServiceState::Up : ports::ServiceState::Down);
  });
}

}  // namespace kbase::composition
