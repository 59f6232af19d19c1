// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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

  /// Both outlive the follower.
  IndexFollower(ports::ItemStore& items, ports::SearchIndex& index, Listener listener = {})
      : items_(items), index_(index), listener_(std::move(listener)) {}

  /// Applies what changed since the index's revision as one batch; builds the index anew where it has no whole state,
  /// belongs to another store, is ahead of it, or fell behind the feed's memory.
  /// Conflict: another process feeds this index, and will bring it up to date.
  model::Result<Outcome> follow(ports::Call& call);

  /// Builds the index anew, whatever it holds; the old state answers until the new one is whole.
  model::Status rebuild(ports::Call& call);

 private:
  Reason why_incomplete(ports::Call& call);
  model::Result<Outcome> rebuild_since(ports::Call& call, const Reason& reason);
  model::Status apply(ports::Call& call, ports::SearchIndex::Build build, model::Revision after,
                      const Reason& reason = {});

  ports::ItemStore& items_;
  ports::SearchIndex& index_;
  Listener listener_;
};

}  // namespace kbase::runtime
