// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/database.hpp"

#include <sqlite3.h>

#include <cerrno>

#include "adapters/fts5/extension.hpp"

namespace kbase::fts5 {
namespace {

constexpr int kBusyMs = 5000;

model::ErrorCode code_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return model::ErrorCode::Corrupt;
    case SQLITE_NOMEM:
      return model::ErrorCode::NoMemory;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      return model::ErrorCode::Unavailable;
    case SQLITE_INTERRUPT:
      return model::ErrorCode::Cancelled;
    default:
      return model::ErrorCode::Internal;
  }
}

/// A full disk reaches SQLite as an I/O error where it writes without extending a file.
bool is_full(sqlite3* db, int code) {
  if ((code & 0xFF) == SQLITE_FULL) return true;
  return (code & 0xFF) == SQLITE_IOERR && db != nullptr && sqlite3_system_errno(db) == ENOSPC;
}

}  // namespace

model::Error failure(sqlite3* db, int code, std::string_view doing) {
  model::Error error;
  error.code = code_of(code);
  error.message = is_full(db, code) ? "No space is left to write the search index: free some on its disk and try again."
                                    : "The search index cannot be used at the moment.";
  error.detail = std::string(doing) + ": " + (db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code)) + " (SQLite " +
                 std::to_string(code) + ")";
  return error;
}

void Statement::Deleter::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::bind(int index, std::string_view text) {
  const char* data = text.data() == nullptr ? "" : text.data();
  sqlite3_bind_text64(handle(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int index, std::int64_t number) {
  sqlite3_bind_int64(handle(), index, number);
  return *this;
}

Statement& Statement::bind_pointer(int index, void* pointer, const char* type) {
  sqlite3_bind_pointer(handle(), index, pointer, type, nullptr);
  return *this;
}

model::Result<bool> Statement::step() {
  const int code = sqlite3_step(handle());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(sqlite3_db_handle(handle()), code, sqlite3_sql(handle()));
}

model::Status Statement::run() {
  for (;;) {
    const model::Result<bool> row = step();
    if (row && *row) continue;
    reset();
    return row ? model::Status() : model::Status(row.error());
  }
}

void Statement::reset() {
  sqlite3_reset(handle());
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(handle(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle(), column);
}

std::string_view Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_column_bytes(handle(), column))};
}

void Database::Deleter::operator()(sqlite3* db) const {
  sqlite3_close(db);
}

model::Result<Database> Database::open(const std::filesystem::path& file, Mode mode) {
  const int flags = mode == Mode::Create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database;
  database.db_.reset(db);
  if (code != SQLITE_OK) return failure(db, code, "open " + file.string());
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, kBusyMs);
  if (const int registered = register_extension(db); registered != SQLITE_OK)
    return failure(db, registered, "register the tokenizer");
  if (mode == Mode::Read)
    if (const model::Status status = database.execute("PRAGMA query_only = 1"); !status) return status.error();
  return database;
}

model::Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(handle(), code, sql);
  return {};
}

model::Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code =
      sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  Statement statement;
  statement.statement_.reset(raw);
  if (code != SQLITE_OK) return failure(handle(), code, sql);
  return statement;
}

model::Result<std::int64_t> Database::number(std::string_view sql) {
  model::Result<Statement> statement = prepare(sql);
  if (!statement) return statement.error();
  const model::Result<bool> row = statement->step();
  if (!row) return row.error();
  return *row ? statement->number(0) : 0;
}

}  // namespace kbase::fts5
