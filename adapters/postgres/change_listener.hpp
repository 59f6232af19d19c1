// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <semaphore>

#include "adapters/postgres/session.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/call.hpp"

namespace kbase::postgres {

class Database;

/// Waits for commits on a connection of its own, made at the first wait and anew after a failure. A notification
/// (NOTIFY) wakes it; each second it looks by itself, as one may be lost with a connection.
///
/// Thread-safety: any thread, one at a time; the next one waits for its turn.
class ChangeListener {
 public:
  /// `database` outlives the listener.
  explicit ChangeListener(Database& database) : database_(database) {}

  /// ItemStore::wait.
  model::Status wait(const ports::Call& call, model::Revision after);

 private:
  model::Status listen(const ports::Call& call);
  model::Status wait_listening(const ports::Call& call, model::Revision after);

  Database& database_;
  // Not a timed mutex: GCC 12's thread sanitizer does not see how that is locked (pthread_mutex_clocklock).
  std::binary_semaphore turn_{1};
  std::unique_ptr<Session> session_;
};

}  // namespace kbase::postgres
