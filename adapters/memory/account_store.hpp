// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "ports/driven/account_store.hpp"

namespace kbase::memory {

/// Accounts in memory, lost when the process ends. For tests and for servers without a data directory. Thread-safe.
/// Contract suite: plugins/conformance/account_store_suite.
class MemoryAccountStore final : public ports::AccountStore {
 public:
  Result<std::optional<model::Account>> get(ports::Call& call, std::string_view id) override;
  Result<std::optional<model::Account>> find(ports::Call& call, std::string_view email) override;
  Status list(ports::Call& call, Visitor<model::Account> visitor) override;
  Status create(ports::Call& call, const model::Account& account) override;
  Status update(ports::Call& call, const model::Account& account) override;
  Status remove(ports::Call& call, std::string_view id) override;
  Result<bool> add_mail(ports::Call& call, const model::QueuedMail& mail, const ports::MailLimits& limits) override;
  Status claim_mails(ports::Call& call, model::Instant now, model::Instant until, std::uint32_t most,
                     Visitor<model::QueuedMail> visitor) override;
  Status update_mail(ports::Call& call, std::string_view id, model::MailState state, model::Instant due) override;
  Status add_token(ports::Call& call, const model::SignInToken& token) override;
  Result<std::optional<model::SignInToken>> take_token(ports::Call& call, const model::SecretDigest& digest) override;
  Status add_session(ports::Call& call, const model::Session& session) override;
  Result<std::optional<model::Session>> find_session(ports::Call& call, const model::SecretDigest& digest) override;
  Status extend_session(ports::Call& call, const model::SecretDigest& digest, model::Instant expires) override;
  Status remove_session(ports::Call& call, const model::SecretDigest& digest) override;
  Status remove_sessions(ports::Call& call, std::string_view account) override;
  Status delete_expired(ports::Call& call, model::Instant now, model::Instant mails_since) override;

 private:
  std::mutex mutex_;
  std::map<std::string, model::Account, std::less<>> accounts_;
  std::map<std::string, model::QueuedMail, std::less<>> mails_;
  std::map<model::SecretDigest, model::SignInToken> tokens_;
  std::map<model::SecretDigest, model::Session> sessions_;
};

}  // namespace kbase::memory
