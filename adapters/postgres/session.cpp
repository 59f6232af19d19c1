// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/session.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>

#include "adapters/base/waiting.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

struct ErrorMapping {
  std::string_view state;  ///< an SQLSTATE or a prefix of one (its class)
  ErrorCode code;
  const char* message;
};

/// The first matching entry applies. Errors of refused connections are missing: libpq reports only their text, without
/// an SQLSTATE.
constexpr std::array kErrorMappings{
    ErrorMapping{"53100", ErrorCode::Unavailable,
                 "no space left on the database's disk; free disk space and try again"},
    ErrorMapping{"53200", ErrorCode::NoMemory, "the database does not have enough memory"},
    ErrorMapping{"53", ErrorCode::Unavailable,
                 "the database has not enough resources (for example connections or disk space)"},
    ErrorMapping{"55P03", ErrorCode::Conflict, "another process held a lock in the database for too long; try again"},
    ErrorMapping{"57014", ErrorCode::Deadline, "the database cancelled the statement (see its statement_timeout)"},
    ErrorMapping{"57P0", ErrorCode::Unavailable, "the database ended the connection"},
    ErrorMapping{"57", ErrorCode::Unavailable, "an administrator stopped the database or the statement"},
    ErrorMapping{"08", ErrorCode::Unavailable, "the connection to the database failed"},
    ErrorMapping{"25006", ErrorCode::Unavailable,
                 "the database does not accept writes; it is a replica or is set to read-only"},
    ErrorMapping{"25P03", ErrorCode::Unavailable, "the database ended a batch that was idle for too long"},
    ErrorMapping{"40", ErrorCode::Unavailable,
                 "the database rolled back the transaction because of a conflict with another one; try again"},
    ErrorMapping{"42501", ErrorCode::Unavailable,
                 "the database user lacks privileges; make it the owner of the schema, or grant it USAGE on the schema "
                 "and SELECT, "
                 "INSERT, UPDATE and DELETE on its tables"},
    ErrorMapping{"54", ErrorCode::InvalidArgument, "a text is longer than PostgreSQL can store (1 GB)"},
    ErrorMapping{"58", ErrorCode::Unavailable, "the database cannot read or write its files"},
    ErrorMapping{"XX001", ErrorCode::Corrupt, "the database is damaged; restore it from a backup"},
    ErrorMapping{"XX002", ErrorCode::Corrupt, "an index of the database is damaged; run REINDEX DATABASE"},
    ErrorMapping{"42P01", ErrorCode::Corrupt, "a table of the store is missing; restore the schema from a backup"},
    ErrorMapping{"42703", ErrorCode::Corrupt, "a column of the store is missing; restore the schema from a backup"},
};

/// Joins the lines of a message: libpq writes one line per address of a host, and hints on separate lines.
std::string join_lines(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::string_view next = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(next.size() + 1, text.size()));
    const std::string_view words = next.substr(std::min(next.find_first_not_of(" \t"), next.size()));
    if (!words.empty()) line.append(line.empty() ? "" : "; ").append(words);
  }
  return line;
}

constexpr std::size_t kCopyPiece = 64 * 1024;

/// Maximum number of remaining results that are read and dropped after a visitor stops. If there are more, the
/// connection is closed.
constexpr int kMaxDiscarded = 100;

/// Discards notices, which libpq prints to standard error by default, for example of a "ROLLBACK" outside of a
/// transaction.
void ignore_notice(void*, const pg_result*) {}

int milliseconds_until(std::chrono::steady_clock::time_point until, const ports::Clock& clock) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock.steady());
  return static_cast<int>(
      std::clamp<std::chrono::milliseconds>(left, std::chrono::milliseconds(0), waiting::kPollInterval).count());
}

}  // namespace

Error translate_error(const DriverError& driver_error) {
  Error error{ErrorCode::Internal, "an SQL statement failed"};
  if (driver_error.sqlstate.empty()) {
    error.code = ErrorCode::Unavailable;
    error.message = "the database does not respond";
  }
  for (const ErrorMapping& mapping : kErrorMappings)
    if (driver_error.sqlstate.starts_with(mapping.state)) {
      error.code = mapping.code;
      error.message = mapping.message;
      break;
    }
  error.detail = "PostgreSQL at " + std::string(driver_error.server) + ": " + join_lines(driver_error.text);
  if (!driver_error.sqlstate.empty()) error.detail += " (SQLSTATE " + std::string(driver_error.sqlstate) + ')';
  return error;
}

Status check_call(const ports::Call& call, const ports::Clock& clock) {
  if (call.cancelled()) return Error{ErrorCode::Cancelled, "the request was cancelled"};
  if (call.deadline != ports::Call::SteadyTime::max() && clock.steady() >= call.deadline)
    return Error{ErrorCode::Deadline, "the store did not respond in time"};
  return {};
}

std::chrono::steady_clock::time_point silence_deadline(const ports::Call& call, const ports::Clock& clock) {
  const bool ends = call.deadline != ports::Call::SteadyTime::max();
  return ends ? ports::Call::SteadyTime::max() : clock.steady() + kMaxSilence;
}

std::chrono::milliseconds time_left(const ports::Call& call, const ports::Clock& clock,
                                    std::chrono::milliseconds limit) {
  if (call.deadline == ports::Call::SteadyTime::max()) return limit;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(call.deadline - clock.steady());
  return std::clamp(left, std::chrono::milliseconds(0), limit);
}

Result<std::unique_ptr<Session>> Session::open(const Keywords& keywords, std::string server,
                                               std::chrono::milliseconds timeout, const ports::Call& call,
                                               const ports::Clock& clock) {
  std::unique_ptr<Session> session(new Session(std::move(server), clock));
  const CallScope scope(*session, call);
  KBASE_TRY(session->connect(keywords, timeout));
  return session;
}

Session::~Session() { PQfinish(connection_); }

Status Session::connect(const Keywords& keywords, std::chrono::milliseconds timeout) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : keywords) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = PQconnectStartParams(names.data(), values.data(), /*expand_dbname=*/0);
  if (connection_ == nullptr) return Error{ErrorCode::NoMemory, "not enough memory for a database connection"};
  const auto until = clock_.steady() + timeout;
  // libpq manual: "Behave as if PQconnectPoll last returned PGRES_POLLING_WRITING" before the first call.
  for (auto polled = PGRES_POLLING_WRITING; polled != PGRES_POLLING_OK;) {
    if (polled == PGRES_POLLING_FAILED || PQstatus(connection_) == CONNECTION_BAD) return fail();
    if (clock_.steady() >= until) return translate_error({{}, "it did not accept the connection in time", server_});
    const auto ready = KBASE_TRY(is_ready(polled == PGRES_POLLING_READING ? POLLIN : POLLOUT, until));
    // Call PQconnectPoll only if the socket is ready. Otherwise libpq writes to an unconnected socket and blocks inside
    // without a timeout.
    if (ready) polled = PQconnectPoll(connection_);
  }
  PQsetNoticeReceiver(connection_, ignore_notice, nullptr);
  if (PQsetnonblocking(connection_, 1) != 0) return fail();
  return {};
}

Result<QueryResult> Session::query(const char* sql, const Parameters& parameters) {
  KBASE_TRY(send(sql, parameters, Delivery::Whole));
  return read_result();
}

Status Session::stream(const char* sql, const Parameters& parameters, RowVisitor visitor) {
  KBASE_TRY(send(sql, parameters, Delivery::RowByRow));
  for (;;) {
    const auto next = KBASE_TRY(next_result());
    if (next == nullptr) return {};
    const QueryResult result(next);
    if (PQresultStatus(result.get()) == PGRES_TUPLES_OK) continue;  // empty result that ends the rows
    if (PQresultStatus(result.get()) != PGRES_SINGLE_TUPLE) {
      const Error error = statement_error(result.get());
      discard_results();
      return error;
    }
    const auto visited = visitor(result.row(0));
    if (!visited || *visited == Visit::Stop) {
      discard_results();
      return visited ? Status() : visited.error();
    }
  }
}

Status Session::execute(const std::string& script) {
  if (PQsendQuery(connection_, script.c_str()) == 0) return fail();
  const auto result = read_result();
  return result ? Status() : result.error();
}

Status Session::copy(const char* sql, std::string_view rows) {
  if (PQsendQuery(connection_, sql) == 0) return fail();
  KBASE_TRY(flush());
  const auto begun = KBASE_TRY(next_result());
  const QueryResult result(begun);
  if (PQresultStatus(result.get()) != PGRES_COPY_IN) {
    const Error error = statement_error(result.get());
    discard_results();
    return error;
  }
  const auto until = silence_deadline(*call_, clock_);
  while (!rows.empty()) {
    const std::string_view piece = rows.substr(0, kCopyPiece);
    const int accepted = PQputCopyData(connection_, piece.data(), static_cast<int>(piece.size()));
    if (accepted < 0) return fail();
    if (accepted == 1) rows.remove_prefix(piece.size());
    if (accepted == 0) KBASE_TRY(wait(Direction::Output, until));
  }
  while (PQputCopyEnd(connection_, nullptr) == 0) KBASE_TRY(wait(Direction::Output, until));
  const auto copied = read_result();
  return copied ? Status() : copied.error();
}

Status Session::await_notification(std::chrono::milliseconds limit) {
  const auto discard_notifications = [this] {
    bool is_any = false;
    while (pgNotify* const notification = PQnotifies(connection_)) {
      PQfreemem(notification);
      is_any = true;
    }
    return is_any;
  };
  const auto until = clock_.steady() + limit;
  // Count the time of poll() as well, because a test clock can stand still.
  for (auto left = limit; left > left.zero() && !discard_notifications(); left -= kSlowPollInterval) {
    if (call_->cancelled()) return check_call(*call_, clock_);
    if (!check_call(*call_, clock_) || clock_.steady() >= until) return {};
    pollfd socket{PQsocket(connection_), POLLIN, 0};
    ::poll(&socket, 1, static_cast<int>(kSlowPollInterval.count()));
    if (PQconsumeInput(connection_) == 0) return fail();
  }
  return {};
}

/// Returns the name of the prepared statement of `sql`; prepares it on first use.
Result<const char*> Session::prepare_statement(const char* sql, const Parameters& parameters) {
  for (const auto& [known, name] : prepared_)
    if (known == sql) return name.c_str();
  std::string name = "kbase" + std::to_string(prepared_.size());
  const Parameters::Arrays arrays = parameters.arrays();
  if (PQsendPrepare(connection_, name.c_str(), sql, parameters.count(), arrays.types.data()) == 0) return fail();
  KBASE_TRY(read_result());
  return prepared_.emplace_back(sql, std::move(name)).second.c_str();
}

Status Session::send(const char* sql, const Parameters& parameters, Delivery delivery) {
  KBASE_TRY(check_call(*call_, clock_));
  const auto name = KBASE_TRY(prepare_statement(sql, parameters));
  const Parameters::Arrays arrays = parameters.arrays();
  if (PQsendQueryPrepared(connection_, name, parameters.count(), arrays.values.data(), arrays.lengths.data(),
                          arrays.formats.data(), /*resultFormat=*/1) == 0)
    return fail();
  if (delivery == Delivery::RowByRow) PQsetSingleRowMode(connection_);
  return flush();
}

Status Session::flush() {
  const auto until = silence_deadline(*call_, clock_);
  for (;;) {
    const int left = PQflush(connection_);
    if (left < 0) return fail();
    if (left == 0) return {};
    KBASE_TRY(wait(Direction::Output, until));
  }
}

/// Returns null after the last result of the statement.
Result<pg_result*> Session::next_result() {
  const auto until = silence_deadline(*call_, clock_);
  while (PQisBusy(connection_) != 0) KBASE_TRY(wait(Direction::Input, until));
  return PQgetResult(connection_);
}

/// Returns the last result of the statements sent, or the first error.
Result<QueryResult> Session::read_result() {
  KBASE_TRY(flush());
  QueryResult last(nullptr);
  std::optional<Error> driver_error;
  for (;;) {
    const auto next = KBASE_TRY(next_result());
    if (next == nullptr) break;
    last = QueryResult(next);
    const ExecStatusType status = PQresultStatus(next);
    if (!driver_error && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY)
      driver_error = statement_error(next);
    if (status == PGRES_COPY_IN) PQputCopyEnd(connection_, "there is nothing to copy");
  }
  if (driver_error) return *driver_error;
  if (last.get() == nullptr) return fail();
  return last;
}

void Session::discard_results() {
  for (int discarded = 0; discarded < kMaxDiscarded; ++discarded) {
    const auto next = next_result();
    if (!next) break;
    if (*next == nullptr) return;
    PQclear(*next);
  }
  is_broken_ = true;
}

/// Waits until the socket is ready, at most waiting::kPollInterval. Fails if the call was cancelled or is past its
/// deadline, or at `until`.
Status Session::wait(Direction direction, std::chrono::steady_clock::time_point until) {
  if (clock_.steady() >= until) {
    is_broken_ = true;
    return translate_error({{}, "it did not respond for too long", server_});
  }
  // Read input also while waiting for output: the server may be blocked until its own output is read.
  const auto ready = KBASE_TRY(is_ready(direction == Direction::Input ? POLLIN : POLLIN | POLLOUT, until));
  if (ready && PQconsumeInput(connection_) == 0) return fail();
  return {};
}

/// Waits for one of the events, until `until` and at most waiting::kPollInterval, and returns whether it occurred.
/// Fails if the call was cancelled or is past its deadline.
Result<bool> Session::is_ready(int events, std::chrono::steady_clock::time_point until) {
  if (auto active = check_call(*call_, clock_); !active) {
    is_broken_ = true;
    return active.error();
  }
  pollfd socket{PQsocket(connection_), static_cast<short>(events), 0};
  const int ready = ::poll(&socket, 1, milliseconds_until(std::min(until, call_->deadline), clock_));
  if (ready < 0 && errno != EINTR) return fail();
  return ready > 0;
}

bool Session::is_connected() const { return !is_broken_ && PQstatus(connection_) == CONNECTION_OK; }

bool Session::is_usable() {
  if (!is_connected() || PQtransactionStatus(connection_) == PQTRANS_ACTIVE) return false;
  // A server that shuts down sends the reason before it closes the connection, so read everything up to a possible end
  // of file.
  pollfd socket{PQsocket(connection_), POLLIN, 0};
  while (::poll(&socket, 1, 0) > 0)
    if (PQconsumeInput(connection_) == 0 || PQstatus(connection_) != CONNECTION_OK) return false;
  return true;
}

bool Session::in_transaction() const {
  const PGTransactionStatusType status = PQtransactionStatus(connection_);
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

bool Session::reset() {
  if (is_connected() && in_transaction()) {
    // If the rollback takes too long, the connection is closed, which also ends the transaction.
    ports::Call call;
    call.deadline = clock_.steady() + std::chrono::seconds(2);
    const CallScope scope(*this, call);
    [[maybe_unused]] const auto rollback = execute("ROLLBACK");
  }
  return is_usable() && !in_transaction();
}

Error Session::corrupt_error(std::string_view what) const { return translate_error({"XX001", what, server_}); }

Error Session::permission_error(std::string_view why) const { return translate_error({"42501", why, server_}); }

/// Returns the error of the connection and marks the session unusable.
Error Session::fail() {
  is_broken_ = true;
  return translate_error({{}, PQerrorMessage(connection_), server_});
}

Error Session::statement_error(const pg_result* result) const {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return translate_error(
      {state != nullptr ? state : "", text != nullptr ? text : PQresultErrorMessage(result), server_});
}

}  // namespace kbase::postgres
