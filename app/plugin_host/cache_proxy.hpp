// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/cache.h>

#include <memory>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/cache.hpp"

namespace kbase::plugin_host {

using CacheInstance = Instance<kb_cache_v1, kb_cache>;

/// Implements ports::Cache with a plugin's table. Errors: see ItemStoreProxy.
class CacheProxy final : public ports::Cache {
 public:
  explicit CacheProxy(std::unique_ptr<CacheInstance> instance);

  model::Result<bool> get(ports::Call& call, std::string_view key, model::Visitor<std::string_view> visitor) override;
  model::Status put(ports::Call& call, std::string_view key, std::string_view value,
                    std::chrono::milliseconds time_to_live) override;
  model::Status erase(ports::Call& call, std::string_view key) override;
  model::Status health(ports::Call& call) override { return instance_->health(call); }
  bool is_inline() const override { return instance_->runs_inline(KB_CACHE_INLINE_CALLS); }

 private:
  const std::unique_ptr<CacheInstance> instance_;
  const kb_cache_v1& table_;
  kb_cache* const cache_;
};

}  // namespace kbase::plugin_host
