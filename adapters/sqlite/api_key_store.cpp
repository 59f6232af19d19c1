// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/api_key_store.hpp"

#include "adapters/records/key_rows.hpp"
#include "adapters/sqlite/visit_rows.hpp"

namespace kbase::sqlite {
namespace {

using model::ApiKey;
using model::KeyDigest;
using records::read_key;

constexpr char kRevision[] = "SELECT keys_revision FROM state";
constexpr char kNextRevision[] = "UPDATE state SET keys_revision = keys_revision + 1";
constexpr char kFind[] = "SELECT * FROM keys WHERE digest = ?1 OR previous_digest = ?1";
constexpr char kGet[] = "SELECT * FROM keys WHERE id = ?1";
constexpr char kList[] = "SELECT * FROM keys ORDER BY id";
constexpr char kOtherWithDigest[] =
    "SELECT 1 FROM keys WHERE id <> ?1 AND (digest IN (?2, ?3) OR previous_digest IN (?2, ?3))";
constexpr char kAddUsage[] =
    "INSERT INTO key_days VALUES (?1, ?2, ?3) ON CONFLICT (id, day) DO UPDATE SET requests = requests + "
    "excluded.requests";
constexpr char kUsage[] = "SELECT id, day, requests FROM key_days WHERE day BETWEEN ?1 AND ?2 ORDER BY id, day";
constexpr char kLastUsed[] = "SELECT max(day) FROM key_days WHERE id = ?1";
constexpr char kForgetUsage[] = "DELETE FROM key_days WHERE day < ?1";
constexpr char kPut[] = "INSERT OR REPLACE INTO keys VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

std::optional<ports::KeyUsage> read_usage(const Statement& row) {
  return ports::KeyUsage{row.text(0), row.day(1), row.number(2)};
}

model::Result<std::optional<ApiKey>> read_one(Statement rows) {
  std::optional<ApiKey> key;
  const auto visited = visit_rows<ApiKey>(rows, read_key<Statement>, [&key](const ApiKey& found) {
    key = found;
    return model::Visit::Stop;
  });
  if (!visited) return visited.error();
  return key;
}

model::Result<bool> has_row(Statement rows) {
  return rows.step();
}

/// Inserts or replaces a key. Conflict: another key has one of its digests.
model::Status put(Connection& connection, const ApiKey& key) {
  const std::optional<Bytes> previous = key.previous_digest ? std::optional<Bytes>(*key.previous_digest) : std::nullopt;
  const auto taken =
      has_row(connection.use(kOtherWithDigest).bind(std::string_view(key.id), Bytes(key.digest), previous));
  if (!taken) return taken.error();
  if (*taken) return model::Error{model::ErrorCode::Conflict, "another key has the same text", {}, {}, {}};
  const auto ran = connection.use(kPut)
                       .bind(std::string_view(key.id), std::string_view(key.name), std::string_view(key.plan),
                             Bytes(key.digest), previous, key.previous_expires, key.expires, std::int64_t{key.scopes},
                             key.created, std::int64_t{key.revoked})
                       .run();
  if (!ran) return ran;
  return connection.use(kNextRevision).run();
}

model::Result<bool> exists(Connection& connection, const ApiKey& key) {
  return has_row(connection.use(kGet).bind(std::string_view(key.id)));
}

}  // namespace

model::Result<std::uint64_t> SqliteApiKeyStore::revision(ports::Call& call) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  Statement state = (*reader)->use(kRevision);
  const auto row = state.step();
  if (!row) return row.error();
  if (!*row) return state.corrupt("the table state is empty");
  return state.number(0);
}

model::Result<std::optional<ApiKey>> SqliteApiKeyStore::find(ports::Call& call, const KeyDigest& digest) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  return read_one((*reader)->use(kFind).bind(Bytes(digest)));
}

model::Result<std::optional<ApiKey>> SqliteApiKeyStore::get(ports::Call& call, std::string_view id) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  return read_one((*reader)->use(kGet).bind(id));
}

model::Status SqliteApiKeyStore::list(ports::Call& call, model::Visitor<ApiKey> visitor) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  Statement rows = (*reader)->use(kList);
  return visit_rows(rows, read_key<Statement>, visitor);
}

model::Status SqliteApiKeyStore::create(ports::Call& call, const ApiKey& key) {
  auto transaction = database_.write(call);
  if (!transaction) return transaction.error();
  const auto known = exists(**transaction, key);
  if (!known) return known.error();
  if (*known) return model::Error{model::ErrorCode::Conflict, "there is a key of the id " + key.id, {}, {}, {}};
  if (auto created = put(**transaction, key); !created) return created;
  return transaction->commit();
}

model::Status SqliteApiKeyStore::update(ports::Call& call, const ApiKey& key) {
  auto transaction = database_.write(call);
  if (!transaction) return transaction.error();
  const auto known = exists(**transaction, key);
  if (!known) return known.error();
  if (!*known) return model::Error{model::ErrorCode::NotFound, "there is no key of the id " + key.id, {}, {}, {}};
  if (auto updated = put(**transaction, key); !updated) return updated;
  return transaction->commit();
}

model::Status SqliteApiKeyStore::add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) {
  auto transaction = database_.write(call);
  if (!transaction) return transaction.error();
  for (const ports::KeyUsage& row : usage) {
    if (row.requests == 0) continue;
    if (auto added = (*transaction)->use(kAddUsage).bind(row.id, row.day, row.requests).run(); !added) return added;
  }
  return transaction->commit();
}

model::Status SqliteApiKeyStore::usage(ports::Call& call, model::Day first, model::Day last,
                                       model::Visitor<ports::KeyUsage> visitor) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  Statement rows = (*reader)->use(kUsage);
  rows.bind(first, last);
  return visit_rows(rows, read_usage, visitor);
}

model::Result<std::optional<model::Day>> SqliteApiKeyStore::last_used(ports::Call& call, std::string_view id) {
  const auto reader = database_.read(call);
  if (!reader) return reader.error();
  Statement row = (*reader)->use(kLastUsed).bind(id);
  const auto found = row.step();
  if (!found) return found.error();
  return row.is_null(0) ? std::nullopt : std::optional(row.day(0));
}

model::Status SqliteApiKeyStore::forget_usage(ports::Call& call, model::Day first) {
  auto transaction = database_.write(call);
  if (!transaction) return transaction.error();
  if (auto forgotten = (*transaction)->use(kForgetUsage).bind(first).run(); !forgotten) return forgotten;
  return transaction->commit();
}

}  // namespace kbase::sqlite
