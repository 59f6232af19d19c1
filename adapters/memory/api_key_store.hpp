// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <shared_mutex>
#include <string>

#include "ports/driven/api_key_store.hpp"

namespace kbase::memory {

/// API keys in memory, lost when the process ends. For tests and for servers without a data directory. Thread-safe.
/// Contract suite: plugins/conformance/api_key_store_suite.
class MemoryApiKeyStore final : public ports::ApiKeyStore {
 public:
  Result<std::uint64_t> revision(ports::Call& call) override;
  Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override;
  Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override;
  Status list(ports::Call& call, Visitor<model::ApiKey> visitor) override;
  Status create(ports::Call& call, const model::ApiKey& key) override;
  Status update(ports::Call& call, const model::ApiKey& key) override;
  Status add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) override;
  Status usage(ports::Call& call, model::Day first, model::Day last, Visitor<ports::KeyUsage> visitor) override;
  Result<std::optional<model::Day>> last_used(ports::Call& call, std::string_view id) override;
  Status delete_usage_before(ports::Call& call, model::Day first) override;
  bool has_accounts() const override { return true; }
  Status list_of(ports::Call& call, std::string_view account, Visitor<model::ApiKey> visitor) override;
  Status usage_of(ports::Call& call, std::string_view id, model::Day first, model::Day last,
                  Visitor<ports::KeyUsage> visitor) override;
  Status remove(ports::Call& call, std::string_view id) override;
  bool has_inline_reads() const override { return true; }

 private:
  /// Returns whether another key has one of the digests of `key`.
  bool has_digest_conflict(const model::ApiKey& key) const;
  void index(const model::ApiKey& key);

  std::shared_mutex mutex_;
  std::map<std::string, model::ApiKey, std::less<>> keys_;
  std::map<model::KeyDigest, std::string> id_by_digest_;  // includes previous digests
  std::map<std::string, std::map<model::Day, std::uint64_t>, std::less<>> usage_;
  std::uint64_t revision_ = 0;
};

}  // namespace kbase::memory
