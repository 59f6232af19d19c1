// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Views of one item on one UTC day.
struct ViewIncrement {
  std::string_view item;
  model::Day day;
  std::uint64_t views = 0;
};

/// Counted views of one item, in a range of days or in total.
struct ItemViews {
  std::string_view item;
  std::uint64_t views = 0;
};

struct DayViews {
  model::Day day;
  std::uint64_t views = 0;
};

/// 128 random bits that identify a journal of view increments.
using JournalId = std::array<std::uint8_t, 16>;

/// The last sequence of a journal that a store has applied.
struct JournalMark {
  JournalId journal{};
  std::uint64_t sequence = 0;
};

/// Stores the counted views by item and UTC day. Item ids are not checked against an ItemStore: views of a removed item
/// remain and count again if the item returns.
///
/// Thread-safety: any thread, concurrent calls allowed. Errors: see ItemStore.
/// Contract suite: plugins/conformance/activity_store_suite.
class ActivityStore {
 public:
  virtual ~ActivityStore() = default;

  /// Adds all `increments` atomically and durably. In the same transaction, the store records `sequence` as the last
  /// one of `journal`. A `sequence` that is not above the recorded one changes nothing and succeeds. A caller that did
  /// not receive the result, or was killed before, can therefore repeat the call.
  virtual Status add(Call& call, const JournalId& journal, std::uint64_t sequence,
                     std::span<const ViewIncrement> increments) = 0;

  /// Replaces all counted days of `item` with `days`. Used to import an exported activity line.
  virtual Status set(Call& call, std::string_view item, std::span<const DayViews> days) = 0;

  /// Grows with each `add` or `set` that changes something.
  virtual Result<model::ViewsRevision> revision(Call& call) = 0;

  /// Visits the total views of each item that changed after `after` (0: of each item with views). Returns the revision
  /// that the visited state corresponds to.
  virtual Result<model::ViewsRevision> totals(Call& call, model::ViewsRevision after, Visitor<ItemViews> visitor) = 0;

  /// Visits the items with views from `first` to `last` (both inclusive), by descending views, then by id.
  virtual Status top(Call& call, model::Day first, model::Day last, Visitor<ItemViews> visitor) = 0;

  /// Visits the total views of all items for each day from `first` to `last` that has any, oldest first.
  virtual Status daily(Call& call, model::Day first, model::Day last, Visitor<DayViews> visitor) = 0;

  /// Visits all counts, by item id, then by day.
  virtual Status days(Call& call, Visitor<ViewIncrement> visitor) = 0;

  /// Visits all journals, then all counts in the order of `days`, from one snapshot of the store. A caller that
  /// continues from the journal marks neither loses nor duplicates a view. A visitor that stops ends the call.
  /// Unsupported: the store does not expose its journals; nothing was visited.
  virtual Status snapshot(Call& call, Visitor<JournalMark> journals, Visitor<ViewIncrement> counts) = 0;
};

}  // namespace kbase::ports
