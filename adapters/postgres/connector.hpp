// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <string>

#include "adapters/postgres/location.hpp"
#include "adapters/postgres/session.hpp"
#include "ports/driven/random.hpp"

namespace kbase::postgres {

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
  model::Result<std::unique_ptr<Session>> connect(const ports::Call& call);

 private:
  model::Status gate();
  void note_failure(const model::Error& error);
  void note_success(std::size_t host);

  const Location location_;
  const ports::Clock& clock_;
  std::atomic<std::size_t> tried_first_{0};

  std::mutex mutex_;
  unsigned failures_ = 0;
  std::chrono::steady_clock::time_point closed_until_{};
  model::Error last_error_;
  std::minstd_rand jitter_;
};

}  // namespace kbase::postgres
