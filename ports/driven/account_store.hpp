// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/account.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// How many mails of the last hour allow another one.
struct MailLimits {
  model::Instant since{};  ///< begin of the hour
  std::uint32_t most_to_address = 0;
  std::uint32_t most_sign_ups_of_client = 0;
};

/// Stores accounts, the tokens and sessions of their owners, and the queue of mails to them. Does not evaluate times;
/// the domain does. Addresses are compared by their bytes.
///
/// Thread-safety: any thread, concurrent calls allowed; several processes may share the store. Each call is atomic, and
/// durable when it returns. Errors: see ItemStore.
/// Contract suite: plugins/conformance/account_store_suite.
class AccountStore {
 public:
  virtual ~AccountStore() = default;

  /// nullopt: no account has this id, or this address.
  virtual Result<std::optional<model::Account>> get(Call& call, std::string_view id) = 0;
  virtual Result<std::optional<model::Account>> find(Call& call, std::string_view email) = 0;

  /// Visits all accounts, by id.
  virtual Status list(Call& call, Visitor<model::Account> visitor) = 0;

  /// Adds an account. Conflict: its id or address already exists.
  virtual Status create(Call& call, const model::Account& account) = 0;

  /// Replaces state and plan of the account with the same id. NotFound: no account has this id.
  virtual Status update(Call& call, const model::Account& account) = 0;

  /// Deletes an account with its sessions, and the tokens of its address. Its mails lose their address, and those that
  /// wait are Withheld, so that the limits still count them. NotFound: no account has this id.
  virtual Status remove(Call& call, std::string_view id) = 0;

  /// Adds a mail to the queue. False: one of the limits is reached, and the mail is never sent. A limit counts the
  /// mails created after `limits.since` in any state except Surplus: those to the recipient, and, for a mail of the
  /// kind SignUp, those of that kind that the client asked for. Beyond a limit the call takes as long as below, so that
  /// its time does not reveal who asked before: it stores the mail as Surplus, with surplus_id() in place of its id,
  /// instead of the last one of the client. Conflict: the id already exists.
  virtual Result<bool> add_mail(Call& call, const model::QueuedMail& mail, const MailLimits& limits) = 0;

  /// Visits up to `most` waiting mails that are due at `now`, those due first first, with their attempts counted.
  /// Before the visit each gets the due time `until`, so that no other caller receives it before then.
  virtual Status claim_mails(Call& call, model::Instant now, model::Instant until, std::uint32_t most,
                             Visitor<model::QueuedMail> visitor) = 0;

  /// Sets state and due time of a mail. NotFound: no mail has this id.
  virtual Status update_mail(Call& call, std::string_view id, model::MailState state, model::Instant due) = 0;

  /// Adds a token. Conflict: its digest already exists.
  virtual Status add_token(Call& call, const model::SignInToken& token) = 0;

  /// Deletes the token and returns it. nullopt: no token has this digest. Of several callers one receives it.
  virtual Result<std::optional<model::SignInToken>> take_token(Call& call, const model::SecretDigest& digest) = 0;

  /// Adds a session. Conflict: its digest already exists.
  virtual Status add_session(Call& call, const model::Session& session) = 0;

  /// nullopt: no session has this digest.
  virtual Result<std::optional<model::Session>> find_session(Call& call, const model::SecretDigest& digest) = 0;

  /// Sets the end of a session. Without such a session nothing changes.
  virtual Status extend_session(Call& call, const model::SecretDigest& digest, model::Instant expires) = 0;

  /// Deletes a session. Without such a session nothing changes.
  virtual Status remove_session(Call& call, const model::SecretDigest& digest) = 0;

  /// Deletes the sessions of an account. Without one nothing changes.
  virtual Status remove_sessions(Call& call, std::string_view account) = 0;

  /// Deletes the tokens and sessions that expire before `now`, and the mails created before `mails_since` that do not
  /// wait.
  virtual Status delete_expired(Call& call, model::Instant now, model::Instant mails_since) = 0;
};

}  // namespace kbase::ports
