// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "adapters/postgres/schema.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::postgres {

/// Values of the column `kind` of the table tombstones.
enum class TombstoneKind : std::int16_t { Item = 0, Category = 1 };

inline constexpr std::chrono::days kTombstonesLive{30};

/// Implements ItemStore::changes in a transaction that reads one state. Returns the newest commit of that state.
model::Result<schema::Commit> tell_changes(Session& snapshot, model::Instant now, model::Revision after,
                                           ports::ChangeVisitor visitor);

}  // namespace kbase::postgres
