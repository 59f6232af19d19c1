// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include "ports/driven/api_key_store.hpp"

namespace kbase::runtime {

/// API keys from the configuration, in front of a key store. They are found and listed together with the store's keys,
/// but can be changed only in the configuration file. Thread-safe.
class ConfiguredKeys final : public ports::ApiKeyStore {
 public:
  /// `store` must outlive this object.
  ConfiguredKeys(std::vector<model::ApiKey> keys, ports::ApiKeyStore& store) : keys_(std::move(keys)), store_(store) {}

  model::Result<std::uint64_t> revision(ports::Call& call) override { return store_.revision(call); }
  model::Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override;
  model::Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override;
  model::Status list(ports::Call& call, model::Visitor<model::ApiKey> visitor) override;
  model::Status create(ports::Call& call, const model::ApiKey& key) override { return store_.create(call, key); }
  model::Status update(ports::Call& call, const model::ApiKey& key) override;
  model::Status add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) override {
    return store_.add_usage(call, usage);
  }
  model::Status usage(ports::Call& call, model::Day first, model::Day last,
                      model::Visitor<ports::KeyUsage> visitor) override {
    return store_.usage(call, first, last, visitor);
  }
  model::Result<std::optional<model::Day>> last_used(ports::Call& call, std::string_view id) override {
    return store_.last_used(call, id);
  }
  model::Status forget_usage(ports::Call& call, model::Day first) override { return store_.forget_usage(call, first); }
  bool has_inline_reads() const override { return store_.has_inline_reads(); }

  /// Replaces the configured keys after a reload.
  void replace(std::vector<model::ApiKey> keys);

 private:
  std::vector<model::ApiKey> configured() const;

  mutable std::mutex mutex_;
  std::vector<model::ApiKey> keys_;
  ports::ApiKeyStore& store_;
};

}  // namespace kbase::runtime
