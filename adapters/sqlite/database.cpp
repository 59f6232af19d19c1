// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/database.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <system_error>

#include "adapters/sqlite/folder_lock.hpp"

namespace kbase::sqlite {
namespace {

constexpr std::chrono::milliseconds kPollInterval{10};  // interval at which a waiting call is checked for cancellation
constexpr char kBeginRead[] = "BEGIN";
constexpr char kBeginWrite[] = "BEGIN IMMEDIATE";
constexpr char kCommit[] = "COMMIT";

model::Error refusal(model::ErrorCode code, std::string message) {
  return {code, std::move(message), {}, {}, {}};
}

}  // namespace

Lease::~Lease() {
  if (connection_) database_->give_back(writes_, std::move(connection_));
}

model::Result<Transaction> Transaction::begin(Lease lease, const char* sql) {
  if (const model::Status begun = lease->use(sql).run(); !begun) return begun.error();
  return Transaction(std::move(lease));
}

model::Status Transaction::commit() {
  return lease_->use(kCommit).run();
}

Database::Database(const Options& options, const Schema& schema, const ports::Clock& clock)
    : schema_(schema), file_(options.path.string()), clock_(clock) {
  readers_.most = std::max(1u, options.readers);
  readers_.cache_bytes = options.readers_cache_bytes / readers_.most;
  writer_.most = 1;
  writer_.cache_bytes = options.writer_cache_bytes;
}

model::Result<std::unique_ptr<Database>> Database::open(const Options& options, const Schema& schema,
                                                        const ports::Clock& clock, Creator found) {
  std::unique_ptr<Database> database(new Database(options, schema, clock));
  std::error_code failed;
  if (!std::filesystem::exists(options.path, failed)) {
    if (options.if_missing == IfMissing::Fail)
      return refusal(model::ErrorCode::NotFound, "there is no " + std::string(schema.noun) + " at " + database->file_);
    std::filesystem::create_directories(std::filesystem::absolute(options.path).parent_path(), failed);
    if (failed)
      return refusal(model::ErrorCode::Unavailable,
                     "the folder of " + database->file_ + " cannot be made: " + failed.message());
  }
  auto connection = database->connect(database->readers_.cache_bytes, options.if_missing);
  if (!connection) return connection.error();
  if (const model::Status settled = database->settle(**connection, options.if_missing, found); !settled)
    return settled.error();
  database->readers_.idle.push_back(std::move(*connection));
  database->readers_.opened = 1;
  return database;
}

/// Verifies that the file is a kbase file; migrates it to the newest version, or creates its tables. A lock on the
/// folder admits one process at a time: if two connections switch a file to WAL at the same time, SQLite fails one of
/// them at once instead of letting it wait.
model::Status Database::settle(Connection& connection, IfMissing if_missing, Creator found) {
  const auto lock = FolderLock::take(std::filesystem::absolute(file_).parent_path());
  if (!lock) return lock.error();
  const auto version = version_of(connection);
  if (!version) return version.error();
  if (*version == newest_version()) return {};
  if (if_missing == IfMissing::Fail)
    return refusal(model::ErrorCode::NotFound, file_ + " is a " + std::string(schema_.noun) + " of version " +
                                                   std::to_string(*version) + ", which this kbase brings to version " +
                                                   std::to_string(newest_version()) + " when it serves");
  // Both pragmas are stored in the file permanently. The first write fixes the page size, so the pragma must come
  // before it.
  if (auto wal = connection.execute("PRAGMA page_size = " + std::to_string(schema_.page_bytes) +
                                    "; PRAGMA journal_mode = WAL; " + kBeginWrite);
      !wal)
    return wal;
  model::Status migrated = migrate(connection, *version, found);
  if (migrated) migrated = connection.execute(kCommit);
  if (!migrated) connection.roll_back();
  return migrated;
}

model::Status Database::migrate(Connection& connection, std::int64_t version, Creator found) {
  for (std::int64_t next = version; next < newest_version(); ++next)
    if (auto done = connection.execute(schema_.migrations[static_cast<std::size_t>(next)]); !done) return done;
  if (version == 0) {
    if (model::Status founded = found(connection); !founded) return founded;
    created_ = true;
  }
  return connection.execute("PRAGMA application_id = " + std::to_string(schema_.application_id) +
                            "; PRAGMA user_version = " + std::to_string(newest_version()));
}

/// Returns the schema version; 0 for an empty file, which any program may use. Unsupported: see open().
model::Result<std::int64_t> Database::version_of(Connection& connection) const {
  const auto application = connection.ask("PRAGMA application_id");
  if (!application) return application.error();
  const auto version = connection.ask("PRAGMA user_version");
  if (!version) return version.error();
  const auto tables = connection.ask("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables.error();
  const std::string noun(schema_.noun);
  const bool is_empty = *application == 0 && *version == 0 && *tables == 0;
  if (!is_empty && *application != schema_.application_id)
    return refusal(model::ErrorCode::Unsupported,
                   file_ + " is a database of another program, no " + noun + " of kbase: name another file");
  if (*version > newest_version())
    return refusal(model::ErrorCode::Unsupported,
                   file_ + " is a " + noun + " of version " + std::to_string(*version) +
                       ", this kbase reads versions up to " + std::to_string(newest_version()) +
                       ": run the newer kbase that wrote it, or name a new file and import again");
  return version;
}

model::Result<std::unique_ptr<Connection>> Database::connect(std::size_t cache_bytes, IfMissing if_missing) {
  return Connection::open({file_, cache_bytes, schema_.busy, if_missing}, clock_);
}

model::Result<Lease> Database::read(const ports::Call& call) {
  if (const model::Status wanted = still_wanted(call, clock_); !wanted) return wanted.error();
  return take(false, call);
}

model::Result<Transaction> Database::snapshot(const ports::Call& call) {
  auto lease = read(call);
  if (!lease) return lease.error();
  return Transaction::begin(std::move(*lease), kBeginRead);
}

model::Result<Transaction> Database::write(const ports::Call& call) {
  auto lease = take(true, call);
  if (!lease) return lease.error();
  (*lease)->wait_at_most(timeout_of(call));
  return Transaction::begin(std::move(*lease), kBeginWrite);
}

model::Result<Lease> Database::take(bool writes, const ports::Call& call) {
  Pool& pool = writes ? writer_ : readers_;
  std::unique_lock lock(mutex_);
  const auto is_free = [&pool] { return !pool.idle.empty() || pool.opened < pool.most; };
  const auto until = std::chrono::steady_clock::now() + timeout_of(call);
  while (!is_free()) {
    const auto now = std::chrono::steady_clock::now();
    if (call.cancelled() || now >= until) return all_busy(writes, call);
    returned_.wait_until(lock, std::min(until, now + kPollInterval), is_free);
  }
  std::unique_ptr<Connection> connection;
  if (!pool.idle.empty()) {
    connection = std::move(pool.idle.back());
    pool.idle.pop_back();
  } else {
    ++pool.opened;
    lock.unlock();
    auto fresh = connect(pool.cache_bytes, IfMissing::Fail);
    if (!fresh) {
      give_back(writes, nullptr);
      return fresh.error();
    }
    connection = std::move(*fresh);
  }
  connection->serve(&call);
  return Lease(*this, writes, std::move(connection));
}

void Database::give_back(bool writes, std::unique_ptr<Connection> connection) {
  if (connection) {
    connection->serve(nullptr);
    connection->roll_back();
  }
  Pool& pool = writes ? writer_ : readers_;
  {
    const std::lock_guard lock(mutex_);
    if (connection)
      pool.idle.push_back(std::move(connection));
    else
      --pool.opened;
  }
  returned_.notify_all();
}

std::chrono::milliseconds Database::timeout_of(const ports::Call& call) const {
  if (call.deadline == ports::Call::SteadyTime::max()) return kTimeout;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(call.deadline - clock_.steady());
  return std::clamp(left, std::chrono::milliseconds(0), kTimeout);
}

model::Error Database::all_busy(bool writes, const ports::Call& call) const {
  if (call.cancelled()) return still_wanted(call, clock_).error();
  if (writes) return error_of({SQLITE_BUSY, 0, "another batch of this process"}, file_, schema_.busy);
  if (const model::Status wanted = still_wanted(call, clock_); !wanted) return wanted.error();
  return refusal(model::ErrorCode::Unavailable, "all readers of " + file_ + " are busy: try again");
}

}  // namespace kbase::sqlite
