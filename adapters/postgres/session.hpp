// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/postgres/wire.hpp"
#include "adapters/records/rows.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

struct pg_conn;
namespace kbase::postgres {

/// Error that PostgreSQL or libpq reported.
struct DriverError {
  std::string_view sqlstate;  ///< five characters (PostgreSQL manual, appendix A); empty: the connection failed
  std::string_view text;      ///< contains no password: libpq never writes one into its messages
  std::string_view server;    ///< "host:port"
};

/// Maps an SQLSTATE to a kbase error. The only such mapping. The detail names the server; the message does not, because
/// clients can see it.
Error translate_error(const DriverError& driver_error);

// Timeouts and poll intervals of the adapter.

/// Interval for the wait for changes, which runs all the time and would otherwise poll 100 times a second.
inline constexpr std::chrono::milliseconds kSlowPollInterval{50};

/// Maximum wait for the writer or for a free connection; the deadline of the call can shorten it.
inline constexpr std::chrono::milliseconds kTimeout{5000};

/// Maximum silence of a server during a call without a deadline. After it the server counts as lost even though the
/// connection is open; nothing else would end the wait. Long enough for slow statements: a commit that waits for a slow
/// replica, or a sort of all counts. (A vanished machine breaks the connection far sooner.)
inline constexpr std::chrono::minutes kMaxSilence{2};

/// Returns Cancelled or Deadline if the call was cancelled or is past its deadline.
Status check_call(const ports::Call& call, const ports::Clock& clock);

/// Returns the end of a wait for the server that starts now: kMaxSilence from now, or never if the call has a deadline,
/// which then ends the wait.
std::chrono::steady_clock::time_point silence_deadline(const ports::Call& call, const ports::Clock& clock);

/// Returns `limit`, or the time until the deadline if that is shorter; never below 0.
std::chrono::milliseconds time_left(const ports::Call& call, const ports::Clock& clock,
                                    std::chrono::milliseconds limit = kTimeout);

using RowVisitor = FunctionRef<Result<Visit>(const Row&)>;

/// One connection with its prepared statements, used in nonblocking mode (libpq manual, chapter "Asynchronous Command
/// Processing"): every wait ends with the current call. Not thread-safe.
///
/// A call that is cancelled or reaches its deadline leaves its statement running. The session is then unusable; closing
/// it ends the statement, because the server checks the client's socket once a second
/// (client_connection_check_interval). PQcancel would need its own connection, and opening that has no timeout.
class Session {
 public:
  /// Connection parameters: libpq's keywords and their values.
  using Keywords = std::vector<std::pair<std::string, std::string>>;

  /// Opens a connection. `server` is the name in messages. `clock` must outlive the session. Unavailable: the server
  /// did not accept the connection, or not within `timeout`. (libpq applies its connect_timeout only in blocking
  /// calls.)
  static Result<std::unique_ptr<Session>> open(const Keywords& keywords, std::string server,
                                               std::chrono::milliseconds timeout, const ports::Call& call,
                                               const ports::Clock& clock);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Runs the statement `sql`, prepared on first use and cached by the address of `sql`: pass a constant.
  Result<QueryResult> query(const char* sql, const Parameters& parameters = {});

  /// Runs the statement and passes its rows to the visitor one by one, for results of any size. If the visitor stops,
  /// the call succeeds.
  Status stream(const char* sql, const Parameters& parameters, RowVisitor visitor);

  /// Runs a script of SQL statements without parameters, without the statement cache.
  Status execute(const std::string& script);
  /// Runs a statement as query() does and ignores its rows.
  Status run(const char* sql, const Parameters& parameters = {}) {
    KBASE_TRY(query(sql, parameters));
    return {};
  }

  /// Runs a statement that returns at most one row and converts it with `read`, which returns nullopt if the row is
  /// damaged. nullopt: there is no row.
  template <class Kind, class Read>
  Result<std::optional<Kind>> read_one(const char* sql, const Parameters& parameters, Read&& read) {
    const auto result = KBASE_TRY(query(sql, parameters));
    if (result.rows() == 0) return std::optional<Kind>();
    std::optional<Kind> row = read(result.row(0));
    if (!row) return corrupt_error("a row is damaged");
    return row;
  }

  /// Sends `rows` (see wire.hpp) with a COPY ... FROM STDIN (FORMAT binary).
  Status copy(const char* sql, std::string_view rows);

  /// Waits for a notification, for `limit` at the longest, and discards the notifications received. The call's deadline
  /// also ends the wait, without an error.
  Status await_notification(std::chrono::milliseconds limit);

  /// Sets the call that the next statements belong to. Null: no call.
  void set_call(const ports::Call* call) { call_ = call != nullptr ? call : &no_call_; }

  /// Whether the session can be reused: connected, and no statement in progress. Checks only the local socket.
  bool is_usable();
  /// Rolls back an open transaction. Returns whether the session can be used again.
  bool reset();
  bool is_connected() const;
  bool in_transaction() const;

  /// Returns a Corrupt error: a row holds a value that kbase never writes.
  Error corrupt_error(std::string_view what) const;

  /// Returns an Unavailable error: the user lacks rights.
  Error permission_error(std::string_view why) const;

  const std::string& server() const { return server_; }

 private:
  enum class Direction { Input, Output };
  enum class Delivery { Whole, RowByRow };

  Session(std::string server, const ports::Clock& clock) : server_(std::move(server)), clock_(clock) {}
  Status connect(const Keywords& keywords, std::chrono::milliseconds timeout);
  Result<const char*> prepare_statement(const char* sql, const Parameters& parameters);
  Status send(const char* sql, const Parameters& parameters, Delivery delivery);
  Status flush();
  Result<pg_result*> next_result();
  Result<QueryResult> read_result();
  void discard_results();
  Status wait(Direction direction, std::chrono::steady_clock::time_point until);
  Result<bool> is_ready(int events, std::chrono::steady_clock::time_point until);
  Error fail();
  Error statement_error(const pg_result* result) const;

  const std::string server_;
  const ports::Clock& clock_;
  const ports::Call no_call_;
  const ports::Call* call_ = &no_call_;
  pg_conn* connection_ = nullptr;
  bool is_broken_ = false;
  std::vector<std::pair<const char*, std::string>> prepared_;
};

/// Assigns a call to a session for the duration of a scope.
class CallScope {
 public:
  CallScope(Session& session, const ports::Call& call) : session_(session) { session_.set_call(&call); }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { session_.set_call(nullptr); }

 private:
  Session& session_;
};

using SummaryRow = records::SummaryRow<Row>;
using ItemRow = records::ItemRow<Row>;
using CategoryRow = records::CategoryRow<Row>;

/// Passes each row of the statement to the visitor until it returns Stop. `read` converts a row to a pointer to a Kind
/// or to an optional<Kind>, null if the row is damaged.
template <class Kind, class Read>
Status visit_rows(Session& session, const char* sql, const Parameters& parameters, Read&& read, Visitor<Kind> visitor) {
  return session.stream(sql, parameters, [&](const Row& row) -> Result<Visit> {
    const auto value = read(row);
    if (!value) return session.corrupt_error("a row is damaged");
    return visitor(*value);
  });
}

/// Passes the row of a statement that returns at most one row to the visitor. False: no row.
template <class Kind, class Read>
Result<bool> visit_one(Session& session, const char* sql, const Parameters& parameters, Read&& read,
                       Visitor<Kind> visitor) {
  bool found = false;
  const auto visited = visit_rows<Kind>(session, sql, parameters, read, [&](const Kind& row) {
    found = true;
    return visitor(row);
  });
  if (!visited) return visited.error();
  return found;
}

}  // namespace kbase::postgres
