// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/api_key_store.hpp"

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/records/key_rows.hpp"

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
constexpr char kForgetUsage[] = "DELETE FROM key_days WHERE day < $1";

model::Status run(Session& session, const char* sql, const Parameters& parameters = {}) {
  const auto answer = session.ask(sql, parameters);
  return answer ? model::Status() : answer.error();
}

std::optional<ports::KeyUsage> read_usage(const Row& row) {
  return ports::KeyUsage{row.text(0), row.day(1), row.number(2)};
}

model::Result<std::optional<ApiKey>> read_one(Session& session, const char* sql, const Parameters& parameters) {
  const auto answer = session.ask(sql, parameters);
  if (!answer) return answer.error();
  if (answer->rows() == 0) return std::optional<ApiKey>();
  auto key = read_key(answer->row(0));
  if (!key) return session.corrupt("a row is damaged");
  return key;
}

model::Result<bool> has_row(Session& session, const char* sql, const Parameters& parameters) {
  const auto answer = session.ask(sql, parameters);
  if (!answer) return answer.error();
  return answer->rows() != 0;
}

/// Inserts or replaces a key. Conflict: another key has one of its digests.
model::Status put(Session& session, const ApiKey& key) {
  const std::optional<wire::Bytes> previous =
      key.previous_digest ? std::optional<wire::Bytes>(*key.previous_digest) : std::nullopt;
  const std::string_view id = key.id;
  const wire::Bytes digest = key.digest;
  const auto taken = has_row(session, kOtherWithDigest, Parameters(id, digest, previous));
  if (!taken) return taken.error();
  if (*taken) return model::Error{model::ErrorCode::Conflict, "another key has the same text", {}, {}, {}};
  const Parameters columns(id, std::string_view(key.name), std::string_view(key.plan), digest, previous,
                           key.previous_expires, key.expires, static_cast<std::int16_t>(key.scopes), key.created,
                           static_cast<std::int16_t>(key.revoked));
  if (auto ran = run(session, kPut, columns); !ran) return ran;
  return run(session, kNextRevision);
}

/// Begins a transaction that locks out other changes of keys.
model::Result<Transaction> begin_change(Database& database, const ports::Call& call) {
  auto transaction = database.write(call);
  if (!transaction) return transaction;
  if (const auto locked = run(**transaction, kLock); !locked) return locked.error();
  return transaction;
}

}  // namespace

model::Result<std::uint64_t> PostgresApiKeyStore::revision(ports::Call& call) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  const auto answer = (*reader)->ask(kRevision);
  if (!answer) return answer.error();
  if (answer->rows() != 1) return (*reader)->corrupt("the table keys_state is empty");
  const std::uint64_t revision = answer->row(0).number(0);
  database_.note_keys(revision);
  return revision;
}

model::Result<std::optional<ApiKey>> PostgresApiKeyStore::find(ports::Call& call, const KeyDigest& digest) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  return read_one(**reader, kFind, Parameters(wire::Bytes(digest)));
}

model::Result<std::optional<ApiKey>> PostgresApiKeyStore::get(ports::Call& call, std::string_view id) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  return read_one(**reader, kGet, Parameters(id));
}

model::Status PostgresApiKeyStore::list(ports::Call& call, model::Visitor<ApiKey> visitor) {
  const auto snapshot = database_.long_snapshot(call);
  if (!snapshot) return snapshot.error();
  return visit_rows(**snapshot, kList, {}, read_key<Row>, visitor);
}

model::Status PostgresApiKeyStore::create(ports::Call& call, const ApiKey& key) {
  auto transaction = begin_change(database_, call);
  if (!transaction) return transaction.error();
  const auto known = has_row(**transaction, kGet, Parameters(std::string_view(key.id)));
  if (!known) return known.error();
  if (*known) return model::Error{model::ErrorCode::Conflict, "there is a key of the id " + key.id, {}, {}, {}};
  if (auto created = put(**transaction, key); !created) return created;
  return transaction->commit();
}

model::Status PostgresApiKeyStore::update(ports::Call& call, const ApiKey& key) {
  auto transaction = begin_change(database_, call);
  if (!transaction) return transaction.error();
  const auto known = has_row(**transaction, kGet, Parameters(std::string_view(key.id)));
  if (!known) return known.error();
  if (!*known) return model::Error{model::ErrorCode::NotFound, "there is no key of the id " + key.id, {}, {}, {}};
  if (auto updated = put(**transaction, key); !updated) return updated;
  return transaction->commit();
}

model::Status PostgresApiKeyStore::add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) {
  const auto session = database_.read(call);
  if (!session) return session.error();
  wire::List ids(wire::Type::Bytea), days(wire::Type::Date), requests(wire::Type::Bigint);
  for (const ports::KeyUsage& row : usage) {
    if (row.requests == 0) continue;
    ids.add(row.id);
    days.add(row.day);
    requests.add(static_cast<std::int64_t>(row.requests));
  }
  return run(**session, kAddUsage, Parameters(&ids, &days, &requests));
}

model::Status PostgresApiKeyStore::usage(ports::Call& call, model::Day first, model::Day last,
                                         model::Visitor<ports::KeyUsage> visitor) {
  const auto snapshot = database_.long_snapshot(call);
  if (!snapshot) return snapshot.error();
  return visit_rows(**snapshot, kUsage, Parameters(first, last), read_usage, visitor);
}

model::Result<std::optional<model::Day>> PostgresApiKeyStore::last_used(ports::Call& call, std::string_view id) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  const auto answer = (*reader)->ask(kLastUsed, Parameters(id));
  if (!answer) return answer.error();
  return answer->row(0).is_null(0) ? std::nullopt : std::optional(answer->row(0).day(0));
}

model::Status PostgresApiKeyStore::forget_usage(ports::Call& call, model::Day first) {
  const auto session = database_.read(call);
  if (!session) return session.error();
  return run(**session, kForgetUsage, Parameters(first));
}

}  // namespace kbase::postgres
