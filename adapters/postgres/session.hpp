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

/// One connection with its prepared statements, spoken to without blocking (libpq's chapter "Asynchronous Command
/// Processing"): every wait ends with the call that the session serves. One thread at a time.
///
/// A call that gives up leaves its statement running: the session is then spent, and closing it ends the statement, as
/// the server looks for its client once a second (client_connection_check_interval). PQcancel would do the same with a
/// connection of its own, whose making nothing bounds.
class Session {
 public:
  /// What the connection is opened with: libpq's keywords and their values.
  using Keywords = std::vector<std::pair<std::string, std::string>>;

  /// `server` is how messages call it. `clock` outlives the session. Fails with Unavailable where nothing answers in
  /// `timeout`, which libpq's own connect_timeout does not bound here.
  static model::Result<std::unique_ptr<Session>> open(const Keywords& keywords, std::string server,
                                                      std::chrono::milliseconds timeout, const ports::Call& call,
                                                      const ports::Clock& clock);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Runs the statement of `sql`, a constant whose address is its name; prepared at its first use.
  model::Result<Answer> ask(const char* sql, const Parameters& parameters = {});

  /// The same row by row, however many there are. A visitor that stops ends the call without an error.
  model::Status stream(const char* sql, const Parameters& parameters, RowVisitor visitor);

  /// Runs a script of statements without parameters, which is not kept.
  model::Status execute(const std::string& script);

  /// Sends `rows`, which copy_rows.hpp made, by a COPY ... FROM STDIN (FORMAT binary).
  model::Status copy(const char* sql, std::string_view rows);

  /// Waits for a notification, at most `most`; those that came are forgotten. The call's deadline ends it too, and that
  /// is no failure.
  model::Status await_notification(std::chrono::milliseconds most);

  /// Whose call the statements work for from now on. Null: nobody's.
  void serve(const ports::Call* call) { call_ = call != nullptr ? call : &nobody_; }

  /// Whether it can be used again: connected, with no statement under way. Asks the socket alone.
  bool is_usable();
  bool is_connected() const;
  bool in_transaction() const;

  /// Corrupt: a row holds what nobody wrote there.
  model::Error corrupt(std::string_view what) const;

  /// Unavailable: the user lacks rights.
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

/// Makes a session serve a call for the length of a scope.
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
