// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/sqlite/connection.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::sqlite {

/// Tombstones are dropped, by the first commit, when they are older than this.
inline constexpr std::chrono::days kTombstonesLive{30};

/// The kinds of tombstones, as content.db stores them.
enum class TombstoneKind : std::int64_t { Item = 0, Category = 1 };

/// ItemStore::changes on a connection with an open transaction.
model::Result<model::Revision> tell_changes(Connection& snapshot, model::Instant now, model::Revision after,
                                            ports::ChangeVisitor visitor);

}  // namespace kbase::sqlite
