// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/key_store.h>

#include <memory>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/api_key_store.hpp"

namespace kbase::plugin_host {

using ApiKeyStoreInstance = Instance<kb_key_store_v1, kb_key_store>;

/// Implements ports::ApiKeyStore with a plugin's table. Errors: see ItemStoreProxy.
class ApiKeyStoreProxy final : public ports::ApiKeyStore {
 public:
  explicit ApiKeyStoreProxy(std::unique_ptr<ApiKeyStoreInstance> instance);

  model::Result<std::uint64_t> revision(ports::Call& call) override;
  model::Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override;
  model::Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override;
  model::Status list(ports::Call& call, model::Visitor<model::ApiKey> visitor) override;
  model::Status create(ports::Call& call, const model::ApiKey& key) override;
  model::Status update(ports::Call& call, const model::ApiKey& key) override;
  model::Status add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) override;
  model::Status usage(ports::Call& call, model::Day first, model::Day last,
                      model::Visitor<ports::KeyUsage> visitor) override;
  model::Result<std::optional<model::Day>> last_used(ports::Call& call, std::string_view id) override;
  model::Status delete_usage_before(ports::Call& call, model::Day first) override;
  bool has_inline_reads() const override { return instance_->runs_inline(KB_KEY_STORE_INLINE_READS); }

 private:
  bool keeps_usage() const noexcept;

  const std::unique_ptr<ApiKeyStoreInstance> instance_;
  const kb_key_store_v1& table_;
  kb_key_store* const store_;
};

}  // namespace kbase::plugin_host
