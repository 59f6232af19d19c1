// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/rate_limit_store.h>

#include <memory>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::plugin_host {

using RateLimitStoreInstance = Instance<kb_rate_limit_store_v1, kb_rate_limit_store>;

/// Implements ports::RateLimitStore with a plugin's table. Errors: see ItemStoreProxy; also Internal if more remains
/// than the limit allows, a window ends outside the calendar, or an account was charged that the request did not name.
/// Allocates memory only for calls with many requests.
class RateLimitStoreProxy final : public ports::RateLimitStore {
 public:
  explicit RateLimitStoreProxy(std::unique_ptr<RateLimitStoreInstance> instance);

  Capabilities capabilities() const override;
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> takes,
                        std::span<ports::Decision* const> taken) override;
  /// Error: Unsupported if the plugin has no such function.
  model::Status adjust(ports::Call& call, const ports::AcquireRequest& take, const ports::Decision& taken,
                       std::uint32_t used) override;
  model::Status health(ports::Call& call) override { return instance_->health(call); }

 private:
  const std::unique_ptr<RateLimitStoreInstance> instance_;
  const kb_rate_limit_store_v1& table_;
  kb_rate_limit_store* const store_;
};

}  // namespace kbase::plugin_host
