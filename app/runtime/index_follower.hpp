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

/// Keeps an index equal to its store by the changes feed (architecture: data flow 1). One thread at a time.
class IndexFollower {
 public:
  enum class Outcome { UpToDate, Updated, Rebuilt };

  /// Why an index has to be built anew.
  struct Reason {
    std::string_view what;  ///< "it ..."; lives as long as the program
    std::string cause;      ///< what was found, for the log; may be empty
  };

  /// Told what goes on, by the thread that follows.
  struct Listener {
    std::function<void(std::uint64_t records)> on_progress;  ///< that a batch has taken so far
    std::function<void(const Reason& reason)> on_rebuild;    ///< as it begins
  };

  /// All outlive the follower. `lease`: the right to feed the index, where several servers share it; null: they don't.
  IndexFollower(ports::ItemStore& items, ports::SearchIndex& index, Listener listener = {},
                FeedingLease* lease = nullptr)
      : items_(items), index_(index), listener_(std::move(listener)), lease_(lease) {}

  /// Applies what changed since the index's revision as one batch; builds the index anew where it has no whole state
  /// nor one that a batch would make whole, belongs to another store, is ahead of it, or fell behind the feed's memory.
  /// Conflict: another process feeds this index, and will bring it up to date.
  model::Result<Outcome> follow(ports::Call& call);

  /// Builds the index anew, whatever it holds; the old state answers until the new one is whole.
  model::Status rebuild(ports::Call& call);

  /// The store's revision when it was last looked at.
  model::Revision seen() const { return seen_; }

 private:
  /// What there is to do.
  struct Work {
    bool is_none = false;
    std::optional<Reason> rebuild{};  ///< why; none: an update is enough
    bool may_update = false;          ///< an update is to be tried first
    model::Revision after = 0;        ///< of an update
  };
  /// The turn to feed the index. Null: nobody else may.
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
