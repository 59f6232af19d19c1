// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/account.hpp"
#include "domain/model/api_key.hpp"
#include "ports/driven/call.hpp"
#include "ports/driving/access.hpp"

namespace kbase::ports {

/// How long a session lasts without a request.
inline constexpr std::chrono::hours kSessionLifetime{12};

/// The secret of a new session, which is shown only once and never stored.
struct SessionSecret {
  std::string text;
};

/// Requests of a key on one day.
struct DayRequests {
  model::Day day;
  std::uint64_t requests = 0;
};

/// A key of an account, with what its owner wants to know.
struct AccountKey {
  model::ApiKey key;
  std::optional<model::Day> last_used;
  std::vector<DayRequests> days;  ///< the last 30 days, oldest first; every day has an entry
  model::Plan plan;
  std::optional<model::WindowState> minute;  ///< nullopt: the rate limiter did not respond
  std::optional<model::WindowState> day;
};

struct AccountReport {
  model::Account account;
  std::vector<AccountKey> keys;  ///< oldest first
};

/// Accounts for developers, who sign in by a link that is mailed to them. Any thread.
///
/// The answers of sign_up() and sign_in() do not depend on whether an account has the address, nor does the time that
/// they take. Unsupported: the configuration has no sign-up. The functions with a `session` return NotFound if it does
/// not exist or has ended.
class Accounts {
 public:
  virtual ~Accounts() = default;

  /// Mails a link that creates the account, or signs in if there is one. Nothing is mailed beyond the limits.
  /// InvalidArgument: not an address, or one of a domain that may not sign up. `client`: its network address, in
  /// canonical form.
  virtual Status sign_up(Call& call, std::string_view email, std::string_view client) = 0;

  /// Mails a link that signs in, if an account has the address. InvalidArgument: not an address.
  virtual Status sign_in(Call& call, std::string_view email, std::string_view client) = 0;

  /// Redeems the token of a link, creates the account if it does not exist, and begins a session. NotFound: the token
  /// was used before, is too old, or never existed.
  virtual Result<SessionSecret> confirm(Call& call, std::string_view token) = 0;

  virtual Result<AccountReport> report(Call& call, std::string_view session) = 0;

  /// Conflict: the account has as many keys as it may have.
  virtual Result<IssuedKey> create_key(Call& call, std::string_view session, std::string_view name) = 0;

  /// Replaces the text of a key. The old text stays valid for a day. NotFound with the parameter "id": the account has
  /// no such key.
  virtual Result<IssuedKey> rotate_key(Call& call, std::string_view session, std::string_view id) = 0;

  /// Ends a key and forgets it. NotFound with the parameter "id": the account has no such key.
  virtual Status remove_key(Call& call, std::string_view session, std::string_view id) = 0;

  virtual Status end_session(Call& call, std::string_view session) = 0;

  /// Ends all sessions of the account, this one too.
  virtual Status end_sessions(Call& call, std::string_view session) = 0;

  /// Ends the keys and the sessions of the account and forgets its address.
  virtual Status remove_account(Call& call, std::string_view session) = 0;
};

/// The operator's side. NotFound: there is no account with this id. Any thread.
class AccountAdministration {
 public:
  virtual ~AccountAdministration() = default;

  /// Visits all accounts, by id.
  virtual Status list(Call& call, Visitor<model::Account> visitor) = 0;

  /// Makes a pending or blocked account active: its keys work. The owner of a pending one gets a mail.
  virtual Result<model::Account> approve(Call& call, std::string_view id) = 0;

  /// Makes an account blocked: its keys are invalid, and its owner cannot sign in.
  virtual Result<model::Account> block(Call& call, std::string_view id) = 0;

  /// Deletes an account and its keys.
  virtual Status remove(Call& call, std::string_view id) = 0;
};

}  // namespace kbase::ports
