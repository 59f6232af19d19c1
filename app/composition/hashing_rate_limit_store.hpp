// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "adapters/system/system_crypto.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::composition {

/// Rate limiter that replaces client ids by keyed hashes before they leave this process: the first 128 bits of
/// HMAC-SHA-256 (RFC 2104). All IPv4 addresses can be hashed in a minute, so without the secret a reader of the store
/// could identify the clients. Servers with the same secret share their counts. Thread-safe.
class HashingRateLimitStore final : public ports::RateLimitStore {
 public:
  HashingRateLimitStore(std::unique_ptr<ports::RateLimitStore> rate_limiter, std::string_view secret)
      : rate_limiter_(std::move(rate_limiter)), seal_(secret) {}

  Capabilities capabilities() const override { return rate_limiter_->capabilities(); }
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;
  model::Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                       std::uint32_t used) override {
    return rate_limiter_->adjust(call, sealed(request), decision, used);
  }
  model::Status health(ports::Call& call) override { return rate_limiter_->health(call); }

 private:
  ports::AcquireRequest sealed(const ports::AcquireRequest& request) const;
  model::ClientId sealed(std::string_view kind, const model::ClientId& client_id) const;

  const std::unique_ptr<ports::RateLimitStore> rate_limiter_;
  const system::HmacSha256 seal_;
};

}  // namespace kbase::composition
