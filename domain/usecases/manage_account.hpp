// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "domain/usecases/account_rules.hpp"
#include "ports/driven/account_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/mailer.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/server_state.hpp"
#include "ports/driving/accounts.hpp"

namespace kbase::usecases {

/// Signs people up and in, and lets them administer their keys. Any thread.
///
/// A request for a link does the same work for each address: it adds a mail to the queue without looking for an
/// account. Whether there is one is decided when the mail is sent.
class ManageAccount final : public ports::Accounts {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::AccountStore& accounts;
    ports::ApiKeyStore& keys;
    ports::KeyAdministration& administration;
    ports::RateLimitStore& rate_limiter;
    const ports::PlanRegistry& plans;
    const ports::DomainNames& domains;
    const ports::Digest& digest;
    ports::Random& random;
    const ports::Clock& clock;
  };
  ManageAccount(const Dependencies& deps, AccountRules rules) : deps_(deps), rules_(std::move(rules)) {}

  Status sign_up(ports::Call& call, std::string_view email, std::string_view client) override;
  Status sign_in(ports::Call& call, std::string_view email, std::string_view client) override;
  Result<ports::SessionSecret> confirm(ports::Call& call, std::string_view token) override;
  Result<ports::AccountReport> report(ports::Call& call, std::string_view session) override;
  Result<ports::IssuedKey> create_key(ports::Call& call, std::string_view session, std::string_view name) override;
  Result<ports::IssuedKey> rotate_key(ports::Call& call, std::string_view session, std::string_view id) override;
  Status remove_key(ports::Call& call, std::string_view session, std::string_view id) override;
  Status end_session(ports::Call& call, std::string_view session) override;
  Status end_sessions(ports::Call& call, std::string_view session) override;
  Status remove_account(ports::Call& call, std::string_view session) override;

 private:
  Status request_mail(ports::Call& call, model::MailKind kind, const std::string& email, std::string_view client);
  Result<std::string> normalize(std::string_view email) const;
  Result<model::Account> find_or_create(ports::Call& call, const model::SignInToken& token);
  Result<model::Account> signed_in(ports::Call& call, std::string_view session);
  /// The keys of an account.
  struct Keys {
    std::vector<model::ApiKey> live;  // the oldest first
    std::size_t ended_today = 0;      // that the owner deleted today
  };
  /// Forgets the keys that ended before today.
  Result<Keys> read_keys(ports::Call& call, const std::string& account);
  Result<model::ApiKey> own_key(ports::Call& call, const model::Account& account, std::string_view id);
  Result<ports::AccountKey> describe(ports::Call& call, const model::ApiKey& key);
  Status read_windows(ports::Call& call, std::vector<ports::AccountKey>& keys);
  Status settle_new_key(ports::Call& call, const model::Account& account, const model::ApiKey& key);

  const Dependencies deps_;
  const AccountRules rules_;
};

}  // namespace kbase::usecases
