// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/schema.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "adapters/postgres/schema_sql.hpp"
#include "adapters/records/migrations.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres::schema {
namespace {

/// The n-th migrates from minor version n - 1 to n; the first creates the tables.
const std::vector<std::string>& get_migrations() {
  static const std::vector<std::string> migrations = records::split_migrations(kSchemaSql);
  return migrations;
}

// The join with `pg_settings` skips settings that the server does not know or was built without.
//
// client_connection_check_interval: ends the statement of a client that has disconnected. tcp_*: end the connection of
// a client whose machine vanished, which releases its writer's lock. Linux sends no keepalives while sent data is
// unacknowledged; tcp_user_timeout covers that case (reads that can pause disable it: begin_long_snapshot).
// lock_timeout, default_transaction_isolation: the user may have other defaults. jit: compiling takes longer than any
// statement here. default_toast_compression: lz4 compresses the texts of an import in a fraction of the time of pglz.
constexpr char kSettings[] =
    "SELECT set_config(wanted.name, wanted.value, false)"
    " FROM (VALUES ('client_connection_check_interval', '1000'), ('tcp_keepalives_idle', '10'),"
    " ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'), ('tcp_user_timeout', '25000'),"
    " ('lock_timeout', '0'), ('default_transaction_isolation', 'read committed'), ('jit', 'off'), ('TimeZone', 'UTC'),"
    " ('default_toast_compression', 'lz4')) AS wanted (name, value) JOIN pg_catalog.pg_settings AS known USING (name)"
    " WHERE known.enumvals IS NULL OR wanted.value = ANY (known.enumvals)";
constexpr char kSearchPath[] = "SELECT set_config('search_path', quote_ident(convert_from($1, 'UTF8')), false)";
constexpr char kBegin[] = "BEGIN ISOLATION LEVEL READ COMMITTED";
constexpr char kEncoding[] = "SELECT current_setting('server_encoding')";
constexpr char kHasUsage[] =
    "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = convert_from($1, 'UTF8')";
constexpr char kTables[] =
    "SELECT count(*), count(*) FILTER (WHERE relname = 'schema_version') FROM pg_catalog.pg_class"
    " WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = convert_from($1, 'UTF8'))"
    " AND relkind IN ('r', 'p', 'v', 'm', 'f')";
constexpr char kVersion[] = "SELECT major, minor FROM schema_version";
constexpr char kLock[] = "SELECT pg_advisory_xact_lock(hashtextextended(convert_from($1, 'UTF8'), 0))";
constexpr char kLockTimeout[] = "SET LOCAL lock_timeout = '1s'";
constexpr char kSetVersion[] = "UPDATE schema_version SET minor = $1";
constexpr char kCreateStore[] = "INSERT INTO store (lineage, instance) VALUES ($1, $2)";
constexpr char kState[] =
    "SELECT lineage, instance, store.revision, proof, views_state.revision, keys_state.revision,"
    " clock_timestamp(), timeline"
    " FROM store, views_state, keys_state";

constexpr char kCanReadTimeline[] =
    "SELECT has_function_privilege('pg_current_wal_lsn()', 'EXECUTE')"
    " AND has_function_privilege('pg_walfile_name(pg_lsn)', 'EXECUTE')";
constexpr char kTimeline[] =
    "SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END";

constexpr char kCommit[] = "SELECT revision, proof FROM store";
constexpr char kHasCommit[] =
    "SELECT coalesce((SELECT proof = $2 FROM batches WHERE revision = $1), $1 <= unproved) FROM store";

// This commit does not wait for replicas: a connection must not wait for them, and a lost change is detected again.
constexpr char kCommitLocally[] =
    "SELECT set_config(name, 'local', true) FROM pg_catalog.pg_settings WHERE name = 'synchronous_commit'";
constexpr char kSetTimeline[] = "UPDATE store SET timeline = $1 WHERE timeline <> $1";
// The step is larger than what a failover can lose, and small compared to 2^63.
constexpr char kRaiseViews[] =
    "UPDATE views_state SET revision = greatest(revision, $1) + 1000000, anew = greatest(revision, $1) + 1000000"
    " WHERE revision < $1 OR $2 <> 0";
constexpr char kRaiseKeys[] =
    "UPDATE keys_state SET revision = greatest(revision, $1) + 1000000 WHERE revision < $1 OR $2 <> 0";

/// Timeout of a migration: creating an index over many items takes minutes.
constexpr std::chrono::hours kMigrationTimeout{1};

/// Version of a schema that is missing or empty.
constexpr std::int64_t kNoVersion = -1;

std::int64_t newest_minor() { return static_cast<std::int64_t>(get_migrations().size()) - 1; }

Error unsupported(std::string message) { return {ErrorCode::Unsupported, std::move(message)}; }

Error missing_error(const Names& names, std::int64_t minor) {
  const std::string problem = minor == kNoVersion ? "there is no store in the schema " + names.schema
                                                  : "the store in the schema " + names.schema +
                                                        " was created by an older kbase and must be migrated";
  return {ErrorCode::NotFound,
          problem + "; allow kbase to create and migrate tables (storage.config.if_missing: create)"};
}

Result<QueryResult> query_row(Session& session, const char* sql, const Parameters& parameters = {}) {
  auto result = session.query(sql, parameters);
  if (result && result->rows() != 1) return session.corrupt_error("a table that must have one row has none or several");
  return result;
}

Status require_utf8(Session& session) {
  const auto encoding = KBASE_TRY(query_row(session, kEncoding));
  if (encoding.row(0).text(0) == "UTF8") return {};
  return unsupported(
      "the encoding of the database is not UTF-8; create a database with createdb --encoding=UTF8 "
      "--template=template0");
}

/// Whether the schema exists. Unavailable: the user does not have the privilege USAGE on it.
Result<bool> schema_exists(Session& session, const Names& names) {
  const auto usable = KBASE_TRY(session.query(kHasUsage, Parameters(std::string_view(names.schema))));
  if (usable.rows() == 0) return false;
  if (usable.row(0).flag(0)) return true;
  return session.permission_error("the user does not have the privilege USAGE on the schema " + names.schema);
}

/// Returns the minor version of a kbase schema; kNoVersion if it is missing or empty. Unsupported: another program's
/// tables, or another major version.
Result<std::int64_t> read_version(Session& session, const Names& names) {
  const auto found = KBASE_TRY(schema_exists(session, names));
  if (!found) return kNoVersion;
  const auto tables = KBASE_TRY(query_row(session, kTables, Parameters(std::string_view(names.schema))));
  const bool is_empty = tables.row(0).integer(0) == 0, is_ours = tables.row(0).integer(1) == 1;
  if (is_empty) return kNoVersion;
  if (!is_ours)
    return unsupported("the schema " + names.schema +
                       " has tables of another program; configure another schema (storage.config.schema, or instance)");
  const auto version = KBASE_TRY(query_row(session, kVersion));
  const std::int64_t major = version.row(0).integer(0);
  if (major != kMajor)
    return unsupported("the schema " + names.schema + " has version " + std::to_string(major) +
                       ", but this kbase needs version " + std::to_string(kMajor) +
                       "; run the kbase that created it, or configure a new schema and import again");
  return version.row(0).integer(1);
}

Status migrate(Session& session, const Names& names, std::int64_t minor, const ports::Clock& clock) {
  ports::Call call;
  call.deadline = clock.steady() + kMigrationTimeout;
  const CallScope scope(session, call);
  // "CREATE SCHEMA IF NOT EXISTS" requires the right to create schemas even if an operator has created this one.
  const auto found = KBASE_TRY(schema_exists(session, names));
  if (!found) KBASE_TRY(session.execute("CREATE SCHEMA \"" + names.schema + '"'));
  for (std::int64_t next = minor + 1; next <= newest_minor(); ++next)
    KBASE_TRY(session.execute(get_migrations()[static_cast<std::size_t>(next)]));
  KBASE_TRY(session.query(kSetVersion, Parameters(static_cast<std::int16_t>(newest_minor()))));
  return {};
}

Status create_store(Session& session, std::string_view instance, ports::Random& random) {
  model::StoreId store_id{};
  random.fill(store_id);
  const auto created = session.query(kCreateStore, Parameters(wire::Bytes(store_id), instance));
  return created ? Status() : created.error();
}

/// Returns the timeline of the server's log. Empty if it is unknown: on a replica, in databases that speak PostgreSQL's
/// protocol without its log, and where the user lacks the right to read it.
Result<std::string> read_timeline(Session& session) {
  const auto result = query_row(session, kTimeline);
  if (result) return std::string(result->row(0).text(0));
  bool is_unknown = result.error().code == ErrorCode::Internal;  // that is, not a temporary failure
  if (!is_unknown)
    if (const auto permission = query_row(session, kCanReadTimeline)) is_unknown = !permission->row(0).flag(0);
  return is_unknown ? Result<std::string>(std::string()) : result.error();
}

}  // namespace

Status configure_session(Session& session, const Names& names) {
  KBASE_TRY(session.query(kSettings));
  const auto path = session.query(kSearchPath, Parameters(std::string_view(names.schema)));
  return path ? Status() : path.error();
}

Result<bool> prepare_schema(Session& session, const Names& names, IfMissing if_missing, std::string_view instance,
                            const ports::Clock& clock, ports::Random& random) {
  KBASE_TRY(require_utf8(session));
  // Check before the lock as well: a user without the right to create tables can still start servers.
  auto version = read_version(session, names);
  if (!version) return version.error();
  if (*version >= newest_minor()) return false;
  if (if_missing == IfMissing::Fail) return missing_error(names, *version);
  KBASE_TRY(session.execute(kBegin));
  KBASE_TRY(session.execute(kLockTimeout));
  for (const std::string& lock : {names.migration_lock(), names.writer_lock()})
    KBASE_TRY(session.query(kLock, Parameters(std::string_view(lock))));
  version = read_version(session, names);
  if (!version) return version.error();
  if (*version < newest_minor()) KBASE_TRY(migrate(session, names, *version, clock));
  if (*version == kNoVersion) KBASE_TRY(create_store(session, instance, random));
  KBASE_TRY(session.execute("COMMIT"));
  return *version == kNoVersion;
}

Result<State> read_state(Session& session) {
  const auto result = KBASE_TRY(query_row(session, kState));
  State state;
  const wire::Bytes store_id = result.row(0).bytes(0);
  if (store_id.size() != state.store_id.size())
    return session.corrupt_error("the store id (column lineage) has a wrong length");
  std::copy(store_id.begin(), store_id.end(), state.store_id.begin());
  state.instance = result.row(0).text(1);
  state.newest = {result.row(0).number(2), std::string(result.row(0).text(3))};
  state.views_revision = result.row(0).number(4);
  state.keys_revision = result.row(0).number(5);
  state.now = result.row(0).instant(6);
  state.stored_timeline = result.row(0).text(7);
  auto timeline = KBASE_TRY(read_timeline(session));
  state.timeline = std::move(timeline);
  return state;
}

Result<Commit> read_commit(Session& session) {
  const auto result = KBASE_TRY(query_row(session, kCommit));
  return Commit{result.row(0).number(0), std::string(result.row(0).text(1))};
}

Result<bool> has_commit(Session& session, const Commit& commit) {
  const auto result =
      KBASE_TRY(query_row(session, kHasCommit, Parameters(commit.revision, std::string_view(commit.proof))));
  return result.row(0).flag(0);
}

Status raise_revisions(Session& session, const State& state, model::ViewsRevision views, std::uint64_t keys) {
  const bool has_other_timeline = !state.timeline.empty() && state.timeline != state.stored_timeline;
  if (!has_other_timeline && state.views_revision >= views && state.keys_revision >= keys) return {};
  KBASE_TRY(session.execute(kBegin));
  KBASE_TRY(session.query(kCommitLocally));
  bool is_promoted = false;
  if (has_other_timeline) {
    const auto recorded = KBASE_TRY(session.query(kSetTimeline, Parameters(std::string_view(state.timeline))));
    is_promoted = recorded.changed_rows() != 0 && !state.stored_timeline.empty();  // else not the first to see it
  }
  const auto force = static_cast<std::int16_t>(is_promoted);
  for (const auto& [raise, least] : {std::pair{kRaiseViews, views}, {kRaiseKeys, keys}})
    KBASE_TRY(session.query(raise, Parameters(least, force)));
  return session.execute("COMMIT");
}

}  // namespace kbase::postgres::schema
