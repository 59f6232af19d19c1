// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/session.hpp"
#include "adapters/records/rows.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

constexpr char kGet[] = "SELECT " KBASE_ACCOUNT_COLUMNS " FROM accounts WHERE id = $1";
constexpr char kFind[] = "SELECT " KBASE_ACCOUNT_COLUMNS " FROM accounts WHERE email = $1";
constexpr char kList[] = "SELECT " KBASE_ACCOUNT_COLUMNS " FROM accounts ORDER BY id";
constexpr char kCreate[] = "INSERT INTO accounts VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING 1";
constexpr char kUpdate[] = "UPDATE accounts SET plan = $2, state = $3 WHERE id = $1 RETURNING 1";
constexpr char kRemove[] = "DELETE FROM accounts WHERE id = $1 RETURNING " KBASE_ACCOUNT_COLUMNS;
constexpr char kRemoveSessionsOf[] = "DELETE FROM sessions WHERE account = $1";
constexpr char kRemoveTokensTo[] = "DELETE FROM sign_in_tokens WHERE email = $1";
constexpr char kForgetMailsTo[] =
    "UPDATE mails SET email = '', state = CASE state WHEN 0 THEN 3 ELSE state END WHERE email = $1";

// Two mails that are added at the same time do not see each other, so they are added one after the other.
constexpr char kLockMails[] = "LOCK TABLE mails IN SHARE ROW EXCLUSIVE MODE";
constexpr char kMailsTo[] = "SELECT count(*) FROM mails WHERE recipient = $1 AND created > $2 AND state < 4";
constexpr char kSignUpsOf[] =
    "SELECT count(*) FROM mails WHERE client = $1 AND created > $2 AND kind = 0 AND state < 4";
constexpr char kAddMail[] =
    "INSERT INTO mails VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING 1";
constexpr char kAddSurplusMail[] =
    "INSERT INTO mails VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO UPDATE SET email = "
    "excluded.email,"
    " recipient = excluded.recipient, kind = excluded.kind, created = excluded.created, due = excluded.due RETURNING 1";
constexpr char kClaimMails[] =
    "WITH waiting AS (SELECT id, due FROM mails WHERE state = 0 AND due <= $1 ORDER BY due, id LIMIT $3"
    " FOR UPDATE SKIP LOCKED),"
    " claimed AS (UPDATE mails AS m SET due = $2, attempts = m.attempts + 1 FROM waiting AS w WHERE m.id = w.id"
    " RETURNING m.*, w.due AS was_due)"
    " SELECT " KBASE_MAIL_COLUMNS " FROM claimed ORDER BY was_due, id";
constexpr char kUpdateMail[] = "UPDATE mails SET state = $2, due = $3 WHERE id = $1 RETURNING 1";

constexpr char kAddToken[] = "INSERT INTO sign_in_tokens VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1";
constexpr char kTakeToken[] = "DELETE FROM sign_in_tokens WHERE digest = $1 RETURNING " KBASE_TOKEN_COLUMNS;
constexpr char kAddSession[] = "INSERT INTO sessions VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1";
constexpr char kFindSession[] = "SELECT " KBASE_SESSION_COLUMNS " FROM sessions WHERE digest = $1";
constexpr char kExtendSession[] = "UPDATE sessions SET expires = $2 WHERE digest = $1";
constexpr char kRemoveSession[] = "DELETE FROM sessions WHERE digest = $1";
constexpr char kDeleteTokens[] = "DELETE FROM sign_in_tokens WHERE expires < $1";
constexpr char kDeleteSessions[] = "DELETE FROM sessions WHERE expires < $1";
constexpr char kDeleteMails[] = "DELETE FROM mails WHERE state <> 0 AND created < $1";

/// Runs a statement that returns a row if it changed one. Without a row it fails with `missing`.
Status change_one(Session& session, const char* sql, const Parameters& parameters, Error missing) {
  const auto result = KBASE_TRY(session.query(sql, parameters));
  if (result.rows() != 0) return {};
  return missing;
}

Error conflict(std::string_view noun) { return {ErrorCode::Conflict, "this " + std::string(noun) + " exists already"}; }
Error not_found(std::string_view noun) { return {ErrorCode::NotFound, "there is no such " + std::string(noun)}; }

template <class Enum> std::int16_t number_of(Enum value) { return static_cast<std::int16_t>(value); }

/// Accounts with their secrets and mails. Calls without a transaction consist of one statement.
class PostgresAccountStore final : public ports::AccountStore {
 public:
  explicit PostgresAccountStore(Database& database) : database_(database) {}

  Result<std::optional<model::Account>> get(ports::Call& call, std::string_view id) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->read_one<model::Account>(kGet, Parameters(id), records::read_account<Row>);
  }
  Result<std::optional<model::Account>> find(ports::Call& call, std::string_view email) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->read_one<model::Account>(kFind, Parameters(email), records::read_account<Row>);
  }
  Status list(ports::Call& call, Visitor<model::Account> visitor) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    return visit_rows(*snapshot, kList, {}, records::read_account<Row>, visitor);
  }
  Status create(ports::Call& call, const model::Account& account) override {
    const auto session = KBASE_TRY(database_.read(call));
    const Parameters columns(std::string_view(account.id), std::string_view(account.email),
                             std::string_view(account.plan), number_of(account.state), account.created);
    return change_one(*session, kCreate, columns, conflict("account"));
  }
  Status update(ports::Call& call, const model::Account& account) override {
    const auto session = KBASE_TRY(database_.read(call));
    const Parameters columns(std::string_view(account.id), std::string_view(account.plan), number_of(account.state));
    return change_one(*session, kUpdate, columns, not_found("account"));
  }
  Status remove(ports::Call& call, std::string_view id) override {
    auto transaction = KBASE_TRY(database_.write(call));
    const auto account =
        KBASE_TRY(transaction->read_one<model::Account>(kRemove, Parameters(id), records::read_account<Row>));
    if (!account) return not_found("account");
    const std::string_view email = account->email;
    KBASE_TRY(transaction->run(kRemoveSessionsOf, Parameters(id)));
    KBASE_TRY(transaction->run(kRemoveTokensTo, Parameters(email)));
    KBASE_TRY(transaction->run(kForgetMailsTo, Parameters(email)));
    return transaction.commit();
  }

  Result<bool> add_mail(ports::Call& call, const model::QueuedMail& mail, const ports::MailLimits& limits) override {
    const std::string_view email = mail.email;
    const wire::Bytes client(mail.client), recipient(mail.recipient);
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->run(kLockMails));
    const auto to_address = KBASE_TRY(transaction->query(kMailsTo, Parameters(recipient, limits.since)));
    const auto of_client = KBASE_TRY(transaction->query(kSignUpsOf, Parameters(client, limits.since)));
    const bool is_sign_up = mail.kind == model::MailKind::SignUp;
    const bool is_surplus = to_address.row(0).number(0) >= limits.most_to_address ||
                            (is_sign_up && of_client.row(0).number(0) >= limits.most_sign_ups_of_client);
    const std::string id = is_surplus ? model::surplus_id(mail.client) : mail.id;
    const auto state = number_of(is_surplus ? model::MailState::Surplus : mail.state);
    const Parameters columns(std::string_view(id), email, number_of(mail.kind), state, client, mail.created, mail.due,
                             std::int64_t{mail.attempts}, recipient);
    KBASE_TRY(change_one(*transaction, is_surplus ? kAddSurplusMail : kAddMail, columns, conflict("mail")));
    KBASE_TRY(transaction.commit());
    return !is_surplus;
  }
  Status claim_mails(ports::Call& call, model::Instant now, model::Instant until, std::uint32_t most,
                     Visitor<model::QueuedMail> visitor) override {
    const auto session = KBASE_TRY(database_.read(call));
    const auto claimed = KBASE_TRY(session->query(kClaimMails, Parameters(now, until, std::int64_t{most})));
    for (int i = 0; i < claimed.rows(); ++i) {
      const auto mail = records::read_mail(claimed.row(i));
      if (!mail) return session->corrupt_error("a row is damaged");
      if (visitor(*mail) == Visit::Stop) break;
    }
    return {};
  }
  Status update_mail(ports::Call& call, std::string_view id, model::MailState state, model::Instant due) override {
    const auto session = KBASE_TRY(database_.read(call));
    return change_one(*session, kUpdateMail, Parameters(id, number_of(state), due), not_found("mail"));
  }

  Status add_token(ports::Call& call, const model::SignInToken& token) override {
    const auto session = KBASE_TRY(database_.read(call));
    const Parameters columns(wire::Bytes(token.digest), std::string_view(token.email),
                             static_cast<std::int16_t>(token.signs_up), token.expires);
    return change_one(*session, kAddToken, columns, conflict("token"));
  }
  Result<std::optional<model::SignInToken>> take_token(ports::Call& call, const model::SecretDigest& digest) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->read_one<model::SignInToken>(kTakeToken, Parameters(wire::Bytes(digest)), records::read_token<Row>);
  }
  Status add_session(ports::Call& call, const model::Session& added) override {
    const auto session = KBASE_TRY(database_.read(call));
    const Parameters columns(wire::Bytes(added.digest), std::string_view(added.account), added.created, added.expires);
    return change_one(*session, kAddSession, columns, conflict("session"));
  }
  Result<std::optional<model::Session>> find_session(ports::Call& call, const model::SecretDigest& digest) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->read_one<model::Session>(kFindSession, Parameters(wire::Bytes(digest)), records::read_session<Row>);
  }
  Status extend_session(ports::Call& call, const model::SecretDigest& digest, model::Instant expires) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->run(kExtendSession, Parameters(wire::Bytes(digest), expires));
  }
  Status remove_session(ports::Call& call, const model::SecretDigest& digest) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->run(kRemoveSession, Parameters(wire::Bytes(digest)));
  }
  Status remove_sessions(ports::Call& call, std::string_view account) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->run(kRemoveSessionsOf, Parameters(account));
  }
  Status delete_expired(ports::Call& call, model::Instant now, model::Instant mails_since) override {
    const auto session = KBASE_TRY(database_.read(call));
    KBASE_TRY(session->run(kDeleteTokens, Parameters(now)));
    KBASE_TRY(session->run(kDeleteSessions, Parameters(now)));
    return session->run(kDeleteMails, Parameters(mails_since));
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::AccountStore> make_account_store(Database& database) {
  return std::make_unique<PostgresAccountStore>(database);
}

}  // namespace kbase::postgres
