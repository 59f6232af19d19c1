// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/api_key_store.hpp"

namespace kbase::postgres {

class Database;

/// API keys and their daily request counts. A row lock on `keys_state` serializes create() and update().
class PostgresApiKeyStore final : public ports::ApiKeyStore {
 public:
  explicit PostgresApiKeyStore(Database& database) : database_(database) {}

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
  model::Status forget_usage(ports::Call& call, model::Day first) override;

 private:
  Database& database_;
};

}  // namespace kbase::postgres
