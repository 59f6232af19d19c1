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
constexpr char kFind[] =
    "SELECT id, name, plan, digest, previous_digest, previous_expires, expires, scopes, created, revoked FROM keys"
    " WHERE digest = $1 OR previous_digest = $1";
constexpr char kGet[] =
    "SELECT id, name, plan, digest, previous_digest, previous_expires, expires, scopes, created, revoked FROM keys"
    " WHERE id = $1";
constexpr char kList[] =
    "SELECT id, name, plan, digest, previous_digest, previous_expires, expires, scopes, created, revoked FROM keys"
    " ORDER BY id";
constexpr char kOtherWithDigest[] =
    "SELECT 1 FROM keys WHERE id <> $1 AND (digest IN ($2, $3) OR previous_digest IN ($2, $3))";
constexpr char kPut[] =
    "INSERT INTO keys VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO UPDATE SET"
    " name = excluded.name, plan = excluded.plan, digest = excluded.digest, previous_digest = excluded.previous_digest,"
    " previous_expires = excluded.previous_expires, expires = excluded.expires, scopes = excluded.scopes,"
    " created = excluded.created, revoked = excluded.revoked";
// Inserts in key order, so that two concurrent calls cannot deadlock.
constexpr char kAddUsage[] =
    "INSERT INTO key_days AS k SELECT id, day, sum(requests)::bigint FROM unnest($1, $2, $3) AS g (id, day, requests)"
    " GROUP BY id, day ORDER BY id, day ON CONFLICT (id, day) DO UPDATE SET requests = k.requests + excluded.requests";
constexpr char kUsage[] = "SELECT id, day, requests FROM key_days WHERE day BETWEEN $1 AND $2 ORDER BY id, day";
constexpr char kLastUsed[] = "SELECT max(day) FROM key_days WHERE id = $1";
constexpr char kDeleteUsage[] = "DELETE FROM key_days WHERE day < $1";

Status run(Session& session, const char* sql, const Parameters& parameters = {}) {
  const auto result = session.query(sql, parameters);
  return result ? Status() : result.error();
}

std::optional<ports::KeyUsage> read_usage(const Row& row) {
  return ports::KeyUsage{row.text(0), row.day(1), row.number(2)};
}

Result<std::optional<ApiKey>> read_one(Session& session, const char* sql, const Parameters& parameters) {
  const auto result = KBASE_TRY(session.query(sql, parameters));
  if (result.rows() == 0) return std::optional<ApiKey>();
  auto key = read_key(result.row(0));
  if (!key) return session.corrupt_error("a row is damaged");
  return key;
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
                           static_cast<std::int16_t>(key.revoked));
  KBASE_TRY(run(session, kPut, columns));
  return run(session, kNextRevision);
}

/// Begins a transaction that locks out other changes of keys.
Result<Transaction> begin_change(Database& database, const ports::Call& call) {
  auto transaction = database.write(call);
  if (!transaction) return transaction;
  KBASE_TRY(run(**transaction, kLock));
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
    return read_one(*reader, kFind, Parameters(wire::Bytes(digest)));
  }
  Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return read_one(*reader, kGet, Parameters(id));
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
    return run(*session, kAddUsage, Parameters(&ids, &days, &requests));
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
    return run(*session, kDeleteUsage, Parameters(first));
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::ApiKeyStore> make_api_key_store(Database& database) {
  return std::make_unique<PostgresApiKeyStore>(database);
}

}  // namespace kbase::postgres
