// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/connection.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

namespace kbase::sqlite {
namespace {

/// SQLite maps only ENOSPC to SQLITE_FULL; it reports an exceeded disk quota or file size limit as an I/O error.
bool is_full(const DriverError& driver_error) {
  if ((driver_error.code & 0xFF) == SQLITE_FULL) return true;
  return (driver_error.code & 0xFF) == SQLITE_IOERR &&
         (driver_error.system_error == ENOSPC || driver_error.system_error == EDQUOT ||
          driver_error.system_error == EFBIG);
}

std::string error_reason(const DriverError& driver_error) {
  return driver_error.system_error != 0 ? std::strerror(driver_error.system_error) : std::string(driver_error.text);
}

std::string_view permission_hint(const DriverError& driver_error) {
  const bool is_forbidden = driver_error.system_error == EACCES || driver_error.system_error == EROFS;
  return is_forbidden ? "; give the user that runs kbase permission to read and write the folder and its files" : "";
}

Error make_error(ErrorCode code, std::string message) { return {code, std::move(message)}; }

/// Messages that clients can see (Unavailable, NoMemory) name no file, except that of a locked file. translate_error()
/// adds the file to the detail, which the log and the command line print.
Error translate(const DriverError& driver_error, const std::string& file, const BusyError& busy) {
  if (is_full(driver_error))
    return make_error(ErrorCode::Unavailable, "no space left to write the store; free disk space and try again");
  switch (driver_error.code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return make_error(busy.code, std::string(busy.reason) + " (" + file + " is locked); try again when it has ended");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return make_error(
          ErrorCode::Corrupt,
          file +
              " is damaged or is not an SQLite database; restore it from a backup, or move it away and import again");
    case SQLITE_READONLY:
      return make_error(ErrorCode::Unsupported, file + " is read-only; give the user that runs kbase write permission");
    case SQLITE_NOMEM: return make_error(ErrorCode::NoMemory, "not enough memory to read or write the store");
    case SQLITE_TOOBIG:
      return make_error(ErrorCode::InvalidArgument, "a text is longer than " + file + " can store (1 GB)");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return make_error(ErrorCode::Unavailable,
                        "cannot open the store: " + error_reason(driver_error).append(permission_hint(driver_error)));
    case SQLITE_IOERR:
      return make_error(ErrorCode::Unavailable, "cannot read or write the store: " + error_reason(driver_error));
    default: return make_error(ErrorCode::Internal, "an SQL statement on " + file + " failed");
  }
}

/// Instructions of SQLite's virtual machine between two checks of the call: about 50 µs of work.
constexpr int kStepsPerCheck = 1000;

/// Pause between two attempts to acquire a lock.
constexpr std::chrono::milliseconds kLockPause{2};

/// Maximum wait of a checkpoint for readers of an older state. A later checkpoint truncates the rest.
constexpr std::chrono::milliseconds kCheckpointTimeout{100};

Error call_error(const ports::Call& call) {
  if (call.cancelled()) return {ErrorCode::Cancelled, "the request was cancelled"};
  return {ErrorCode::Deadline, "the store did not respond in time"};
}

/// Returns the errno behind SQLITE_CANTOPEN. When SQLite cannot open a file for writing, it retries read-only and
/// reports the errno of the retry: ENOENT for a file that it could not create. So this function checks the folder
/// itself.
int folder_errno(const std::string& file, int reported) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? reported : errno;
}

bool is_call_over(const ports::Call& call, const ports::Clock& clock) {
  return call.cancelled() || (call.deadline != ports::Call::SteadyTime::max() && clock.steady() >= call.deadline);
}

}  // namespace

Error translate_error(const DriverError& driver_error, std::string_view file, const BusyError& busy) {
  Error error = translate(driver_error, std::string(file), busy);
  error.detail =
      std::string(file) + ": " + std::string(driver_error.text) + " (SQLite " + std::to_string(driver_error.code) +
      (driver_error.system_error != 0 ? std::string(", ") + std::strerror(driver_error.system_error) : "") + ")";
  return error;
}

namespace text_list {

void pack(model::TextList list, std::vector<std::uint8_t>& packed) {
  packed.clear();
  for (const std::string_view text : list) {
    std::size_t length = text.size();
    for (; length >= 0x80; length >>= 7) packed.push_back(static_cast<std::uint8_t>(length | 0x80));
    packed.push_back(static_cast<std::uint8_t>(length));
    packed.insert(packed.end(), text.begin(), text.end());
  }
}

bool unpack(std::span<const std::uint8_t> packed, std::vector<std::string_view>& list) {
  list.clear();
  for (std::size_t at = 0; at < packed.size();) {
    std::uint64_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at == packed.size() || shift > 56) return false;
      const std::uint8_t byte = packed[at++];
      length |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    if (length > packed.size() - at) return false;
    list.emplace_back(reinterpret_cast<const char*>(packed.data() + at), static_cast<std::size_t>(length));
    at += static_cast<std::size_t>(length);
  }
  return true;
}

}  // namespace text_list

Status check_call(const ports::Call& call, const ports::Clock& clock) {
  if (is_call_over(call, clock)) return call_error(call);
  return {};
}

Statement::~Statement() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

Result<bool> Statement::step() {
  if (code_ == SQLITE_OK) {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    code_ = code;
  }
  return connection_->error(code_);
}

Status Statement::run() {
  Result<bool> row = step();
  while (row && *row) row = step();
  if (!row) return row.error();
  sqlite3_reset(statement_);
  return {};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Statement::text(int column) const {
  const auto* start = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (start == nullptr) return {};
  return {start, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Bytes Statement::bytes(int column) const {
  const auto* start = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  return {start, start == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

Error Statement::corrupt(std::string_view what) const {
  return translate_error({SQLITE_CORRUPT, 0, what}, connection_->file(), {});
}

void Statement::bind_at(int index, std::int64_t value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_int64(statement_, index, value);
}

void Statement::bind_at(int index, std::string_view value) {
  const char* start = value.data() != nullptr ? value.data() : "";  // a null pointer would bind NULL
  if (code_ == SQLITE_OK)
    code_ = sqlite3_bind_text64(statement_, index, start, value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind_at(int index, Bytes value) {
  const void* start = value.data() != nullptr ? static_cast<const void*>(value.data()) : "";
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_blob64(statement_, index, start, value.size(), SQLITE_STATIC);
}

void Statement::bind_at(int index, std::nullopt_t) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_null(statement_, index);
}

Result<std::unique_ptr<Connection>> Connection::open(const Options& options, const ports::Clock& clock) {
  // SQLite's memory statistics are not used here, and they acquire a process-wide lock at each allocation.
  [[maybe_unused]] static const int uncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  std::unique_ptr<Connection> connection(new Connection(options, clock));
  // A connection is used by one thread at a time, so it does not need SQLite's own mutex.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (options.if_missing == IfMissing::Create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(options.file.c_str(), &connection->handle_, flags, nullptr);
  if (code != SQLITE_OK) return connection->error(code);
  KBASE_TRY(connection->configure());
  return connection;
}

Status Connection::configure() {
  sqlite3_busy_handler(handle_, &Connection::wait_for_lock, this);
  sqlite3_progress_handler(handle_, kStepsPerCheck, &Connection::check_call_callback, this);
  // No memory map: its pages would count as memory of this process, beyond any cache size. secure_delete, which is
  // Debian's default, writes each freed page once more.
  return execute("PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA secure_delete = " +
                 std::string(options_.erases ? "ON" : "OFF") + "; PRAGMA cache_size = -" +
                 std::to_string(options_.cache_bytes / 1024));
}

Connection::~Connection() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

int Connection::check_call_callback(void* connection) {
  const auto* self = static_cast<const Connection*>(connection);
  return self->call_ != nullptr && is_call_over(*self->call_, self->clock_) ? 1 : 0;
}

/// Replaces SQLite's own busy handler, which would keep sleeping after the call was cancelled.
int Connection::wait_for_lock(void* connection, int waits) {
  const auto* self = static_cast<const Connection*>(connection);
  if (self->call_ != nullptr && self->call_->cancelled()) return 0;
  if (waits * kLockPause >= self->timeout_) return 0;
  sqlite3_sleep(static_cast<int>(kLockPause.count()));
  return 1;
}

Statement Connection::prepare(const char* sql) {
  for (const auto& [known, statement] : statements_)
    if (known == sql) return {*this, statement, SQLITE_OK};
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code == SQLITE_OK) statements_.emplace_back(sql, statement);
  return {*this, statement, code};
}

Status Connection::execute(const std::string& script) {
  if (const int code = sqlite3_exec(handle_, script.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK)
    return error(code);
  return {};
}

Result<std::int64_t> Connection::query_integer(const char* query) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(handle_, query, -1, &statement, nullptr);
  if (code != SQLITE_OK) return error(code);
  code = sqlite3_step(statement);
  const std::int64_t answer = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    const Error failed = error(code);
    sqlite3_finalize(statement);
    return failed;
  }
  sqlite3_finalize(statement);
  return answer;
}

std::int64_t Connection::changed_rows() const { return sqlite3_changes64(handle_); }

Status Connection::checkpoint() {
  set_lock_timeout(kCheckpointTimeout);
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code != SQLITE_OK && (code & 0xFF) != SQLITE_BUSY) return error(code);
  return {};
}

void Connection::release_memory() { sqlite3_db_release_memory(handle_); }

void Connection::roll_back() {
  if (sqlite3_get_autocommit(handle_) == 0) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

/// SQLite never clears the last errno; it is meaningful only after an I/O error.
int Connection::read_system_error(int code) const {
  const int reported = sqlite3_system_errno(handle_);
  if ((code & 0xFF) == SQLITE_CANTOPEN) return folder_errno(options_.file, reported);
  return (code & 0xFF) == SQLITE_IOERR ? reported : 0;
}

Error Connection::error(int code) const {
  if ((code & 0xFF) == SQLITE_INTERRUPT && call_ != nullptr) return call_error(*call_);
  if ((code & 0xFF) == SQLITE_BUSY && call_ != nullptr && call_->cancelled()) return call_error(*call_);
  if (handle_ == nullptr) return translate_error({code, 0, sqlite3_errstr(code)}, options_.file, options_.busy);
  return translate_error({code, read_system_error(code), sqlite3_errmsg(handle_)}, options_.file, options_.busy);
}

}  // namespace kbase::sqlite
