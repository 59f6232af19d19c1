// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "adapters/system/system_crypto.hpp"
#include "app/composition/backends.hpp"
#include "app/runtime/guarded_rate_limit_store.hpp"
#include "app/runtime/periodic_task.hpp"
#include "app/runtime/server_health.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::composition {

/// Rate limiter that replaces client ids by keyed hashes before they leave this process: the first 128 bits of
/// HMAC-SHA-256 (RFC 2104). All IPv4 addresses can be hashed in a minute, so without the secret a reader of the store
/// could identify the clients. Servers with the same secret share their counts. Thread-safe.
class HashingRateLimitStore final : public ports::RateLimitStore {
 public:
  HashingRateLimitStore(std::unique_ptr<ports::RateLimitStore> rate_limiter, std::string_view secret)
      : rate_limiter_(std::move(rate_limiter)), hmac_(secret) {}

  Capabilities capabilities() const override { return rate_limiter_->capabilities(); }
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                std::uint32_t used) override {
    return rate_limiter_->adjust(call, hash_ids(request), decision, used);
  }
  Status health(ports::Call& call) override { return rate_limiter_->health(call); }

 private:
  ports::AcquireRequest hash_ids(const ports::AcquireRequest& request) const;
  model::ClientId hash_ids(std::string_view kind, const model::ClientId& client_id) const;

  const std::unique_ptr<ports::RateLimitStore> rate_limiter_;
  const system::HmacSha256 hmac_;
};

/// The configured rate limiter with its wrappers: metrics, and a guard with a timeout if a call can block. Each member
/// uses only members declared before it.
struct RateLimiting {
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
Result<RateLimiting> open_rate_limiting(const config::RateLimit& settings, Backends& backends, Platform& platform,
                                        ports::Metrics& metrics);

/// Checks the health of a guarded rate limiter once a second and reports it to `health`. It has its own thread, so that
/// slow health checks of other services do not delay it. Null: the rate limiter is not guarded. Both arguments must
/// outlive the task.
std::unique_ptr<runtime::PeriodicTask> start_health_task(const RateLimiting& rate_limiter,
                                                         runtime::HealthChecker& health);

}  // namespace kbase::composition
