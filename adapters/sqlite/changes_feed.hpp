// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/sqlite/connection.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::sqlite {

/// Retention of tombstones. A commit deletes the tombstones that are older.
inline constexpr std::chrono::days kTombstoneRetention{30};

/// Kinds of tombstones, as stored in content.db.
enum class TombstoneKind : std::int64_t { Item = 0, Category = 1 };

/// Implements ItemStore::changes on a connection with an open transaction.
Result<model::Revision> emit_changes(Connection& snapshot, model::Instant now, model::Revision after,
                                     ports::ChangeVisitor visitor);

}  // namespace kbase::sqlite
