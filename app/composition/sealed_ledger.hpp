// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "adapters/system/system_crypto.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::composition {

/// A ledger outside of this process that gets to see subjects only under a secret: the first 128 bits of HMAC-SHA-256
/// (RFC 2104). All IPv4 addresses are hashed in a minute, so without it whoever reads the store could tell who called.
/// Servers with one secret count together. Any thread.
class SealedLedger final : public ports::RateLimitStore {
 public:
  SealedLedger(std::unique_ptr<ports::RateLimitStore> ledger, std::string_view secret)
      : ledger_(std::move(ledger)), seal_(secret) {}

  Capabilities capabilities() const override { return ledger_->capabilities(); }
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;
  model::Status settle(ports::Call& call, const ports::Take& take, const ports::Taken& taken,
                       std::uint32_t used) override {
    return ledger_->settle(call, sealed(take), taken, used);
  }
  model::Status health(ports::Call& call) override { return ledger_->health(call); }

 private:
  ports::Take sealed(const ports::Take& take) const;
  model::Subject sealed(std::string_view kind, const model::Subject& subject) const;

  const std::unique_ptr<ports::RateLimitStore> ledger_;
  const system::HmacSha256 seal_;
};

}  // namespace kbase::composition
