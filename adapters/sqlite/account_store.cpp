// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "adapters/records/rows.hpp"
#include "adapters/sqlite/database.hpp"
#include "adapters/sqlite/state_database.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

constexpr char kGet[] = "SELECT " KBASE_ACCOUNT_COLUMNS " FROM accounts WHERE id = ?1";
constexpr char kFind[] = "SELECT " KBASE_ACCOUNT_COLUMNS " FROM accounts WHERE email = ?1";
constexpr char kList[] = "SELECT " KBASE_ACCOUNT_COLUMNS " FROM accounts ORDER BY id";
constexpr char kExists[] = "SELECT 1 FROM accounts WHERE id = ?1 OR email = ?2";
constexpr char kCreate[] = "INSERT INTO accounts VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr char kUpdate[] = "UPDATE accounts SET plan = ?2, state = ?3 WHERE id = ?1";
constexpr char kRemove[] = "DELETE FROM accounts WHERE id = ?1";
constexpr char kRemoveSessionsOf[] = "DELETE FROM sessions WHERE account = ?1";
constexpr char kRemoveTokensTo[] = "DELETE FROM sign_in_tokens WHERE email = ?1";
constexpr char kForgetMailsTo[] =
    "UPDATE mails SET email = '', state = CASE state WHEN 0 THEN 3 ELSE state END WHERE email = ?1";

constexpr char kMailExists[] = "SELECT 1 FROM mails WHERE id = ?1";
constexpr char kMailsTo[] = "SELECT count(*) FROM mails WHERE recipient = ?1 AND created > ?2 AND state < 4";
constexpr char kSignUpsOf[] =
    "SELECT count(*) FROM mails WHERE client = ?1 AND created > ?2 AND kind = 0 AND state < 4";
constexpr char kAddMail[] = "INSERT OR REPLACE INTO mails VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr char kDueMails[] =
    "SELECT " KBASE_MAIL_COLUMNS " FROM mails WHERE state = 0 AND due <= ?1 ORDER BY due, id LIMIT ?2";
constexpr char kClaimMail[] = "UPDATE mails SET due = ?2, attempts = attempts + 1 WHERE id = ?1";
constexpr char kUpdateMail[] = "UPDATE mails SET state = ?2, due = ?3 WHERE id = ?1";

constexpr char kTokenExists[] = "SELECT 1 FROM sign_in_tokens WHERE digest = ?1";
constexpr char kAddToken[] = "INSERT INTO sign_in_tokens VALUES (?1, ?2, ?3, ?4)";
constexpr char kTakeToken[] = "DELETE FROM sign_in_tokens WHERE digest = ?1 RETURNING " KBASE_TOKEN_COLUMNS;
constexpr char kSessionExists[] = "SELECT 1 FROM sessions WHERE digest = ?1";
constexpr char kAddSession[] = "INSERT INTO sessions VALUES (?1, ?2, ?3, ?4)";
constexpr char kFindSession[] = "SELECT " KBASE_SESSION_COLUMNS " FROM sessions WHERE digest = ?1";
constexpr char kExtendSession[] = "UPDATE sessions SET expires = ?2 WHERE digest = ?1";
constexpr char kRemoveSession[] = "DELETE FROM sessions WHERE digest = ?1";
constexpr char kDeleteTokens[] = "DELETE FROM sign_in_tokens WHERE expires < ?1";
constexpr char kDeleteSessions[] = "DELETE FROM sessions WHERE expires < ?1";
constexpr char kDeleteMails[] = "DELETE FROM mails WHERE state <> 0 AND created < ?1";

/// Reads the only row. Runs the statement to its end, which a DELETE needs.
Result<std::uint64_t> count(Statement rows) {
  KBASE_TRY(rows.step());
  return rows.number(0);
}

/// Runs a statement that changes one row. NotFound: there is no such row.
Status change_one(Connection& connection, Statement statement, std::string_view noun) {
  KBASE_TRY(statement.run());
  if (connection.changed_rows() != 0) return {};
  return Error{ErrorCode::NotFound, "there is no such " + std::string(noun)};
}

template <class Enum> std::int64_t number_of(Enum value) { return static_cast<std::int64_t>(value); }

/// Accounts with their secrets and mails in state.db.
class SqliteAccountStore final : public ports::AccountStore {
 public:
  explicit SqliteAccountStore(Database& database) : database_(database) {}

  Result<std::optional<model::Account>> get(ports::Call& call, std::string_view id) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return read_one<model::Account>(reader->prepare(kGet).bind(id), records::read_account<Statement>);
  }
  Result<std::optional<model::Account>> find(ports::Call& call, std::string_view email) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return read_one<model::Account>(reader->prepare(kFind).bind(email), records::read_account<Statement>);
  }
  Status list(ports::Call& call, Visitor<model::Account> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kList);
    return visit_rows(rows, records::read_account<Statement>, visitor);
  }
  Status create(ports::Call& call, const model::Account& account) override {
    const std::string_view id = account.id, email = account.email, plan = account.plan;
    auto transaction = KBASE_TRY(database_.write(call));
    const auto is_known = KBASE_TRY(transaction->prepare(kExists).bind(id, email).step());
    if (is_known) return Error{ErrorCode::Conflict, "an account with this id or address exists already"};
    KBASE_TRY(transaction->prepare(kCreate).bind(id, email, plan, number_of(account.state), account.created).run());
    return transaction.commit();
  }
  Status update(ports::Call& call, const model::Account& account) override {
    const std::string_view id = account.id, plan = account.plan;
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(
        change_one(*transaction, transaction->prepare(kUpdate).bind(id, plan, number_of(account.state)), "account"));
    return transaction.commit();
  }
  Status remove(ports::Call& call, std::string_view id) override {
    auto transaction = KBASE_TRY(database_.write(call));
    const auto account =
        KBASE_TRY(read_one<model::Account>(transaction->prepare(kGet).bind(id), records::read_account<Statement>));
    if (!account) return Error{ErrorCode::NotFound, "there is no such account"};
    const std::string_view email = account->email;
    KBASE_TRY(transaction->prepare(kRemove).bind(id).run());
    KBASE_TRY(transaction->prepare(kRemoveSessionsOf).bind(id).run());
    KBASE_TRY(transaction->prepare(kRemoveTokensTo).bind(email).run());
    KBASE_TRY(transaction->prepare(kForgetMailsTo).bind(email).run());
    return transaction.commit();
  }

  Result<bool> add_mail(ports::Call& call, const model::QueuedMail& mail, const ports::MailLimits& limits) override {
    const std::string_view email = mail.email;
    const Bytes client(mail.client), recipient(mail.recipient);
    auto transaction = KBASE_TRY(database_.write(call));
    const auto to_address = KBASE_TRY(count(transaction->prepare(kMailsTo).bind(recipient, limits.since)));
    const auto of_client = KBASE_TRY(count(transaction->prepare(kSignUpsOf).bind(client, limits.since)));
    const bool is_sign_up = mail.kind == model::MailKind::SignUp;
    const bool is_surplus =
        to_address >= limits.most_to_address || (is_sign_up && of_client >= limits.most_sign_ups_of_client);
    const std::string id = is_surplus ? model::surplus_id(mail.client) : mail.id;
    const auto is_known = KBASE_TRY(transaction->prepare(kMailExists).bind(std::string_view(id)).step());
    if (is_known && !is_surplus) return Error{ErrorCode::Conflict, "a mail with this id exists already"};
    KBASE_TRY(transaction->prepare(kAddMail)
                  .bind(std::string_view(id), email, number_of(mail.kind),
                        number_of(is_surplus ? model::MailState::Surplus : mail.state), client, mail.created, mail.due,
                        std::int64_t{mail.attempts}, recipient)
                  .run());
    KBASE_TRY(transaction.commit());
    return !is_surplus;
  }
  Status claim_mails(ports::Call& call, model::Instant now, model::Instant until, std::uint32_t most,
                     Visitor<model::QueuedMail> visitor) override {
    auto transaction = KBASE_TRY(database_.write(call));
    std::vector<model::QueuedMail> claimed;
    {
      Statement rows = transaction->prepare(kDueMails);
      rows.bind(now, std::int64_t{most});
      const auto collect = [&claimed](const model::QueuedMail& mail) {
        claimed.push_back(mail);
        return Visit::Continue;
      };
      KBASE_TRY(visit_rows<model::QueuedMail>(rows, records::read_mail<Statement>, collect));
    }
    for (model::QueuedMail& mail : claimed) {
      KBASE_TRY(transaction->prepare(kClaimMail).bind(std::string_view(mail.id), until).run());
      mail.due = until;
      ++mail.attempts;
    }
    KBASE_TRY(transaction.commit());
    for (const model::QueuedMail& mail : claimed)
      if (visitor(mail) == Visit::Stop) break;
    return {};
  }
  Status update_mail(ports::Call& call, std::string_view id, model::MailState state, model::Instant due) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(change_one(*transaction, transaction->prepare(kUpdateMail).bind(id, number_of(state), due), "mail"));
    return transaction.commit();
  }

  Status add_token(ports::Call& call, const model::SignInToken& token) override {
    const Bytes digest(token.digest);
    const std::string_view email = token.email;
    auto transaction = KBASE_TRY(database_.write(call));
    const auto is_known = KBASE_TRY(transaction->prepare(kTokenExists).bind(digest).step());
    if (is_known) return Error{ErrorCode::Conflict, "this token exists already"};
    KBASE_TRY(transaction->prepare(kAddToken).bind(digest, email, std::int64_t{token.signs_up}, token.expires).run());
    return transaction.commit();
  }
  Result<std::optional<model::SignInToken>> take_token(ports::Call& call, const model::SecretDigest& digest) override {
    auto transaction = KBASE_TRY(database_.write(call));
    auto token = KBASE_TRY(read_one<model::SignInToken>(transaction->prepare(kTakeToken).bind(Bytes(digest)),
                                                        records::read_token<Statement>));
    KBASE_TRY(transaction.commit());
    return token;
  }
  Status add_session(ports::Call& call, const model::Session& session) override {
    const Bytes digest(session.digest);
    const std::string_view account = session.account;
    auto transaction = KBASE_TRY(database_.write(call));
    const auto is_known = KBASE_TRY(transaction->prepare(kSessionExists).bind(digest).step());
    if (is_known) return Error{ErrorCode::Conflict, "this session exists already"};
    KBASE_TRY(transaction->prepare(kAddSession).bind(digest, account, session.created, session.expires).run());
    return transaction.commit();
  }
  Result<std::optional<model::Session>> find_session(ports::Call& call, const model::SecretDigest& digest) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return read_one<model::Session>(reader->prepare(kFindSession).bind(Bytes(digest)),
                                    records::read_session<Statement>);
  }
  Status extend_session(ports::Call& call, const model::SecretDigest& digest, model::Instant expires) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->prepare(kExtendSession).bind(Bytes(digest), expires).run());
    return transaction.commit();
  }
  Status remove_session(ports::Call& call, const model::SecretDigest& digest) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->prepare(kRemoveSession).bind(Bytes(digest)).run());
    return transaction.commit();
  }
  Status remove_sessions(ports::Call& call, std::string_view account) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->prepare(kRemoveSessionsOf).bind(account).run());
    return transaction.commit();
  }
  Status delete_expired(ports::Call& call, model::Instant now, model::Instant mails_since) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->prepare(kDeleteTokens).bind(now).run());
    KBASE_TRY(transaction->prepare(kDeleteSessions).bind(now).run());
    KBASE_TRY(transaction->prepare(kDeleteMails).bind(mails_since).run());
    return transaction.commit();
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::AccountStore> make_account_store(Database& database) {
  return std::make_unique<SqliteAccountStore>(database);
}

}  // namespace kbase::sqlite
