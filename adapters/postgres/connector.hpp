// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/session.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::postgres {

/// Address of the database: libpq's connection string, split so that each of several hosts gets its own timeout. (libpq
/// applies its timeout only in its blocking calls.)
struct Location {
  /// Keywords for one candidate server.
  struct Host {
    std::string name;  ///< "host:port", for messages
    Session::Keywords keywords;
  };

  std::vector<Host> hosts;            ///< in the order of the string; at least one
  std::chrono::milliseconds timeout;  ///< connect timeout per host

  /// Parses a connection string, `keyword=value ...` or `postgres://...`. A non-empty `password` replaces the one in
  /// the string. Missing values come from libpq's environment (PGHOST, PGSSLMODE ...). Defaults unless the string sets
  /// them: target_session_attrs is read-write, so that a replica is never used as the primary; keepalive and timeout
  /// settings detect a vanished server within half a minute.
  /// InvalidArgument (`url`): the message repeats no part of the string, which can contain a password.
  static Result<Location> parse(const std::string& url, const std::string& password);
};

/// Opens connections to the first host that accepts one. It tries the host of the last success first. If the deadline
/// of a call ends the attempt at a host, the next call starts with the next host: calls with short deadlines would
/// otherwise never get past a dead host. After all hosts have failed, it pauses before the next attempt, and calls fail
/// at once during the pause. The pause doubles each time and has random jitter, so that all servers do not reconnect at
/// the same moment. Thread-safe.
class Connector {
 public:
  /// `clock` must outlive the connector; `random` is not kept.
  Connector(Location location, const ports::Clock& clock, ports::Random& random);

  /// Unavailable: no host accepted the connection, or the pause after a failure has not ended (`retry_after` is set).
  Result<std::unique_ptr<Session>> connect(const ports::Call& call);

 private:
  Status check_pause();
  void record_failure(const Error& error);
  void record_success(std::size_t host);

  const Location location_;
  const ports::Clock& clock_;
  std::atomic<std::size_t> first_host_{0};

  std::mutex mutex_;
  unsigned failures_ = 0;
  std::chrono::steady_clock::time_point paused_until_{};
  Error last_error_;
  std::minstd_rand jitter_;
};

}  // namespace kbase::postgres
