// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/database.hpp"

#include <algorithm>

namespace kbase::postgres {
namespace {

/// Timeout of the rollback of an abandoned transaction. After it the connection is closed, which also ends the
/// transaction.
constexpr std::chrono::seconds kRollbackTimeout{2};

void roll_back(Session& session, const ports::Clock& clock) {
  ports::Call call;
  call.deadline = clock.steady() + kRollbackTimeout;
  const CallScope scope(session, call);
  [[maybe_unused]] const auto rollback = session.execute("ROLLBACK");
}

constexpr char kBeginRead[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
constexpr char kBeginWrite[] = "BEGIN ISOLATION LEVEL READ COMMITTED";
constexpr char kCommit[] = "COMMIT";

// Linux applies tcp_user_timeout also to a full receive window, so the limit would end a reader that pauses for longer.
// If the machine of such a reader vanishes, Linux gives up sending after about 15 minutes; no other read or write waits
// for that.
constexpr char kAwaitReader[] = "SET LOCAL tcp_user_timeout = 0";

/// PostgreSQL truncates names after 63 bytes, and the channel name is longer than the schema name.
constexpr std::size_t kLongestSchema = 50;

/// Timeout of the start: for the database, and for an import or another process that creates the tables.
constexpr std::chrono::seconds kStartTimeout{30};

model::Error busy_error() {
  return {model::ErrorCode::Unavailable, "all connections to the database are busy; try again", {}, {}, {}};
}

model::Error other_instance_error(const std::string& schema, const std::string& owner, const std::string& instance) {
  return {model::ErrorCode::Unsupported,
          "the schema " + schema + " is the store of the instance '" + owner +
              "', but this configuration is for the instance '" + instance + "'; set instance to '" + owner +
              "', or configure another schema (storage.config.schema)",
          {},
          {},
          {}};
}

model::Error migration_busy_error(model::Error error) {
  error.code = model::ErrorCode::Unavailable;
  error.message =
      "cannot migrate the tables while an import or another migration is running; start again when it has ended";
  return error;
}

}  // namespace

PooledSession::~PooledSession() {
  if (session_) pool_->release(std::move(session_));
}

model::Result<PooledSession> Pool::acquire(const ports::Call& call) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (auto waited = wait_for_session(lock, call); !waited) return waited.error();
    if (idle_.empty()) break;
    std::unique_ptr<Session> session = std::move(idle_.back());
    idle_.pop_back();
    if (session->is_usable()) {
      session->set_call(&call);
      return PooledSession(*this, std::move(session));
    }
    --open_count_;
  }
  ++open_count_;
  lock.unlock();
  auto opened = opener_(call);
  if (!opened) {
    release(nullptr);
    return opened.error();
  }
  (*opened)->set_call(&call);
  return PooledSession(*this, *std::move(opened));
}

model::Status Pool::wait_for_session(std::unique_lock<std::mutex>& lock, const ports::Call& call) {
  const auto is_free = [this] { return !idle_.empty() || open_count_ < capacity_; };
  const auto until = std::chrono::steady_clock::now() + time_left(call, clock_);
  while (!is_free()) {
    if (call.cancelled()) return check_call(call, clock_);
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) return busy_;
    returned_.wait_until(lock, std::min(until, now + kPollInterval), is_free);
  }
  return {};
}

void Pool::release(std::unique_ptr<Session> session) {
  if (session) {
    session->set_call(nullptr);
    if (session->is_connected() && session->in_transaction()) roll_back(*session, clock_);
    if (!session->is_usable() || session->in_transaction()) session.reset();
  }
  {
    const std::lock_guard lock(mutex_);
    if (session)
      idle_.push_back(std::move(session));
    else
      --open_count_;
  }
  returned_.notify_one();
}

model::Result<Transaction> Transaction::begin(PooledSession pooled, const char* sql) {
  if (const auto begun = pooled->query(sql); !begun) return begun.error();
  return Transaction(std::move(pooled));
}

model::Result<Transaction> Transaction::snapshot(PooledSession pooled) {
  return begin(std::move(pooled), kBeginRead);
}

model::Result<Transaction> Transaction::long_snapshot(PooledSession pooled) {
  auto begun = snapshot(std::move(pooled));
  if (!begun) return begun;
  if (const auto set = (*begun)->query(kAwaitReader); !set) return set.error();
  return begun;
}

model::Status Transaction::commit() {
  const auto committed = session_->query(kCommit);
  return committed ? model::Status() : committed.error();
}

model::Result<std::unique_ptr<Database>> Database::open(const Options& options, const ports::Clock& clock,
                                                        ports::Random& random) {
  if (options.schema.empty() || options.schema.size() > kLongestSchema ||
      options.schema.find_first_of(std::string_view("\"\0", 2)) != options.schema.npos)
    return model::invalid_argument("schema", "must have 1 to 50 bytes and no double quote");
  auto location = Location::parse(options.url, options.password);
  if (!location) return location.error();
  std::unique_ptr<Database> database(new Database(options, *std::move(location), clock, random));
  if (const auto initialized = database->initialize(options, random); !initialized) {
    model::Error error = initialized.error();
    // Only an operator reads this message, and needs to know the error of each server.
    if (error.code == model::ErrorCode::Unavailable) error.message += " (" + std::exchange(error.detail, {}) + ')';
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

model::Status Database::initialize(const Options& options, ports::Random& random) {
  ports::Call call;
  call.deadline = clock_.steady() + kStartTimeout;
  auto session = connector_.connect(call);
  if (!session) return session.error();
  (*session)->set_call(&call);
  if (auto prepared = schema::configure_session(**session, names_); !prepared) return prepared;
  const auto created = prepare_schema(**session, options, random);
  if (!created) return created.error();
  call.deadline = clock_.steady() + kStartTimeout;  // creating the tables can take long
  (*session)->set_call(&call);
  const auto state = schema::read_state(**session);
  if (!state) return state.error();
  if (!options.instance.empty() && state->instance != options.instance)
    return other_instance_error(names_.schema, state->instance, options.instance);
  created_ = *created;
  store_id_ = state->store_id;
  clock_ahead_ = state->now - clock_.now();
  record_commit(state->newest);
  return {};
}

/// Calls schema::prepare_schema again until its locks are free. Unavailable: they were not free within kStartTimeout.
model::Result<bool> Database::prepare_schema(Session& session, const Options& options, ports::Random& random) {
  const auto until = clock_.steady() + kStartTimeout;
  for (;;) {
    ports::Call call;
    call.deadline = clock_.steady() + kStartTimeout;
    const CallScope scope(session, call);
    const auto created = schema::prepare_schema(session, names_, options.if_missing, options.instance, clock_, random);
    if (created || created.error().code != model::ErrorCode::Conflict) return created;
    if (clock_.steady() >= until) return migration_busy_error(created.error());
    if (const auto rollback = session.execute("ROLLBACK"); !rollback) return rollback.error();
  }
}

std::unique_ptr<Pool> Database::make_pool(std::size_t capacity, model::Error busy) {
  return std::make_unique<Pool>(
      capacity, std::move(busy), [this](const ports::Call& call) { return connect(call); }, clock_);
}

model::Result<std::unique_ptr<Session>> Database::connect(const ports::Call& call) {
  auto session = connector_.connect(call);
  if (!session) return session;
  const CallScope scope(**session, call);
  if (const auto prepared = schema::configure_session(**session, names_); !prepared) return prepared.error();
  if (const auto admitted = verify_store(**session); !admitted) return admitted.error();
  return session;
}

model::Status Database::verify_store(Session& session) {
  // Read these before the state of the server, which can grow in the meantime.
  const schema::Commit seen = this->seen();
  const model::ViewsRevision views_seen = views_seen_;
  const std::uint64_t keys_seen = keys_seen_;
  const auto state = schema::read_state(session);
  if (!state) return state.error();
  model::Error error{model::ErrorCode::Unavailable,
                     "the database has lost changes; an operator must decide how to continue",
                     {},
                     {},
                     {}};
  const std::string location = "PostgreSQL at " + session.server() + ", schema " + names_.schema;
  if (state->store_id != store_id_) {
    error.message = "the database contains another store than before; an operator must decide how to continue";
    error.detail =
        location + ": the store has another id than at the start of this process; restart kbase to serve this store";
    return error;
  }
  const auto has_seen = schema::has_commit(session, seen);
  if (!has_seen) return has_seen.error();
  if (*has_seen) return schema::raise_revisions(session, *state, views_seen, keys_seen);
  error.detail = location + ": the store is at revision " + std::to_string(state->newest.revision) +
                 " and does not contain the commit of revision " + std::to_string(seen.revision) +
                 ", which this process has seen. Either a replica without the newest commits was promoted, or a backup "
                 "was restored. To continue with the data that the database has, give the store a new lineage and "
                 "restart every server (see the manual, page PostgreSQL)";
  return error;
}

model::Result<PooledSession> Database::read(const ports::Call& call) {
  if (const auto active = check_call(call, clock_); !active) return active.error();
  return pool_.acquire(call);
}

model::Result<Transaction> Database::snapshot(const ports::Call& call) {
  auto pooled = read(call);
  if (!pooled) return pooled.error();
  return Transaction::snapshot(std::move(*pooled));
}

model::Result<Transaction> Database::long_snapshot(const ports::Call& call) {
  auto pooled = read(call);
  if (!pooled) return pooled.error();
  return Transaction::long_snapshot(std::move(*pooled));
}

model::Result<Transaction> Database::write(const ports::Call& call) {
  auto pooled = read(call);
  if (!pooled) return pooled.error();
  return Transaction::begin(std::move(*pooled), kBeginWrite);
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

}  // namespace kbase::postgres
