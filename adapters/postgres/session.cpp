// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/session.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <optional>

namespace kbase::postgres {
namespace {

constexpr std::size_t kCopyPiece = 64 * 1024;

/// Maximum number of remaining results that are read and dropped after a visitor stops. If there are more, the
/// connection is closed.
constexpr int kDropped = 100;

/// Discards notices, which libpq prints to standard error by default, for example of a "ROLLBACK" outside of a
/// transaction.
void ignore_notice(void*, const pg_result*) {}

int milliseconds_until(std::chrono::steady_clock::time_point until, const ports::Clock& clock) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock.steady());
  return static_cast<int>(
      std::clamp<std::chrono::milliseconds>(left, std::chrono::milliseconds(0), kPollInterval).count());
}

}  // namespace

model::Result<std::unique_ptr<Session>> Session::open(const Keywords& keywords, std::string server,
                                                      std::chrono::milliseconds timeout, const ports::Call& call,
                                                      const ports::Clock& clock) {
  std::unique_ptr<Session> session(new Session(std::move(server), clock));
  const Serving serving(*session, call);
  if (const auto connected = session->connect(keywords, timeout); !connected) return connected.error();
  return session;
}

Session::~Session() {
  PQfinish(connection_);
}

model::Status Session::connect(const Keywords& keywords, std::chrono::milliseconds timeout) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : keywords) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = PQconnectStartParams(names.data(), values.data(), /*expand_dbname=*/0);
  if (connection_ == nullptr) return model::Error{model::ErrorCode::NoMemory, "no memory for a connection", {}, {}, {}};
  const auto until = clock_.steady() + timeout;
  // libpq manual: "Behave as if PQconnectPoll last returned PGRES_POLLING_WRITING" before the first call.
  for (auto polled = PGRES_POLLING_WRITING; polled != PGRES_POLLING_OK;) {
    if (polled == PGRES_POLLING_FAILED || PQstatus(connection_) == CONNECTION_BAD) return failed();
    if (clock_.steady() >= until) return error_of({{}, "it did not take the connection in time", server_});
    const auto ready = is_ready(polled == PGRES_POLLING_READING ? POLLIN : POLLOUT, until);
    if (!ready) return ready.error();
    // Call PQconnectPoll only if the socket is ready. Otherwise libpq writes to an unconnected socket and blocks inside
    // without a timeout.
    if (*ready) polled = PQconnectPoll(connection_);
  }
  PQsetNoticeReceiver(connection_, ignore_notice, nullptr);
  if (PQsetnonblocking(connection_, 1) != 0) return failed();
  return {};
}

model::Result<Answer> Session::ask(const char* sql, const Parameters& parameters) {
  if (auto sent = send(sql, parameters, Delivery::Whole); !sent) return sent.error();
  return finish();
}

model::Status Session::stream(const char* sql, const Parameters& parameters, RowVisitor visitor) {
  if (auto sent = send(sql, parameters, Delivery::RowByRow); !sent) return sent;
  for (;;) {
    const auto next = next_result();
    if (!next) return next.error();
    if (*next == nullptr) return {};
    const Answer answer(*next);
    if (PQresultStatus(answer.get()) == PGRES_TUPLES_OK) continue;  // empty result that ends the rows
    if (PQresultStatus(answer.get()) != PGRES_SINGLE_TUPLE) {
      const model::Error error = failed(answer.get());
      leave_results();
      return error;
    }
    const auto visited = visitor(answer.row(0));
    if (!visited || *visited == model::Visit::Stop) {
      leave_results();
      return visited ? model::Status() : visited.error();
    }
  }
}

model::Status Session::execute(const std::string& script) {
  if (PQsendQuery(connection_, script.c_str()) == 0) return failed();
  const auto answer = finish();
  return answer ? model::Status() : answer.error();
}

model::Status Session::copy(const char* sql, std::string_view rows) {
  if (PQsendQuery(connection_, sql) == 0) return failed();
  if (auto flushed = flush(); !flushed) return flushed;
  const auto begun = next_result();
  if (!begun) return begun.error();
  const Answer answer(*begun);
  if (PQresultStatus(answer.get()) != PGRES_COPY_IN) {
    const model::Error error = failed(answer.get());
    leave_results();
    return error;
  }
  const auto until = end_of_silence(*call_, clock_);
  while (!rows.empty()) {
    const std::string_view piece = rows.substr(0, kCopyPiece);
    const int taken = PQputCopyData(connection_, piece.data(), static_cast<int>(piece.size()));
    if (taken < 0) return failed();
    if (taken == 1) rows.remove_prefix(piece.size());
    if (taken == 0)
      if (auto waited = wait(Wanted::Output, until); !waited) return waited;
  }
  while (PQputCopyEnd(connection_, nullptr) == 0)
    if (auto waited = wait(Wanted::Output, until); !waited) return waited;
  const auto ended = finish();
  return ended ? model::Status() : ended.error();
}

model::Status Session::await_notification(std::chrono::milliseconds most) {
  const auto forget_all = [this] {
    bool is_any = false;
    while (pgNotify* const notification = PQnotifies(connection_)) {
      PQfreemem(notification);
      is_any = true;
    }
    return is_any;
  };
  const auto until = clock_.steady() + most;
  // Count the time of poll() as well, because a test clock can stand still.
  for (auto left = most; left > left.zero() && !forget_all(); left -= kSlowPollInterval) {
    if (call_->cancelled()) return still_wanted(*call_, clock_);
    if (!still_wanted(*call_, clock_) || clock_.steady() >= until) return {};
    pollfd socket{PQsocket(connection_), POLLIN, 0};
    ::poll(&socket, 1, static_cast<int>(kSlowPollInterval.count()));
    if (PQconsumeInput(connection_) == 0) return failed();
  }
  return {};
}

/// Returns the name of the prepared statement of `sql`; prepares it on first use.
model::Result<const char*> Session::prepared(const char* sql, const Parameters& parameters) {
  for (const auto& [known, name] : prepared_)
    if (known == sql) return name.c_str();
  std::string name = "kbase" + std::to_string(prepared_.size());
  const Parameters::Arrays arrays = parameters.arrays();
  if (PQsendPrepare(connection_, name.c_str(), sql, parameters.count(), arrays.types.data()) == 0) return failed();
  if (const auto answer = finish(); !answer) return answer.error();
  return prepared_.emplace_back(sql, std::move(name)).second.c_str();
}

model::Status Session::send(const char* sql, const Parameters& parameters, Delivery delivery) {
  if (auto wanted = still_wanted(*call_, clock_); !wanted) return wanted;
  const auto name = prepared(sql, parameters);
  if (!name) return name.error();
  const Parameters::Arrays arrays = parameters.arrays();
  if (PQsendQueryPrepared(connection_, *name, parameters.count(), arrays.values.data(), arrays.lengths.data(),
                          arrays.formats.data(), /*resultFormat=*/1) == 0)
    return failed();
  if (delivery == Delivery::RowByRow) PQsetSingleRowMode(connection_);
  return flush();
}

model::Status Session::flush() {
  const auto until = end_of_silence(*call_, clock_);
  for (;;) {
    const int left = PQflush(connection_);
    if (left < 0) return failed();
    if (left == 0) return {};
    if (auto waited = wait(Wanted::Output, until); !waited) return waited;
  }
}

/// Returns null after the last result of the statement.
model::Result<pg_result*> Session::next_result() {
  const auto until = end_of_silence(*call_, clock_);
  while (PQisBusy(connection_) != 0)
    if (auto waited = wait(Wanted::Input, until); !waited) return waited.error();
  return PQgetResult(connection_);
}

/// Returns the last result of the statements sent, or the first error.
model::Result<Answer> Session::finish() {
  if (auto flushed = flush(); !flushed) return flushed.error();
  Answer last(nullptr);
  std::optional<model::Error> failure;
  for (;;) {
    const auto next = next_result();
    if (!next) return next.error();
    if (*next == nullptr) break;
    last = Answer(*next);
    const ExecStatusType status = PQresultStatus(*next);
    if (!failure && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY)
      failure = failed(*next);
    if (status == PGRES_COPY_IN) PQputCopyEnd(connection_, "nothing is to be copied");
  }
  if (failure) return *failure;
  if (last.get() == nullptr) return failed();
  return last;
}

void Session::leave_results() {
  for (int dropped = 0; dropped < kDropped; ++dropped) {
    const auto next = next_result();
    if (!next) break;
    if (*next == nullptr) return;
    PQclear(*next);
  }
  is_spent_ = true;
}

/// Waits until the socket is ready, at most kPollInterval. Fails if the call was cancelled or is past its deadline, or
/// at `until`.
model::Status Session::wait(Wanted wanted, std::chrono::steady_clock::time_point until) {
  if (clock_.steady() >= until) {
    is_spent_ = true;
    return error_of({{}, "it owes an answer and is silent", server_});
  }
  // Read input also while waiting for output: the server may be blocked until its own output is read.
  const auto ready = is_ready(wanted == Wanted::Input ? POLLIN : POLLIN | POLLOUT, until);
  if (!ready) return ready.error();
  if (*ready && PQconsumeInput(connection_) == 0) return failed();
  return {};
}

/// Waits for one of the events, until `until` and at most kPollInterval, and returns whether it occurred. Fails if the
/// call was cancelled or is past its deadline.
model::Result<bool> Session::is_ready(int events, std::chrono::steady_clock::time_point until) {
  if (auto still = still_wanted(*call_, clock_); !still) {
    is_spent_ = true;
    return still.error();
  }
  pollfd socket{PQsocket(connection_), static_cast<short>(events), 0};
  const int ready = ::poll(&socket, 1, milliseconds_until(std::min(until, call_->deadline), clock_));
  if (ready < 0 && errno != EINTR) return failed();
  return ready > 0;
}

bool Session::is_connected() const {
  return !is_spent_ && PQstatus(connection_) == CONNECTION_OK;
}

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

model::Error Session::corrupt(std::string_view what) const {
  return error_of({"XX001", what, server_});
}

model::Error Session::refused(std::string_view why) const {
  return error_of({"42501", why, server_});
}

/// Returns the error of the connection and marks the session unusable.
model::Error Session::failed() {
  is_spent_ = true;
  return error_of({{}, PQerrorMessage(connection_), server_});
}

model::Error Session::failed(const pg_result* result) const {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return error_of({state != nullptr ? state : "", text != nullptr ? text : PQresultErrorMessage(result), server_});
}

}  // namespace kbase::postgres
