// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace kbase::sqlite {

/// Error for a file whose write lock is held by another process.
struct BusyError {
  ErrorCode code = ErrorCode::Unavailable;
  std::string_view reason;  ///< "another import is running"
};

/// Error that SQLite reported for one file.
struct DriverError {
  int code = 0;          ///< an extended result code (sqlite.org/rescode.html)
  int system_error = 0;  ///< errno of an I/O error; 0: unknown
  std::string_view text;
};

/// Maps an SQLite result code to a kbase error. The only such mapping. The message names the remedy; the detail names
/// `file` and the result code. Messages that clients can see (Unavailable, NoMemory) do not name the file, except that
/// of a busy file.
Error translate_error(const DriverError& driver_error, std::string_view file, const BusyError& busy);

/// Action of an open on a missing file or a file of an older version: create or migrate it, or fail.
enum class IfMissing { Create, Fail };

/// Encoding of a list of strings in one column, readable without a copy: each string follows its length in bytes as
/// LEB128 (seven bits per byte, low bits first, the high bit set on all bytes except the last; DWARF 5, section 7.6).
namespace text_list {

/// Replaces the content of `packed`.
void pack(model::TextList list, std::vector<std::uint8_t>& packed);

/// Replaces the content of `list` by views into `packed`. False: the bytes are not a valid list.
[[nodiscard]] bool unpack(std::span<const std::uint8_t> packed, std::vector<std::string_view>& list);

}  // namespace text_list

/// Clamps a count or revision to the largest signed 64-bit integer, the largest that SQLite can store.
inline std::uint64_t storable(std::uint64_t number) {
  return std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max());
}

using Bytes = std::span<const std::uint8_t>;

class Connection;

/// Maximum wait for the writer or for a free connection; the deadline of the call can shorten it.
inline constexpr std::chrono::milliseconds kTimeout{5000};

/// One use of a prepared statement that its connection caches. Bound values are not copied: they must stay valid until
/// the next run or the end of the use. Values of a row are valid until the next step. The first step reports errors of
/// preparing and binding.
class Statement {
 public:
  Statement(Connection& connection, sqlite3_stmt* statement, int code)
      : connection_(&connection), statement_(statement), code_(code) {}
  Statement(Statement&& other) noexcept
      : connection_(other.connection_), statement_(std::exchange(other.statement_, nullptr)), code_(other.code_) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Binds all parameters, the first to ?1.
  template <class... Values> Statement& bind(const Values&... values) & {
    int index = 0;
    (bind_at(++index, values), ...);
    return *this;
  }
  template <class... Values> Statement&& bind(const Values&... values) && { return std::move(bind(values...)); }

  /// Moves to the next row. False: no more rows.
  Result<bool> step();

  /// Runs the statement to completion, ignores its rows and resets it for the next bind.
  Status run();

  /// Columns are numbered from 0. Views are valid until the next step.
  std::int64_t integer(int column) const;
  std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  std::string_view text(int column) const;
  Bytes bytes(int column) const;
  bool list(int column, std::vector<std::string_view>& list) const { return text_list::unpack(bytes(column), list); }
  bool is_null(int column) const;
  model::Day day(int column) const { return model::Day(std::chrono::days(integer(column))); }
  model::Instant instant(int column) const { return model::Instant(std::chrono::milliseconds(integer(column))); }

  /// Returns a Corrupt error: a row holds a value that kbase never writes.
  Error corrupt(std::string_view what) const;

 private:
  void bind_at(int index, std::int64_t value);
  void bind_at(int index, std::string_view value);
  void bind_at(int index, Bytes value);
  void bind_at(int index, std::nullopt_t);
  void bind_at(int index, std::uint64_t value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, model::Day value) {
    bind_at(index, static_cast<std::int64_t>(value.time_since_epoch().count()));
  }
  void bind_at(int index, model::Instant value) {
    bind_at(index, static_cast<std::int64_t>(value.time_since_epoch().count()));
  }
  template <class T> void bind_at(int index, const std::optional<T>& value) {
    value ? bind_at(index, *value) : bind_at(index, std::nullopt);
  }

  Connection* connection_;
  sqlite3_stmt* statement_;
  int code_;  // first error of preparing or binding
};

/// A connection to one file, with its cache of prepared statements. Not thread-safe.
class Connection {
 public:
  struct Options {
    std::string file;
    std::size_t cache_bytes = 0;  ///< limit of SQLite's page cache of this connection; the cache grows with use
    BusyError busy;
    IfMissing if_missing = IfMissing::Fail;
    /// Whether deleted rows are overwritten, so that the file does not contain them any longer
    /// (sqlite.org/pragma.html#pragma_secure_delete). The log, a second file, contains them until it is overwritten.
    bool erases = false;
  };

  /// `clock` must outlive the connection.
  static Result<std::unique_ptr<Connection>> open(const Options& options, const ports::Clock& clock);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Returns the statement of `sql`, prepared on first use and cached by the address of `sql`: pass a constant. Only
  /// one use at a time.
  Statement prepare(const char* sql);

  /// Runs a script of SQL statements, without the statement cache.
  Status execute(const std::string& script);

  /// Returns the first column of the first row as an integer, 0 if there is no row. Does not use the statement cache.
  Result<std::int64_t> query_integer(const char* query);

  /// Number of rows that the last statement inserted, updated or deleted.
  std::int64_t changed_rows() const;

  /// Sets the call that the next statements belong to. They fail with Cancelled or Deadline when the call is cancelled
  /// or past its deadline. Null: no call, no limit.
  void set_call(const ports::Call* call) { call_ = call; }

  /// Sets how long a statement waits for the lock of another process. Default: kTimeout.
  void set_lock_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  /// Copies the write-ahead log into the file and truncates the log, as far as open read transactions allow.
  Status checkpoint();

  /// Frees the page cache.
  void release_memory();

  /// Rolls back the open transaction, if there is one.
  void roll_back();

  // See Pool and Transaction.
  static bool is_usable() { return true; }
  bool reset() {
    roll_back();
    return true;
  }
  Status run(const char* sql) { return prepare(sql).run(); }

  const std::string& file() const { return options_.file; }
  Error error(int code) const;

 private:
  Connection(Options options, const ports::Clock& clock) : options_(std::move(options)), clock_(clock) {}
  Status configure();
  int read_system_error(int code) const;
  static int check_call_callback(void* connection);
  static int wait_for_lock(void* connection, int waits);

  Options options_;
  const ports::Clock& clock_;
  sqlite3* handle_ = nullptr;
  const ports::Call* call_ = nullptr;
  std::chrono::milliseconds timeout_ = kTimeout;
  std::vector<std::pair<const char*, sqlite3_stmt*>> statements_;
};

/// Returns Cancelled or Deadline if the call was cancelled or is past its deadline.
Status check_call(const ports::Call& call, const ports::Clock& clock);

/// Assigns a call to a connection for the duration of a scope.
class CallScope {
 public:
  CallScope(Connection& connection, const ports::Call& call) : connection_(connection) { connection_.set_call(&call); }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { connection_.set_call(nullptr); }

 private:
  Connection& connection_;
};

}  // namespace kbase::sqlite
