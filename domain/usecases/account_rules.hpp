// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/account_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::usecases {

/// What the configuration says about accounts.
struct AccountRules {
  bool needs_approval = false;  ///< the keys of a new account work once the operator has approved it
  std::string plan;             ///< of new accounts
  std::uint32_t keys_per_account = 0;
  std::vector<std::string> allowed_domains;  ///< in ASCII; empty: all
};

/// How long the link in a mail works, from when it is sent.
inline constexpr std::chrono::minutes kLinkLifetime{30};

/// How long a session lasts with requests.
inline constexpr std::chrono::hours kMaxSessionLifetime{7 * 24};

/// How long the old text of a key works after its owner has rotated it.
inline constexpr std::chrono::hours kRotationGrace{24};

/// Limits of mails, in an hour.
inline constexpr std::chrono::hours kMailPeriod{1};
inline constexpr std::uint32_t kMailsToAddress = 3;
inline constexpr std::uint32_t kSignUpsOfClient = 5;

/// Returns the hash of an address for QueuedMail. Most mail servers ignore the case of the part before the "@", so
/// addresses that differ only there share their limits.
model::ClientId recipient_of(const ports::Digest& digest, std::string_view email);

/// Makes `suspended` of all keys of the account agree with its state. A repeated call completes an interrupted one.
Status suspend_keys(ports::Call& call, ports::ApiKeyStore& keys, const model::Account& account);

/// Deletes an account after its keys. The keys that are created meanwhile end too. NotFound: there is no such account.
Status remove_account(ports::Call& call, ports::AccountStore& accounts, ports::ApiKeyStore& keys, std::string_view id);

/// Returns the keys of an account, the oldest first.
Result<std::vector<model::ApiKey>> keys_of(ports::Call& call, ports::ApiKeyStore& keys, std::string_view account);

}  // namespace kbase::usecases
