// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/database.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "domain/model/result.hpp"

namespace kbase::sqlite {
namespace {

/// Exclusive lock of a folder across threads and processes (flock(2)). Released with the object or at process exit.
class FolderLock {
 public:
  static model::Result<FolderLock> acquire(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

model::Result<FolderLock> FolderLock::acquire(const std::filesystem::path& folder) {
  FolderLock lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (lock.descriptor_ >= 0) {
    if (::flock(lock.descriptor_, LOCK_EX) == 0) return {std::move(lock)};
    if (errno != EINTR) break;
  }
  return model::Error{model::ErrorCode::Unavailable,
                      "cannot lock the folder " + folder.string() + ": " + std::strerror(errno),
                      {},
                      {},
                      {}};
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

constexpr std::chrono::milliseconds kPollInterval{10};  // interval at which a waiting call is checked for cancellation
constexpr char kBeginRead[] = "BEGIN";
constexpr char kBeginWrite[] = "BEGIN IMMEDIATE";
constexpr char kCommit[] = "COMMIT";

model::Error make_error(model::ErrorCode code, std::string message) {
  return {code, std::move(message), {}, {}, {}};
}

constexpr char kOwner[] = "SELECT name FROM instance";
constexpr char kInsertOwner[] = "INSERT INTO instance SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM instance)";

model::Result<std::optional<std::string>> read_owner(Database& database) {
  const ports::Call call;
  const auto reader = database.read(call);
  if (!reader) return reader.error();
  Statement owner = (*reader)->prepare(kOwner);
  const auto row = owner.step();
  if (!row) return row.error();
  return *row ? std::optional(std::string(owner.text(0))) : std::nullopt;
}

/// Records the owner unless another process has done it first; the caller reads back the result.
model::Status insert_owner(Database& database, std::string_view instance) {
  const ports::Call call;
  auto transaction = database.write(call);
  if (!transaction) return transaction.error();
  if (auto claimed_instance = (*transaction)->prepare(kInsertOwner).bind(instance).run(); !claimed_instance)
    return claimed_instance;
  return transaction->commit();
}

}  // namespace

PooledConnection::~PooledConnection() {
  if (connection_) database_->release(writes_, std::move(connection_));
}

model::Result<Transaction> Transaction::begin(PooledConnection pooled, const char* sql) {
  if (const model::Status begun = pooled->prepare(sql).run(); !begun) return begun.error();
  return Transaction(std::move(pooled));
}

model::Status Transaction::commit() {
  return lease_->prepare(kCommit).run();
}

Database::Database(const Options& options, const Schema& schema, const ports::Clock& clock)
    : schema_(schema), file_(options.path.string()), clock_(clock) {
  readers_.capacity = std::max(1u, options.readers);
  readers_.cache_bytes = options.readers_cache_bytes / readers_.capacity;
  writer_.capacity = 1;
  writer_.cache_bytes = options.writer_cache_bytes;
}

model::Result<std::unique_ptr<Database>> Database::open(const Options& options, const Schema& schema,
                                                        const ports::Clock& clock, Creator create_rows) {
  std::unique_ptr<Database> database(new Database(options, schema, clock));
  std::error_code failed;
  if (!std::filesystem::exists(options.path, failed)) {
    if (options.if_missing == IfMissing::Fail)
      return make_error(model::ErrorCode::NotFound,
                        "there is no " + std::string(schema.noun) + " at " + database->file_);
    std::filesystem::create_directories(std::filesystem::absolute(options.path).parent_path(), failed);
    if (failed)
      return make_error(model::ErrorCode::Unavailable,
                        "cannot create the folder of " + database->file_ + ": " + failed.message());
  }
  auto connection = database->connect(database->readers_.cache_bytes, options.if_missing);
  if (!connection) return connection.error();
  if (const model::Status prepared = database->prepare_schema(**connection, options.if_missing, create_rows); !prepared)
    return prepared.error();
  database->readers_.idle.push_back(std::move(*connection));
  database->readers_.opened = 1;
  return database;
}

/// Verifies that the file is a kbase file; migrates it to the newest version, or creates its tables. A lock on the
/// folder admits one process at a time: if two connections switch a file to WAL at the same time, SQLite fails one of
/// them at once instead of letting it wait.
model::Status Database::prepare_schema(Connection& connection, IfMissing if_missing, Creator create_rows) {
  const auto lock = FolderLock::acquire(std::filesystem::absolute(file_).parent_path());
  if (!lock) return lock.error();
  const auto version = read_version(connection);
  if (!version) return version.error();
  if (*version == newest_version()) return {};
  if (if_missing == IfMissing::Fail)
    return make_error(model::ErrorCode::NotFound, file_ + " is a " + std::string(schema_.noun) + " of version " +
                                                      std::to_string(*version) + ", but this kbase needs version " +
                                                      std::to_string(newest_version()) +
                                                      "; allow the migration (storage.config.if_missing: create)");
  // Both pragmas are stored in the file permanently. The first write fixes the page size, so the pragma must come
  // before it.
  if (auto wal = connection.execute("PRAGMA page_size = " + std::to_string(schema_.page_bytes) +
                                    "; PRAGMA journal_mode = WAL; " + kBeginWrite);
      !wal)
    return wal;
  model::Status migrated = migrate(connection, *version, create_rows);
  if (migrated) migrated = connection.execute(kCommit);
  if (!migrated) connection.roll_back();
  return migrated;
}

model::Status Database::migrate(Connection& connection, std::int64_t version, Creator create_rows) {
  for (std::int64_t next = version; next < newest_version(); ++next)
    if (auto done = connection.execute(schema_.migrations[static_cast<std::size_t>(next)]); !done) return done;
  if (version == 0) {
    if (model::Status created_rows = create_rows(connection); !created_rows) return created_rows;
    created_ = true;
  }
  return connection.execute("PRAGMA application_id = " + std::to_string(schema_.application_id) +
                            "; PRAGMA user_version = " + std::to_string(newest_version()));
}

/// Returns the schema version; 0 for an empty file, which any program may use. Unsupported: see open().
model::Result<std::int64_t> Database::read_version(Connection& connection) const {
  const auto application = connection.query_integer("PRAGMA application_id");
  if (!application) return application.error();
  const auto version = connection.query_integer("PRAGMA user_version");
  if (!version) return version.error();
  const auto tables = connection.query_integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables.error();
  const std::string noun(schema_.noun);
  const bool is_empty = *application == 0 && *version == 0 && *tables == 0;
  if (!is_empty && *application != schema_.application_id)
    return make_error(model::ErrorCode::Unsupported,
                      file_ + " is a database of another program, not a " + noun + " of kbase; configure another file");
  if (*version > newest_version())
    return make_error(model::ErrorCode::Unsupported,
                      file_ + " is a " + noun + " of version " + std::to_string(*version) +
                          ", but this kbase reads versions up to " + std::to_string(newest_version()) +
                          "; run the newer kbase that wrote it, or configure a new file and import again");
  return version;
}

model::Result<std::unique_ptr<Connection>> Database::connect(std::size_t cache_bytes, IfMissing if_missing) {
  return Connection::open({file_, cache_bytes, schema_.busy, if_missing}, clock_);
}

model::Result<PooledConnection> Database::read(const ports::Call& call) {
  if (const model::Status active = check_call(call, clock_); !active) return active.error();
  return acquire(false, call);
}

model::Result<Transaction> Database::snapshot(const ports::Call& call) {
  auto pooled = read(call);
  if (!pooled) return pooled.error();
  return Transaction::begin(std::move(*pooled), kBeginRead);
}

model::Result<Transaction> Database::write(const ports::Call& call) {
  auto pooled = acquire(true, call);
  if (!pooled) return pooled.error();
  (*pooled)->set_lock_timeout(lock_timeout(call));
  return Transaction::begin(std::move(*pooled), kBeginWrite);
}

model::Result<PooledConnection> Database::acquire(bool for_write, const ports::Call& call) {
  Pool& pool = for_write ? writer_ : readers_;
  std::unique_lock lock(mutex_);
  const auto is_free = [&pool] { return !pool.idle.empty() || pool.opened < pool.capacity; };
  const auto until = std::chrono::steady_clock::now() + lock_timeout(call);
  while (!is_free()) {
    const auto now = std::chrono::steady_clock::now();
    if (call.cancelled() || now >= until) return busy_error(for_write, call);
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
      release(for_write, nullptr);
      return fresh.error();
    }
    connection = std::move(*fresh);
  }
  connection->set_call(&call);
  return PooledConnection(*this, for_write, std::move(connection));
}

void Database::release(bool for_write, std::unique_ptr<Connection> connection) {
  if (connection) {
    connection->set_call(nullptr);
    connection->roll_back();
  }
  Pool& pool = for_write ? writer_ : readers_;
  {
    const std::lock_guard lock(mutex_);
    if (connection)
      pool.idle.push_back(std::move(connection));
    else
      --pool.opened;
  }
  returned_.notify_all();
}

std::chrono::milliseconds Database::lock_timeout(const ports::Call& call) const {
  if (call.deadline == ports::Call::SteadyTime::max()) return kTimeout;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(call.deadline - clock_.steady());
  return std::clamp(left, std::chrono::milliseconds(0), kTimeout);
}

model::Error Database::busy_error(bool for_write, const ports::Call& call) const {
  if (call.cancelled()) return check_call(call, clock_).error();
  if (for_write) return translate_error({SQLITE_BUSY, 0, "another batch of this process is open"}, file_, schema_.busy);
  if (const model::Status active = check_call(call, clock_); !active) return active.error();
  return make_error(model::ErrorCode::Unavailable, "all read connections to " + file_ + " are busy; try again");
}

model::Status claim_instance(Database& database, std::string_view instance, std::string_view noun) {
  if (instance.empty()) return {};
  auto owner = read_owner(database);
  if (owner && !*owner) {
    if (auto written = insert_owner(database, instance); !written) return written;
    owner = read_owner(database);
  }
  if (!owner) return owner.error();
  if (**owner == instance) return {};
  return model::Error{model::ErrorCode::Unsupported,
                      database.file() + " is the " + std::string(noun) + " of the instance '" + **owner +
                          "', but this configuration is for the instance '" + std::string(instance) +
                          "'; set instance to '" + **owner + "', or configure another file",
                      {},
                      {},
                      {}};
}

}  // namespace kbase::sqlite
