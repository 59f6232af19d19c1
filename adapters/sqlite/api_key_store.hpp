// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/sqlite/database.hpp"
#include "ports/driven/api_key_store.hpp"

namespace kbase::sqlite {

/// API keys and their daily request counts in state.db.
class SqliteApiKeyStore final : public ports::ApiKeyStore {
 public:
  explicit SqliteApiKeyStore(Database& database) : database_(database) {}

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
  bool has_inline_reads() const override { return true; }

 private:
  Database& database_;
};

}  // namespace kbase::sqlite
