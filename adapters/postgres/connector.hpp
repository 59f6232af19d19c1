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

/// Makes connections to whichever of the hosts takes them, the last one that did first. Where a call's time ends at a
/// host, the next call begins with the one after it: calls of little time would never get past a host that is dead.
/// After a failure of all it waits before the next try, twice as long each time and never the same on two servers, and
/// says so meanwhile at once: a database that comes back is not met by everybody in the same moment. Any thread.
class Connector {
 public:
  /// `clock` outlives the connector; `random` is not kept.
  Connector(Location location, const ports::Clock& clock, ports::Random& random);

  /// Unavailable: no host takes the connection, or is asked for one yet.
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
