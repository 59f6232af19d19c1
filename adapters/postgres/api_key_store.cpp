// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/database.hpp"

#include "adapters/postgres/session.hpp"
#include "adapters/records/rows.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

using model::ApiKey;
using model::KeyDigest;
using records::read_key;

constexpr char kRevision[] = "SELECT revision FROM keys_state";
constexpr char kLock[] = "SELECT revision FROM keys_state FOR UPDATE";
constexpr char kNextRevision[] = "UPDATE keys_state SET revision = revision + 1";
constexpr char kFind[] = "SELECT " KBASE_KEY_COLUMNS " FROM keys WHERE digest = $1 OR previous_digest = $1";
constexpr char kGet[] = "SELECT " KBASE_KEY_COLUMNS " FROM keys WHERE id = $1";
constexpr char kList[] = "SELECT " KBASE_KEY_COLUMNS " FROM keys ORDER BY id";
constexpr char kListOf[] = "SELECT " KBASE_KEY_COLUMNS " FROM keys WHERE account = $1 AND account <> '' ORDER BY id";
constexpr char kOtherWithDigest[] =
    "SELECT 1 FROM keys WHERE id <> $1 AND (digest IN ($2, $3) OR previous_digest IN ($2, $3))";
constexpr char kPut[] =
    "INSERT INTO keys VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO UPDATE SET"
    " name = excluded.name, plan = excluded.plan, digest = excluded.digest, previous_digest = excluded.previous_digest,"
    " previous_expires = excluded.previous_expires, expires = excluded.expires, scopes = excluded.scopes,"
    " created = excluded.created, revoked = greatest(keys.revoked, excluded.revoked), account = excluded.account,"
    " suspended = excluded.suspended";
constexpr char kRemove[] = "DELETE FROM keys WHERE id = $1 RETURNING 1";
constexpr char kRemoveUsage[] = "DELETE FROM key_days WHERE id = $1";
// Inserts in key order, so that two concurrent calls cannot deadlock.
constexpr char kAddUsage[] =
    "INSERT INTO key_days AS k SELECT id, day, sum(requests)::bigint FROM unnest($1, $2, $3) AS g (id, day, requests)"
    " GROUP BY id, day ORDER BY id, day ON CONFLICT (id, day) DO UPDATE SET requests = k.requests + excluded.requests";
constexpr char kUsage[] = "SELECT id, day, requests FROM key_days WHERE day BETWEEN $1 AND $2 ORDER BY id, day";
constexpr char kUsageOf[] =
    "SELECT id, day, requests FROM key_days WHERE id = $1 AND day BETWEEN $2 AND $3 ORDER BY day";
constexpr char kLastUsed[] = "SELECT max(day) FROM key_days WHERE id = $1";
constexpr char kDeleteUsage[] = "DELETE FROM key_days WHERE day < $1";

std::optional<ports::KeyUsage> read_usage(const Row& row) {
  return ports::KeyUsage{row.text(0), row.day(1), row.number(2)};
}

Result<bool> has_row(Session& session, const char* sql, const Parameters& parameters) {
  const auto result = KBASE_TRY(session.query(sql, parameters));
  return result.rows() != 0;
}

/// Inserts or replaces a key. Conflict: another key has one of its digests.
Status put(Session& session, const ApiKey& key) {
  const std::optional<wire::Bytes> previous =
      key.previous_digest ? std::optional<wire::Bytes>(*key.previous_digest) : std::nullopt;
  const std::string_view id = key.id;
  const wire::Bytes digest = key.digest;
  const auto is_duplicate = KBASE_TRY(has_row(session, kOtherWithDigest, Parameters(id, digest, previous)));
  if (is_duplicate) return Error{ErrorCode::Conflict, "another API key has the same secret"};
  const Parameters columns(id, std::string_view(key.name), std::string_view(key.plan), digest, previous,
                           key.previous_expires, key.expires, static_cast<std::int16_t>(key.scopes), key.created,
                           static_cast<std::int16_t>(key.revoked), std::string_view(key.account),
                           static_cast<std::int16_t>(key.suspended));
  KBASE_TRY(session.run(kPut, columns));
  return session.run(kNextRevision);
}

/// Begins a transaction that locks out other changes of keys.
Result<Transaction> begin_change(Database& database, const ports::Call& call) {
  auto transaction = database.write(call);
  if (!transaction) return transaction;
  KBASE_TRY((*transaction)->run(kLock));
  return transaction;
}

/// API keys and their daily request counts. A row lock on `keys_state` serializes create() and update().
class PostgresApiKeyStore final : public ports::ApiKeyStore {
 public:
  explicit PostgresApiKeyStore(Database& database) : database_(database) {}

  Result<std::uint64_t> revision(ports::Call& call) override {
    const auto reader = KBASE_TRY(database_.read(call));
    const auto result = KBASE_TRY(reader->query(kRevision));
    if (result.rows() != 1) return reader->corrupt_error("the table keys_state is empty");
    const std::uint64_t revision = result.row(0).number(0);
    database_.record_keys_revision(revision);
    return revision;
  }
  Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return reader->read_one<ApiKey>(kFind, Parameters(wire::Bytes(digest)), read_key<Row>);
  }
  Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return reader->read_one<ApiKey>(kGet, Parameters(id), read_key<Row>);
  }
  Status list(ports::Call& call, Visitor<model::ApiKey> visitor) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    return visit_rows(*snapshot, kList, {}, read_key<Row>, visitor);
  }
  Status create(ports::Call& call, const model::ApiKey& key) override {
    auto transaction = KBASE_TRY(begin_change(database_, call));
    const auto is_known = KBASE_TRY(has_row(*transaction, kGet, Parameters(std::string_view(key.id))));
    if (is_known) return Error{ErrorCode::Conflict, "an API key with the id " + key.id + " exists already"};
    KBASE_TRY(put(*transaction, key));
    return transaction.commit();
  }
  Status update(ports::Call& call, const model::ApiKey& key) override {
    auto transaction = KBASE_TRY(begin_change(database_, call));
    const auto is_known = KBASE_TRY(has_row(*transaction, kGet, Parameters(std::string_view(key.id))));
    if (!is_known) return Error{ErrorCode::NotFound, "there is no API key with the id " + key.id};
    KBASE_TRY(put(*transaction, key));
    return transaction.commit();
  }
  Status add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) override {
    const auto session = KBASE_TRY(database_.read(call));
    wire::ArrayBuilder ids(wire::Type::Bytea), days(wire::Type::Date), requests(wire::Type::Bigint);
    for (const ports::KeyUsage& row : usage) {
      if (row.requests == 0) continue;
      ids.add(row.id);
      days.add(row.day);
      requests.add(static_cast<std::int64_t>(row.requests));
    }
    return session->run(kAddUsage, Parameters(&ids, &days, &requests));
  }
  Status usage(ports::Call& call, model::Day first, model::Day last, Visitor<ports::KeyUsage> visitor) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    return visit_rows(*snapshot, kUsage, Parameters(first, last), read_usage, visitor);
  }
  Result<std::optional<model::Day>> last_used(ports::Call& call, std::string_view id) override {
    const auto reader = KBASE_TRY(database_.read(call));
    const auto result = KBASE_TRY(reader->query(kLastUsed, Parameters(id)));
    return result.row(0).is_null(0) ? std::nullopt : std::optional(result.row(0).day(0));
  }
  Status delete_usage_before(ports::Call& call, model::Day first) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->run(kDeleteUsage, Parameters(first));
  }
  bool has_accounts() const override { return true; }
  Status list_of(ports::Call& call, std::string_view account, Visitor<model::ApiKey> visitor) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    return visit_rows(*snapshot, kListOf, Parameters(account), read_key<Row>, visitor);
  }
  Status usage_of(ports::Call& call, std::string_view id, model::Day first, model::Day last,
                  Visitor<ports::KeyUsage> visitor) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    return visit_rows(*snapshot, kUsageOf, Parameters(id, first, last), read_usage, visitor);
  }
  Status remove(ports::Call& call, std::string_view id) override {
    auto transaction = KBASE_TRY(begin_change(database_, call));
    const auto was_there = KBASE_TRY(has_row(*transaction, kRemove, Parameters(id)));
    if (!was_there) return Error{ErrorCode::NotFound, "there is no API key with the id " + std::string(id)};
    KBASE_TRY(transaction->run(kRemoveUsage, Parameters(id)));
    KBASE_TRY(transaction->run(kNextRevision));
    return transaction.commit();
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::ApiKeyStore> make_api_key_store(Database& database) {
  return std::make_unique<PostgresApiKeyStore>(database);
}

}  // namespace kbase::postgres
