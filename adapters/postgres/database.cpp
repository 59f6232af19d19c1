// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/database.hpp"

#include <algorithm>

#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

constexpr char kBeginRead[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
constexpr char kBeginWrite[] = "BEGIN ISOLATION LEVEL READ COMMITTED";

// Linux applies tcp_user_timeout also to a full receive window, so the limit would end a reader that pauses for longer.
// If the machine of such a reader vanishes, Linux gives up sending after about 15 minutes; no other read or write waits
// for that.
constexpr char kAwaitReader[] = "SET LOCAL tcp_user_timeout = 0";

/// PostgreSQL truncates names after 63 bytes, and the channel name is longer than the schema name.
constexpr std::size_t kLongestSchema = 50;

/// Timeout of the start: for the database, and for an import or another process that creates the tables.
constexpr std::chrono::seconds kStartTimeout{30};

Error busy_error() { return {ErrorCode::Unavailable, "all connections to the database are busy; try again"}; }

Error other_instance_error(const std::string& schema, const std::string& owner, const std::string& instance) {
  return {ErrorCode::Unsupported, "the schema " + schema + " is the store of the instance '" + owner +
                                      "', but this configuration is for the instance '" + instance +
                                      "'; set instance to '" + owner +
                                      "', or configure another schema (storage.config.schema)"};
}

Error migration_busy_error(Error error) {
  error.code = ErrorCode::Unavailable;
  error.message =
      "cannot migrate the tables while an import or another migration is running; start again when it has ended";
  return error;
}

}  // namespace

Result<Transaction> begin_long_snapshot(PooledSession session) {
  auto begun = KBASE_TRY(Transaction::begin(std::move(session), kBeginRead));
  KBASE_TRY(begun->run(kAwaitReader));
  return begun;
}

Result<std::unique_ptr<Database>> Database::open(const Options& options, const ports::Clock& clock,
                                                 ports::Random& random) {
  if (options.schema.empty() || options.schema.size() > kLongestSchema ||
      options.schema.find_first_of(std::string_view("\"\0", 2)) != options.schema.npos)
    return invalid_argument("schema", "must have 1 to 50 bytes and no double quote");
  auto location = KBASE_TRY(Location::parse(options.url, options.password));
  std::unique_ptr<Database> database(new Database(options, std::move(location), clock, random));
  if (const auto initialized = database->initialize(options, random); !initialized) {
    Error error = initialized.error();
    // Only an operator reads this message, and needs to know the error of each server.
    if (error.code == ErrorCode::Unavailable) error.message += " (" + std::exchange(error.detail, {}) + ')';
    return error;
  }
  return database;
}

Database::Database(const Options& options, Location location, const ports::Clock& clock, ports::Random& random)
    : names_(options.schema),
      clock_(clock),
      connector_(std::move(location), clock, random),
      pool_(
          options.connections, busy_error(), [this](const ports::Call& call) { return connect(call); }, clock) {}

Status Database::initialize(const Options& options, ports::Random& random) {
  ports::Call call;
  call.deadline = clock_.steady() + kStartTimeout;
  auto session = KBASE_TRY(connector_.connect(call));
  session->set_call(&call);
  KBASE_TRY(schema::configure_session(*session, names_));
  const auto created = KBASE_TRY(prepare_schema(*session, options, random));
  call.deadline = clock_.steady() + kStartTimeout;  // creating the tables can take long
  session->set_call(&call);
  const auto state = KBASE_TRY(schema::read_state(*session));
  if (!options.instance.empty() && state.instance != options.instance)
    return other_instance_error(names_.schema, state.instance, options.instance);
  created_ = created;
  store_id_ = state.store_id;
  clock_ahead_ = state.now - clock_.now();
  record_commit(state.newest);
  return {};
}

/// Calls schema::prepare_schema again until its locks are free. Unavailable: they were not free within kStartTimeout.
Result<bool> Database::prepare_schema(Session& session, const Options& options, ports::Random& random) {
  const auto until = clock_.steady() + kStartTimeout;
  for (;;) {
    ports::Call call;
    call.deadline = clock_.steady() + kStartTimeout;
    const CallScope scope(session, call);
    const auto created = schema::prepare_schema(session, names_, options.if_missing, options.instance, clock_, random);
    if (created || created.error().code != ErrorCode::Conflict) return created;
    if (clock_.steady() >= until) return migration_busy_error(created.error());
    KBASE_TRY(session.execute("ROLLBACK"));
  }
}

std::unique_ptr<SessionPool> Database::make_pool(std::size_t capacity, Error busy) {
  return std::make_unique<SessionPool>(
      capacity, std::move(busy), [this](const ports::Call& call) { return connect(call); }, clock_);
}

Result<std::unique_ptr<Session>> Database::connect(const ports::Call& call) {
  auto session = connector_.connect(call);
  if (!session) return session;
  const CallScope scope(**session, call);
  KBASE_TRY(schema::configure_session(**session, names_));
  KBASE_TRY(verify_store(**session));
  return session;
}

Status Database::verify_store(Session& session) {
  // Read these before the state of the server, which can grow in the meantime.
  const schema::Commit seen = this->seen();
  const model::ViewsRevision views_seen = views_seen_;
  const std::uint64_t keys_seen = keys_seen_;
  const auto state = KBASE_TRY(schema::read_state(session));
  Error error{ErrorCode::Unavailable, "the database has lost changes; an operator must decide how to continue"};
  const std::string location = "PostgreSQL at " + session.server() + ", schema " + names_.schema;
  if (state.store_id != store_id_) {
    error.message = "the database contains another store than before; an operator must decide how to continue";
    error.detail =
        location + ": the store has another id than at the start of this process; restart kbase to serve this store";
    return error;
  }
  const auto has_seen = KBASE_TRY(schema::has_commit(session, seen));
  if (has_seen) return schema::raise_revisions(session, state, views_seen, keys_seen);
  error.detail = location + ": the store is at revision " + std::to_string(state.newest.revision) +
                 " and does not contain the commit of revision " + std::to_string(seen.revision) +
                 ", which this process has seen. Either a replica without the newest commits was promoted, or a backup "
                 "was restored. To continue with the data that the database has, give the store a new lineage and "
                 "restart every server (see the manual, page PostgreSQL)";
  return error;
}

Result<PooledSession> Database::read(const ports::Call& call) {
  KBASE_TRY(check_call(call, clock_));
  return pool_.acquire(call);
}

Result<Transaction> Database::snapshot(const ports::Call& call) {
  auto pooled = KBASE_TRY(read(call));
  return Transaction::begin(std::move(pooled), kBeginRead);
}

Result<Transaction> Database::long_snapshot(const ports::Call& call) {
  auto pooled = KBASE_TRY(read(call));
  return begin_long_snapshot(std::move(pooled));
}

Result<Transaction> Database::write(const ports::Call& call) {
  auto pooled = KBASE_TRY(read(call));
  return Transaction::begin(std::move(pooled), kBeginWrite);
}

void Database::record_commit(const schema::Commit& commit) {
  const std::lock_guard lock(mutex_);
  if (commit.revision > seen_.revision) seen_ = commit;
}

schema::Commit Database::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void Database::raise(std::atomic<std::uint64_t>& seen, std::uint64_t revision) {
  std::uint64_t before = seen;
  while (revision > before && !seen.compare_exchange_weak(before, revision)) {
  }
}

Result<std::unique_ptr<StateDatabase>> StateDatabase::open(const Options& options, const ports::Clock& clock,
                                                           ports::Random& random) {
  auto database = KBASE_TRY(Database::open(options, clock, random));
  return std::unique_ptr<StateDatabase>(new StateDatabase(std::move(database)));
}

StateDatabase::StateDatabase(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      activity_(make_activity_store(*database_)),
      api_keys_(make_api_key_store(*database_)),
      accounts_(make_account_store(*database_)),
      insights_(make_insight_store(*database_)) {}

StateDatabase::~StateDatabase() = default;

}  // namespace kbase::postgres
