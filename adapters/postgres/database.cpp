// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/database.hpp"

namespace kbase::postgres {
namespace {

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

model::Error all_busy() {
  return {model::ErrorCode::Unavailable, "all connections to the database are busy: try again", {}, {}, {}};
}

model::Error of_another(const std::string& schema, const std::string& owner, const std::string& instance) {
  return {model::ErrorCode::Unsupported,
          "the schema " + schema + " is the store of the instance '" + owner + "', and this configuration is of '" +
              instance + "': set instance to '" + owner + "', or name another schema (storage.config.schema)",
          {},
          {},
          {}};
}

model::Error at_work(model::Error error) {
  error.code = model::ErrorCode::Unavailable;
  error.message =
      "the tables cannot be brought up to date while an import runs or another process does it: start again when it "
      "has ended";
  return error;
}

}  // namespace

model::Result<Transaction> Transaction::begin(Lease lease, const char* sql) {
  if (const auto begun = lease->ask(sql); !begun) return begun.error();
  return Transaction(std::move(lease));
}

model::Result<Transaction> Transaction::snapshot(Lease lease) {
  return begin(std::move(lease), kBeginRead);
}

model::Result<Transaction> Transaction::long_snapshot(Lease lease) {
  auto begun = snapshot(std::move(lease));
  if (!begun) return begun;
  if (const auto set = (*begun)->ask(kAwaitReader); !set) return set.error();
  return begun;
}

model::Status Transaction::commit() {
  const auto committed = lease_->ask(kCommit);
  return committed ? model::Status() : committed.error();
}

model::Result<std::unique_ptr<Database>> Database::open(const Options& options, const ports::Clock& clock,
                                                        ports::Random& random) {
  if (options.schema.empty() || options.schema.size() > kLongestSchema ||
      options.schema.find_first_of(std::string_view("\"\0", 2)) != options.schema.npos)
    return model::invalid_argument("schema", "must be 1 to 50 bytes without a double quote");
  auto location = Location::parse(options.url, options.password);
  if (!location) return location.error();
  std::unique_ptr<Database> database(new Database(options, *std::move(location), clock, random));
  if (const auto settled = database->settle(options, random); !settled) {
    model::Error error = settled.error();
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
          options.connections, all_busy(), [this](const ports::Call& call) { return connect(call); }, clock) {}

model::Status Database::settle(const Options& options, ports::Random& random) {
  ports::Call call;
  call.deadline = clock_.steady() + kStartTimeout;
  auto session = connector_.connect(call);
  if (!session) return session.error();
  (*session)->serve(&call);
  if (auto prepared = schema::prepare(**session, names_); !prepared) return prepared;
  const auto created = settle_schema(**session, options, random);
  if (!created) return created.error();
  call.deadline = clock_.steady() + kStartTimeout;  // creating the tables can take long
  (*session)->serve(&call);
  const auto state = schema::read_state(**session);
  if (!state) return state.error();
  if (!options.instance.empty() && state->instance != options.instance)
    return of_another(names_.schema, state->instance, options.instance);
  created_ = *created;
  store_id_ = state->store_id;
  clock_ahead_ = state->now - clock_.now();
  note(state->newest);
  return {};
}

/// Calls schema::settle again until its locks are free. Unavailable: they were not free within kStartTimeout.
model::Result<bool> Database::settle_schema(Session& session, const Options& options, ports::Random& random) {
  const auto until = clock_.steady() + kStartTimeout;
  for (;;) {
    ports::Call call;
    call.deadline = clock_.steady() + kStartTimeout;
    const Serving serving(session, call);
    const auto created = schema::settle(session, names_, options.if_missing, options.instance, clock_, random);
    if (created || created.error().code != model::ErrorCode::Conflict) return created;
    if (clock_.steady() >= until) return at_work(created.error());
    if (const auto rolled_back = session.execute("ROLLBACK"); !rolled_back) return rolled_back.error();
  }
}

std::unique_ptr<Pool> Database::pool(std::size_t most, model::Error busy) {
  return std::make_unique<Pool>(
      most, std::move(busy), [this](const ports::Call& call) { return connect(call); }, clock_);
}

model::Result<std::unique_ptr<Session>> Database::connect(const ports::Call& call) {
  auto session = connector_.connect(call);
  if (!session) return session;
  const Serving serving(**session, call);
  if (const auto prepared = schema::prepare(**session, names_); !prepared) return prepared.error();
  if (const auto admitted = admit(**session); !admitted) return admitted.error();
  return session;
}

model::Status Database::admit(Session& session) {
  // Read these before the state of the server, which can grow in the meantime.
  const schema::Commit seen = this->seen();
  const model::ViewsRevision views_seen = views_seen_;
  const std::uint64_t keys_seen = keys_seen_;
  const auto state = schema::read_state(session);
  if (!state) return state.error();
  model::Error error{
      model::ErrorCode::Unavailable, "the database has lost changes: an operator has to step in", {}, {}, {}};
  const std::string place = "PostgreSQL at " + session.server() + ", schema " + names_.schema;
  if (state->store_id != store_id_) {
    error.message = "the database holds another store than before: an operator has to step in";
    error.detail = place + ": it is another store than this process began with; start it again to serve that one";
    return error;
  }
  const auto has_seen = schema::has_commit(session, seen);
  if (!has_seen) return has_seen.error();
  if (*has_seen) return schema::catch_up(session, *state, views_seen, keys_seen);
  error.detail = place + ": it is at revision " + std::to_string(state->newest.revision) +
                 " and has no trace of the commit that this process has seen as " + std::to_string(seen.revision) +
                 ": a replica was promoted that lacks the newest commits, or a backup was restored. To go on with what "
                 "it has, give the store a new lineage and start every server again (see the manual on PostgreSQL)";
  return error;
}

model::Result<Lease> Database::read(const ports::Call& call) {
  if (const auto wanted = still_wanted(call, clock_); !wanted) return wanted.error();
  return pool_.take(call);
}

model::Result<Transaction> Database::snapshot(const ports::Call& call) {
  auto lease = read(call);
  if (!lease) return lease.error();
  return Transaction::snapshot(std::move(*lease));
}

model::Result<Transaction> Database::long_snapshot(const ports::Call& call) {
  auto lease = read(call);
  if (!lease) return lease.error();
  return Transaction::long_snapshot(std::move(*lease));
}

model::Result<Transaction> Database::write(const ports::Call& call) {
  auto lease = read(call);
  if (!lease) return lease.error();
  return Transaction::begin(std::move(*lease), kBeginWrite);
}

void Database::note(const schema::Commit& commit) {
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
