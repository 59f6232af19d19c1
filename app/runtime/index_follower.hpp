// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/runtime/feeding_lease.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::runtime {

/// Keeps an index equal to its store by reading the change feed (architecture: data flow 1). Not thread-safe.
class IndexFollower {
 public:
  enum class Outcome { UpToDate, Updated, Rebuilt };

  /// Why an index must be rebuilt.
  struct Reason {
    std::string_view what;  ///< continues "the index ..."; static string
    std::string cause;      ///< error detail for the log; may be empty
  };

  /// Callbacks, called by the thread that follows.
  struct Listener {
    std::function<void(std::uint64_t records)> on_progress;  ///< records of the current batch so far
    std::function<void(const Reason& reason)> on_rebuild;    ///< at the start of a rebuild
  };

  /// All arguments must outlive the follower. `lease`: the lease to write a shared index; null: the index is not
  /// shared.
  IndexFollower(ports::ItemStore& items, ports::SearchIndex& index, Listener listener = {},
                FeedingLease* lease = nullptr)
      : items_(items), index_(index), listener_(std::move(listener)), lease_(lease) {}

  /// Applies the changes since the index's revision as one batch. Rebuilds the index if it is incomplete and a batch
  /// cannot complete it, belongs to another store, is ahead of the store, or is older than the feed's history. Error:
  /// Conflict if another process is writing the index; that process brings it up to date.
  model::Result<Outcome> follow(ports::Call& call);

  /// Rebuilds the index unconditionally. Searches use the old state until the new one is complete.
  model::Status rebuild(ports::Call& call);

  /// Returns the store's revision as last read.
  model::Revision seen() const { return seen_; }

 private:
  /// The work to do.
  struct Work {
    bool is_none = false;
    std::optional<Reason> rebuild{};  ///< reason for a rebuild; nullopt: an update is enough
    bool may_update = false;          ///< try an update first
    model::Revision after = 0;        ///< start revision of an update
  };
  /// The held lease. Null: the index is not shared.
  using Turn = std::unique_ptr<FeedingLease::Hold>;

  model::Result<Work> look(ports::Call& call);
  model::Result<Turn> take_turn(ports::Call& call);
  Reason why_incomplete(ports::Call& call);
  model::Result<Outcome> update(ports::Call& call, const Turn& turn, const Work& work);
  model::Result<Outcome> rebuild_since(ports::Call& call, const Turn& turn, const Reason& reason);
  model::Status apply(ports::Call& call, const Turn& turn, ports::SearchIndex::Build build, model::Revision after,
                      const Reason& reason = {});

  ports::ItemStore& items_;
  ports::SearchIndex& index_;
  Listener listener_;
  FeedingLease* const lease_;
  model::Revision seen_ = 0;
};

}  // namespace kbase::runtime
