// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/account_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driving/accounts.hpp"

namespace kbase::usecases {

/// Approves, blocks and deletes accounts.
class AdministerAccounts final : public ports::AccountAdministration {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::AccountStore& accounts;
    ports::ApiKeyStore& keys;
    const ports::Digest& digest;
    const ports::Clock& clock;
  };
  explicit AdministerAccounts(const Dependencies& deps) : deps_(deps) {}

  Status list(ports::Call& call, Visitor<model::Account> visitor) override;
  Result<model::Account> approve(ports::Call& call, std::string_view id) override;
  Result<model::Account> block(ports::Call& call, std::string_view id) override;
  Status remove(ports::Call& call, std::string_view id) override;

 private:
  Status announce_approval(ports::Call& call, const model::Account& account);
  Result<model::Account> set_state(ports::Call& call, model::Account account, model::AccountState state);
  Result<model::Account> find_existing(ports::Call& call, std::string_view id);

  const Dependencies deps_;
};

}  // namespace kbase::usecases
