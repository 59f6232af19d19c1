// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <semaphore>

#include "adapters/postgres/schema.hpp"
#include "adapters/postgres/session.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::postgres {

/// Values of the column `kind` of the table tombstones.
enum class TombstoneKind : std::int16_t { Item = 0, Category = 1 };

inline constexpr std::chrono::days kTombstoneRetention{30};

/// Implements ItemStore::changes in a transaction that reads one state. Returns the newest commit of that state.
Result<schema::Commit> emit_changes(Session& snapshot, model::Instant now, model::Revision after,
                                    ports::ChangeVisitor visitor);

class Database;

/// Waits for commits on its own connection, opened by the first wait and reopened after a failure. A notification
/// (NOTIFY) wakes it. It also polls once a second, because a lost connection can lose a notification.
///
/// Thread-safety: any thread; concurrent calls run one after another.
class ChangeListener {
 public:
  /// `database` must outlive the listener.
  explicit ChangeListener(Database& database) : database_(database) {}

  /// Implements ItemStore::wait.
  Status wait(const ports::Call& call, model::Revision after);

 private:
  Status listen(const ports::Call& call);
  Status wait_for_commit(const ports::Call& call, model::Revision after);

  Database& database_;
  // Not a timed mutex: the thread sanitizer of GCC 12 does not intercept its lock function (pthread_mutex_clocklock).
  std::binary_semaphore semaphore_{1};
  std::unique_ptr<Session> session_;
};

}  // namespace kbase::postgres
