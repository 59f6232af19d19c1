// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/postgres/error.hpp"
#include "adapters/postgres/parameters.hpp"
#include "adapters/postgres/row.hpp"
#include "adapters/postgres/timeout.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"

struct pg_conn;

namespace kbase::postgres {

using RowVisitor = model::FunctionRef<model::Result<model::Visit>(const Row&)>;

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
  static model::Result<std::unique_ptr<Session>> open(const Keywords& keywords, std::string server,
                                                      std::chrono::milliseconds timeout, const ports::Call& call,
                                                      const ports::Clock& clock);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Runs the statement `sql`, prepared on first use and cached by the address of `sql`: pass a constant.
  model::Result<Answer> ask(const char* sql, const Parameters& parameters = {});

  /// Runs the statement and passes its rows to the visitor one by one, for results of any size. If the visitor stops,
  /// the call succeeds.
  model::Status stream(const char* sql, const Parameters& parameters, RowVisitor visitor);

  /// Runs a script of SQL statements without parameters, without the statement cache.
  model::Status execute(const std::string& script);

  /// Sends `rows` (see copy_rows.hpp) with a COPY ... FROM STDIN (FORMAT binary).
  model::Status copy(const char* sql, std::string_view rows);

  /// Waits for a notification, for `most` at the longest, and discards the notifications received. The call's deadline
  /// also ends the wait, without an error.
  model::Status await_notification(std::chrono::milliseconds most);

  /// Sets the call that the next statements belong to. Null: no call.
  void serve(const ports::Call* call) { call_ = call != nullptr ? call : &nobody_; }

  /// Whether the session can be reused: connected, and no statement in progress. Checks only the local socket.
  bool is_usable();
  bool is_connected() const;
  bool in_transaction() const;

  /// Returns a Corrupt error: a row holds a value that kbase never writes.
  model::Error corrupt(std::string_view what) const;

  /// Returns an Unavailable error: the user lacks rights.
  model::Error refused(std::string_view why) const;

  const std::string& server() const { return server_; }

 private:
  enum class Wanted { Input, Output };
  enum class Delivery { Whole, RowByRow };

  Session(std::string server, const ports::Clock& clock) : server_(std::move(server)), clock_(clock) {}
  model::Status connect(const Keywords& keywords, std::chrono::milliseconds timeout);
  model::Result<const char*> prepared(const char* sql, const Parameters& parameters);
  model::Status send(const char* sql, const Parameters& parameters, Delivery delivery);
  model::Status flush();
  model::Result<pg_result*> next_result();
  model::Result<Answer> finish();
  void leave_results();
  model::Status wait(Wanted wanted, std::chrono::steady_clock::time_point until);
  model::Result<bool> is_ready(int events, std::chrono::steady_clock::time_point until);
  model::Error failed();
  model::Error failed(const pg_result* result) const;

  const std::string server_;
  const ports::Clock& clock_;
  const ports::Call nobody_;
  const ports::Call* call_ = &nobody_;
  pg_conn* connection_ = nullptr;
  bool is_spent_ = false;
  std::vector<std::pair<const char*, std::string>> prepared_;
};

/// Assigns a call to a session for the duration of a scope.
class Serving {
 public:
  Serving(Session& session, const ports::Call& call) : session_(session) { session_.serve(&call); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  ~Serving() { session_.serve(nullptr); }

 private:
  Session& session_;
};

}  // namespace kbase::postgres
