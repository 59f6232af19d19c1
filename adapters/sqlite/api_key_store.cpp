// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/state_database.hpp"

#include "adapters/records/rows.hpp"
#include "adapters/sqlite/database.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

using model::ApiKey;
using model::KeyDigest;
using records::read_key;

constexpr char kRevision[] = "SELECT keys_revision FROM state";
constexpr char kNextRevision[] = "UPDATE state SET keys_revision = keys_revision + 1";
constexpr char kFind[] = "SELECT " KBASE_KEY_COLUMNS " FROM keys WHERE digest = ?1 OR previous_digest = ?1";
constexpr char kGet[] = "SELECT " KBASE_KEY_COLUMNS " FROM keys WHERE id = ?1";
constexpr char kList[] = "SELECT " KBASE_KEY_COLUMNS " FROM keys ORDER BY id";
constexpr char kListOf[] = "SELECT " KBASE_KEY_COLUMNS " FROM keys WHERE account = ?1 AND account <> '' ORDER BY id";
constexpr char kOtherWithDigest[] =
    "SELECT 1 FROM keys WHERE id <> ?1 AND (digest IN (?2, ?3) OR previous_digest IN (?2, ?3))";
constexpr char kAddUsage[] =
    "INSERT INTO key_days VALUES (?1, ?2, ?3) ON CONFLICT (id, day) DO UPDATE SET requests = requests + "
    "excluded.requests";
constexpr char kUsage[] = "SELECT id, day, requests FROM key_days WHERE day BETWEEN ?1 AND ?2 ORDER BY id, day";
constexpr char kUsageOf[] =
    "SELECT id, day, requests FROM key_days WHERE id = ?1 AND day BETWEEN ?2 AND ?3 ORDER BY day";
constexpr char kLastUsed[] = "SELECT max(day) FROM key_days WHERE id = ?1";
constexpr char kDeleteUsage[] = "DELETE FROM key_days WHERE day < ?1";
constexpr char kPut[] =
    "INSERT OR REPLACE INTO keys VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
    " max(?10, coalesce((SELECT revoked FROM keys WHERE id = ?1), 0)), ?11, ?12)";
constexpr char kRemove[] = "DELETE FROM keys WHERE id = ?1";
constexpr char kRemoveUsage[] = "DELETE FROM key_days WHERE id = ?1";

std::optional<ports::KeyUsage> read_usage(const Statement& row) {
  return ports::KeyUsage{row.text(0), row.day(1), row.number(2)};
}

Result<bool> has_row(Statement rows) { return rows.step(); }

/// Inserts or replaces a key. Conflict: another key has one of its digests.
Status put(Connection& connection, const ApiKey& key) {
  const std::optional<Bytes> previous = key.previous_digest ? std::optional<Bytes>(*key.previous_digest) : std::nullopt;
  const auto is_duplicate = KBASE_TRY(
      has_row(connection.prepare(kOtherWithDigest).bind(std::string_view(key.id), Bytes(key.digest), previous)));
  if (is_duplicate) return Error{ErrorCode::Conflict, "another API key has the same secret"};
  const auto ran =
      connection.prepare(kPut)
          .bind(std::string_view(key.id), std::string_view(key.name), std::string_view(key.plan), Bytes(key.digest),
                previous, key.previous_expires, key.expires, std::int64_t{key.scopes}, key.created,
                std::int64_t{key.revoked}, std::string_view(key.account), std::int64_t{key.suspended})
          .run();
  if (!ran) return ran;
  return connection.prepare(kNextRevision).run();
}

Result<bool> exists(Connection& connection, const ApiKey& key) {
  return has_row(connection.prepare(kGet).bind(std::string_view(key.id)));
}

/// API keys and their daily request counts in state.db.
class SqliteApiKeyStore final : public ports::ApiKeyStore {
 public:
  explicit SqliteApiKeyStore(Database& database) : database_(database) {}

  Result<std::uint64_t> revision(ports::Call& call) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement state = reader->prepare(kRevision);
    const auto row = KBASE_TRY(state.step());
    if (!row) return state.corrupt("the table state is empty");
    return state.number(0);
  }
  Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return read_one<ApiKey>(reader->prepare(kFind).bind(Bytes(digest)), read_key<Statement>);
  }
  Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override {
    const auto reader = KBASE_TRY(database_.read(call));
    return read_one<ApiKey>(reader->prepare(kGet).bind(id), read_key<Statement>);
  }
  Status list(ports::Call& call, Visitor<model::ApiKey> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kList);
    return visit_rows(rows, read_key<Statement>, visitor);
  }
  Status create(ports::Call& call, const model::ApiKey& key) override {
    auto transaction = KBASE_TRY(database_.write(call));
    const auto is_known = KBASE_TRY(exists(*transaction, key));
    if (is_known) return Error{ErrorCode::Conflict, "an API key with the id " + key.id + " exists already"};
    KBASE_TRY(put(*transaction, key));
    return transaction.commit();
  }
  Status update(ports::Call& call, const model::ApiKey& key) override {
    auto transaction = KBASE_TRY(database_.write(call));
    const auto is_known = KBASE_TRY(exists(*transaction, key));
    if (!is_known) return Error{ErrorCode::NotFound, "there is no API key with the id " + key.id};
    KBASE_TRY(put(*transaction, key));
    return transaction.commit();
  }
  Status add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) override {
    auto transaction = KBASE_TRY(database_.write(call));
    for (const ports::KeyUsage& row : usage) {
      if (row.requests == 0) continue;
      KBASE_TRY(transaction->prepare(kAddUsage).bind(row.id, row.day, row.requests).run());
    }
    return transaction.commit();
  }
  Status usage(ports::Call& call, model::Day first, model::Day last, Visitor<ports::KeyUsage> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kUsage);
    rows.bind(first, last);
    return visit_rows(rows, read_usage, visitor);
  }
  Result<std::optional<model::Day>> last_used(ports::Call& call, std::string_view id) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement row = reader->prepare(kLastUsed).bind(id);
    KBASE_TRY(row.step());
    return row.is_null(0) ? std::nullopt : std::optional(row.day(0));
  }
  Status delete_usage_before(ports::Call& call, model::Day first) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->prepare(kDeleteUsage).bind(first).run());
    return transaction.commit();
  }
  bool has_accounts() const override { return true; }
  Status list_of(ports::Call& call, std::string_view account, Visitor<model::ApiKey> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kListOf).bind(account);
    return visit_rows(rows, read_key<Statement>, visitor);
  }
  Status usage_of(ports::Call& call, std::string_view id, model::Day first, model::Day last,
                  Visitor<ports::KeyUsage> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kUsageOf);
    rows.bind(id, first, last);
    return visit_rows(rows, read_usage, visitor);
  }
  Status remove(ports::Call& call, std::string_view id) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->prepare(kRemove).bind(id).run());
    if (transaction->changed_rows() == 0)
      return Error{ErrorCode::NotFound, "there is no API key with the id " + std::string(id)};
    KBASE_TRY(transaction->prepare(kRemoveUsage).bind(id).run());
    KBASE_TRY(transaction->prepare(kNextRevision).run());
    return transaction.commit();
  }
  bool has_inline_reads() const override { return true; }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::ApiKeyStore> make_api_key_store(Database& database) {
  return std::make_unique<SqliteApiKeyStore>(database);
}

}  // namespace kbase::sqlite
