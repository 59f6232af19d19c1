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

#include "adapters/records/migrations.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

/// Exclusive lock of a folder across threads and processes (flock(2)). Released with the object or at process exit.
class FolderLock {
 public:
  static Result<FolderLock> acquire(const std::filesystem::path& folder) {
    FolderLock lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (lock.descriptor_ >= 0) {
      if (::flock(lock.descriptor_, LOCK_EX) == 0) return {std::move(lock)};
      if (errno != EINTR) break;
    }
    return Error{ErrorCode::Unavailable, "cannot lock the folder " + folder.string() + ": " + std::strerror(errno)};
  }

  FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

constexpr char kBeginRead[] = "BEGIN";
constexpr char kBeginWrite[] = "BEGIN IMMEDIATE";
constexpr char kCommit[] = "COMMIT";

Error make_error(ErrorCode code, std::string message) { return {code, std::move(message)}; }

constexpr char kOwner[] = "SELECT name FROM instance";
constexpr char kInsertOwner[] = "INSERT INTO instance SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM instance)";

Result<std::optional<std::string>> read_owner(Database& database) {
  const ports::Call call;
  const auto reader = KBASE_TRY(database.read(call));
  Statement owner = reader->prepare(kOwner);
  const auto row = KBASE_TRY(owner.step());
  return row ? std::optional(std::string(owner.text(0))) : std::nullopt;
}

/// Records the owner unless another process has done it first; the caller reads back the result.
Status insert_owner(Database& database, std::string_view instance) {
  const ports::Call call;
  auto transaction = KBASE_TRY(database.write(call));
  KBASE_TRY(transaction->prepare(kInsertOwner).bind(instance).run());
  return transaction.commit();
}

}  // namespace

Database::Database(const Options& options, const Schema& schema, const ports::Clock& clock)
    : schema_(schema),
      migrations_(records::split_migrations(schema.sql)),
      file_(options.path.string()),
      clock_(clock),
      reader_cache_bytes_(options.readers_cache_bytes / std::max(1u, options.readers)),
      readers_(std::max(1u, options.readers),
               [this](const ports::Call&) { return connect(reader_cache_bytes_, IfMissing::Fail); }),
      writer_(1, [this, bytes = options.writer_cache_bytes](const ports::Call&) {
        return connect(bytes, IfMissing::Fail);
      }) {}

Result<std::unique_ptr<Database>> Database::open(const Options& options, const Schema& schema,
                                                 const ports::Clock& clock, Creator create_rows) {
  std::unique_ptr<Database> database(new Database(options, schema, clock));
  std::error_code failed;
  if (!std::filesystem::exists(options.path, failed)) {
    if (options.if_missing == IfMissing::Fail)
      return make_error(ErrorCode::NotFound, "there is no " + std::string(schema.noun) + " at " + database->file_);
    std::filesystem::create_directories(std::filesystem::absolute(options.path).parent_path(), failed);
    if (failed)
      return make_error(ErrorCode::Unavailable,
                        "cannot create the folder of " + database->file_ + ": " + failed.message());
  }
  auto connection = KBASE_TRY(database->connect(database->reader_cache_bytes_, options.if_missing));
  KBASE_TRY(database->prepare_schema(*connection, options.if_missing, create_rows));
  database->readers_.add(std::move(connection));
  return database;
}

/// Verifies that the file is a kbase file; migrates it to the newest version, or creates its tables. A lock on the
/// folder admits one process at a time: if two connections switch a file to WAL at the same time, SQLite fails one of
/// them at once instead of letting it wait.
Status Database::prepare_schema(Connection& connection, IfMissing if_missing, Creator create_rows) {
  const auto lock = KBASE_TRY(FolderLock::acquire(std::filesystem::absolute(file_).parent_path()));
  const auto version = KBASE_TRY(read_version(connection));
  if (version == newest_version()) return {};
  if (if_missing == IfMissing::Fail)
    return make_error(ErrorCode::NotFound, file_ + " is a " + std::string(schema_.noun) + " of version " +
                                               std::to_string(version) + ", but this kbase needs version " +
                                               std::to_string(newest_version()) +
                                               "; allow the migration (storage.config.if_missing: create)");
  // Both pragmas are stored in the file permanently. The first write fixes the page size, so the pragma must come
  // before it.
  if (auto wal = connection.execute("PRAGMA page_size = " + std::to_string(schema_.page_bytes) +
                                    "; PRAGMA journal_mode = WAL; " + kBeginWrite);
      !wal)
    return wal;
  Status migrated = migrate(connection, version, create_rows);
  if (migrated) migrated = connection.execute(kCommit);
  if (!migrated) connection.roll_back();
  return migrated;
}

Status Database::migrate(Connection& connection, std::int64_t version, Creator create_rows) {
  for (std::int64_t next = version; next < newest_version(); ++next)
    KBASE_TRY(connection.execute(migrations_[static_cast<std::size_t>(next)]));
  if (version == 0) {
    KBASE_TRY(create_rows(connection));
    created_ = true;
  }
  return connection.execute("PRAGMA application_id = " + std::to_string(schema_.application_id) +
                            "; PRAGMA user_version = " + std::to_string(newest_version()));
}

/// Returns the schema version; 0 for an empty file, which any program may use. Unsupported: see open().
Result<std::int64_t> Database::read_version(Connection& connection) const {
  const auto application = KBASE_TRY(connection.query_integer("PRAGMA application_id"));
  const auto version = KBASE_TRY(connection.query_integer("PRAGMA user_version"));
  const auto tables = KBASE_TRY(connection.query_integer("SELECT count(*) FROM sqlite_schema"));
  const std::string noun(schema_.noun);
  const bool is_empty = application == 0 && version == 0 && tables == 0;
  if (!is_empty && application != schema_.application_id)
    return make_error(ErrorCode::Unsupported,
                      file_ + " is a database of another program, not a " + noun + " of kbase; configure another file");
  if (version > newest_version())
    return make_error(ErrorCode::Unsupported,
                      file_ + " is a " + noun + " of version " + std::to_string(version) +
                          ", but this kbase reads versions up to " + std::to_string(newest_version()) +
                          "; run the newer kbase that wrote it, or configure a new file and import again");
  return version;
}

Result<std::unique_ptr<Connection>> Database::connect(std::size_t cache_bytes, IfMissing if_missing) {
  return Connection::open({file_, cache_bytes, schema_.busy, if_missing, schema_.erases}, clock_);
}

Result<PooledConnection> Database::read(const ports::Call& call) {
  KBASE_TRY(check_call(call, clock_));
  return acquire(false, call);
}

Result<Transaction> Database::snapshot(const ports::Call& call) {
  auto pooled = KBASE_TRY(read(call));
  return Transaction::begin(std::move(pooled), kBeginRead);
}

Result<Transaction> Database::write(const ports::Call& call) {
  auto pooled = KBASE_TRY(acquire(true, call));
  pooled->set_lock_timeout(lock_timeout(call));
  return Transaction::begin(std::move(pooled), kBeginWrite);
}

Result<PooledConnection> Database::acquire(bool for_write, const ports::Call& call) {
  return (for_write ? writer_ : readers_).acquire(call, lock_timeout(call), [&] {
    return busy_error(for_write, call);
  });
}

std::chrono::milliseconds Database::lock_timeout(const ports::Call& call) const {
  if (call.deadline == ports::Call::SteadyTime::max()) return kTimeout;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(call.deadline - clock_.steady());
  return std::clamp(left, std::chrono::milliseconds(0), kTimeout);
}

Error Database::busy_error(bool for_write, const ports::Call& call) const {
  if (call.cancelled()) return check_call(call, clock_).error();
  if (for_write) return translate_error({SQLITE_BUSY, 0, "another batch of this process is open"}, file_, schema_.busy);
  KBASE_TRY(check_call(call, clock_));
  return make_error(ErrorCode::Unavailable, "all read connections to " + file_ + " are busy; try again");
}

Status claim_instance(Database& database, std::string_view instance, std::string_view noun) {
  if (instance.empty()) return {};
  auto owner = read_owner(database);
  if (owner && !*owner) {
    KBASE_TRY(insert_owner(database, instance));
    owner = read_owner(database);
  }
  if (!owner) return owner.error();
  if (**owner == instance) return {};
  return Error{ErrorCode::Unsupported, database.file() + " is the " + std::string(noun) + " of the instance '" +
                                           **owner + "', but this configuration is for the instance '" +
                                           std::string(instance) + "'; set instance to '" + **owner +
                                           "', or configure another file"};
}

}  // namespace kbase::sqlite
