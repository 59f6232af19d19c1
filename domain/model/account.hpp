// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"

namespace kbase::model {

enum class AccountState : std::uint8_t {
  Pending,  ///< waits for the operator's approval; its keys do not work yet
  Active,
  Blocked,  ///< its keys do not work
};

/// Returns "pending", "active" or "blocked".
std::string_view name_of(AccountState state);

/// A developer's account, identified by an email address that its owner has confirmed.
struct Account {
  std::string id;
  std::string email;  ///< in the form of parse_email(), with the domain in ASCII
  std::string plan;   ///< of new keys
  AccountState state = AccountState::Active;
  Instant created{};
};

/// SHA-256 (FIPS 180-4) of a secret of 256 random bits. Stores hold only this digest.
using SecretDigest = KeyDigest;

/// The right to sign in once, by the link in a mail.
struct SignInToken {
  SecretDigest digest{};
  std::string email;
  bool signs_up = false;  ///< signing in creates the account if it does not exist
  Instant expires{};
};

/// A signed-in browser. Use moves `expires`.
struct Session {
  SecretDigest digest{};
  std::string account;  ///< id
  Instant created{};
  Instant expires{};
};

enum class MailKind : std::uint8_t {
  SignUp,    ///< the link that creates the account, or signs in if it exists
  SignIn,    ///< the link that signs in
  Approved,  ///< the operator has approved the account
};

enum class MailState : std::uint8_t {
  Waiting,  ///< is sent at `due`
  Sent,
  Failed,    ///< the mail server refused it, or was away for too long
  Withheld,  ///< is never sent: no account has the address, or the account is blocked
  Surplus,   ///< is never sent: it exceeds a limit, and counts for none
};

/// Id of the mail of a client that exceeds a limit.
std::string surplus_id(const ClientId& client);

/// A mail to an account or to an address that signs up, in the queue. Its text is written when it is sent, so that the
/// queue contains no token.
struct QueuedMail {
  std::string id;  ///< the same for each attempt
  std::string email;
  MailKind kind = MailKind::SignUp;
  MailState state = MailState::Waiting;
  ClientId client{};     ///< who asked for it
  ClientId recipient{};  ///< hash of the address, which stays for the limits when the address is deleted
  Instant created{};
  Instant due{};  ///< of the next attempt
  std::uint32_t attempts = 0;
};

/// A valid address, split at its "@".
struct Email {
  std::string_view local;
  std::string_view domain;  ///< as written; may have non-ASCII labels
};

/// Longest address (RFC 5321 section 4.5.3.1, with erratum 1690), longest part before the "@".
inline constexpr std::size_t kMaxEmailBytes = 254;
inline constexpr std::size_t kMaxLocalBytes = 64;

/// Splits an address of the form that people use: a dot-atom in ASCII (RFC 5322 section 3.2.3), "@", and a domain name
/// with a dot. nullopt: any other text, such as a quoted part, an address literal, or a text with control characters.
std::optional<Email> parse_email(std::string_view text);

}  // namespace kbase::model
