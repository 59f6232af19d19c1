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

#include "adapters/sqlite/error.hpp"
#include "adapters/sqlite/if_missing.hpp"
#include "adapters/sqlite/text_list.hpp"
#include "domain/model/day.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace kbase::sqlite {

/// SQLite's integers are signed: the nearest one to a count or revision that a caller asks for.
inline std::uint64_t storable(std::uint64_t number) {
  return std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max());
}

using Bytes = std::span<const std::uint8_t>;

class Connection;

/// How long a call waits for a writer or for a free connection, where its deadline does not come first.
inline constexpr std::chrono::milliseconds kTimeout{5000};

/// One use of a prepared statement that its connection keeps. What is bound is a loan until the next run or the end of
/// the use; what a row lends is good until the next step. Errors of binding and preparing show at the first step.
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
  template <class... Values>
  Statement& bind(const Values&... values) & {
    int index = 0;
    (bind_at(++index, values), ...);
    return *this;
  }
  template <class... Values>
  Statement&& bind(const Values&... values) && {
    return std::move(bind(values...));
  }

  /// Goes to the next row. False: there is none.
  model::Result<bool> step();

  /// Runs a statement whose rows do not matter to its end, ready for the next bind.
  model::Status run();

  /// Columns count from 0.
  std::int64_t integer(int column) const;
  std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  std::string_view text(int column) const;
  Bytes bytes(int column) const;
  bool list(int column, std::vector<std::string_view>& list) const { return text_list::unpack(bytes(column), list); }
  bool is_null(int column) const;
  model::Day day(int column) const { return model::Day(std::chrono::days(integer(column))); }
  model::Instant instant(int column) const { return model::Instant(std::chrono::milliseconds(integer(column))); }

  /// Corrupt: a row holds what nobody wrote there.
  model::Error corrupt(std::string_view what) const;

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
  template <class T>
  void bind_at(int index, const std::optional<T>& value) {
    value ? bind_at(index, *value) : bind_at(index, std::nullopt);
  }

  Connection* connection_;
  sqlite3_stmt* statement_;
  int code_;  // the first error of preparing and binding
};

/// A connection to one file with its prepared statements. One thread at a time.
class Connection {
 public:
  struct Options {
    std::string file;
    std::size_t cache_bytes = 0;  ///< SQLite's page cache of this connection; grows up to it with use
    BusyText busy;
    IfMissing if_missing = IfMissing::Fail;
  };

  /// `clock` outlives the connection.
  static model::Result<std::unique_ptr<Connection>> open(const Options& options, const ports::Clock& clock);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// The statement of `sql`, a constant whose address is its name; prepared once. One use at a time.
  Statement use(const char* sql);

  /// Runs a script, which is not kept.
  model::Status execute(const std::string& script);

  /// The first column of the first row of a query, which is not kept.
  model::Result<std::int64_t> ask(const char* query);

  /// Rows that the last statement inserted, changed or deleted.
  std::int64_t changed_rows() const;

  /// Whose call the statements work for from now on; they fail with Cancelled or Deadline when it gives up. Null:
  /// nobody's.
  void serve(const ports::Call* call) { call_ = call; }

  /// How long a statement waits for the lock of another process; kTimeout at first.
  void wait_at_most(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  /// Copies the write-ahead log into the file and truncates it, as far as readers let it.
  model::Status checkpoint();

  /// Gives the page cache back.
  void release_memory();

  /// Ends an open transaction without a trace; with none it does nothing.
  void roll_back();

  const std::string& file() const { return options_.file; }
  model::Error error(int code) const;

 private:
  Connection(Options options, const ports::Clock& clock) : options_(std::move(options)), clock_(clock) {}
  model::Status configure();
  int system_error_of(int code) const;
  static int look_at_call(void* connection);
  static int wait_for_lock(void* connection, int waits);

  Options options_;
  const ports::Clock& clock_;
  sqlite3* handle_ = nullptr;
  const ports::Call* call_ = nullptr;
  std::chrono::milliseconds timeout_ = kTimeout;
  std::vector<std::pair<const char*, sqlite3_stmt*>> statements_;
};

/// Cancelled or Deadline where the caller has given up already.
model::Status still_wanted(const ports::Call& call, const ports::Clock& clock);

/// Makes a connection serve a call for the length of a scope.
class Serving {
 public:
  Serving(Connection& connection, const ports::Call& call) : connection_(connection) { connection_.serve(&call); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  ~Serving() { connection_.serve(nullptr); }

 private:
  Connection& connection_;
};

}  // namespace kbase::sqlite
