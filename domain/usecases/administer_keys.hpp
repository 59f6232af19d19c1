// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/server_state.hpp"
#include "ports/driving/access.hpp"

namespace kbase::usecases {

/// Creates, changes and revokes keys. Returns the text of a key once and never stores it.
class AdministerKeys final : public ports::KeyAdministration {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::ApiKeyStore& keys;
    const ports::PlanRegistry& plans;
    const ports::Digest& digest;
    ports::Random& random;
    const ports::Clock& clock;
  };
  explicit AdministerKeys(const Dependencies& deps) : deps_(deps) {}

  Result<ports::IssuedKey> create(ports::Call& call, const ports::NewKey& key) override;
  Status list(ports::Call& call, Visitor<model::ApiKey> visitor) override;
  Result<bool> revoke(ports::Call& call, std::string_view id) override;
  Result<ports::IssuedKey> rotate(ports::Call& call, std::string_view id, std::chrono::seconds grace) override;
  Result<model::ApiKey> update(ports::Call& call, std::string_view id, const ports::KeyChange& change) override;
  Status usage(ports::Call& call, model::Day first, model::Day last, Visitor<ports::KeyUsage> visitor) override {
    return deps_.keys.usage(call, first, last, visitor);
  }
  Result<std::optional<model::Day>> last_used(ports::Call& call, std::string_view id) override {
    return deps_.keys.last_used(call, id);
  }

 private:
  Result<model::ApiKey> find_existing(ports::Call& call, std::string_view id) const;
  Status check_plan(std::string_view plan) const;
  std::string generate_text();

  Dependencies deps_;
};

}  // namespace kbase::usecases
