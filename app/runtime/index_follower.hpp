// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "domain/model/result.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::runtime {

/// Keeps an index equal to its store by the changes feed (architecture: data flow 1). One thread at a time.
class IndexFollower {
 public:
  enum class Outcome { UpToDate, Updated, Rebuilt };

  /// Both outlive the follower. `progress` is told how many records a batch has taken so far.
  IndexFollower(ports::ItemStore& items, ports::SearchIndex& index,
                std::function<void(std::uint64_t records)> progress = {})
      : items_(items), index_(index), progress_(std::move(progress)) {}

  /// Applies what changed since the index's revision as one batch; builds the index anew where it has no whole state,
  /// belongs to another store, is ahead of it, or fell behind the feed's memory.
  /// Conflict: another process feeds this index, and will bring it up to date.
  model::Result<Outcome> follow(ports::Call& call);

  /// Builds the index anew, whatever it holds; the old state answers until the new one is whole.
  model::Status rebuild(ports::Call& call);

 private:
  model::Status apply(ports::Call& call, ports::SearchIndex::Build build, model::Revision after);

  ports::ItemStore& items_;
  ports::SearchIndex& index_;
  std::function<void(std::uint64_t)> progress_;
};

}  // namespace kbase::runtime
