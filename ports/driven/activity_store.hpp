// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "domain/model/day.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Views of one item on one UTC day.
struct ViewIncrement {
  std::string_view item;
  model::Day day;
  std::uint64_t views = 0;
};

/// Counted views of an item over some span of days, or over all.
struct ItemViews {
  std::string_view item;
  std::uint64_t views = 0;
};

struct DayViews {
  model::Day day;
  std::uint64_t views = 0;
};

/// 128 random bits that name the journal whose increments a store was given.
using JournalId = std::array<std::uint8_t, 16>;

/// How far a store was told of a journal.
struct JournalMark {
  JournalId journal{};
  std::uint64_t sequence = 0;  ///< the last one
};

/// The counted views, by item and UTC day. Item ids are not checked against an ItemStore: views of an item that is
/// gone stay, and count again when it comes back.
///
/// Thread-safety: any thread, any number at a time. Errors: as ItemStore.
/// Contract suite: plugins/conformance/activity_store_suite.
class ActivityStore {
 public:
  virtual ~ActivityStore() = default;

  /// Adds `increments` all together or not at all, durably. The store remembers the last `sequence` of each journal in
  /// the same step: a sequence that is not above it changes nothing and succeeds, so a caller that lost the answer, or
  /// was killed before it came, asks again.
  virtual model::Status add(Call& call, const JournalId& journal, std::uint64_t sequence,
                            std::span<const ViewIncrement> increments) = 0;

  /// Replaces all counted days of `item` by `days` (import of an exported activity line).
  virtual model::Status set(Call& call, std::string_view item, std::span<const DayViews> days) = 0;

  /// Grows with every `add` and `set` that changed something.
  virtual model::Result<model::ViewsRevision> revision(Call& call) = 0;

  /// The total of every item whose views changed after `after` (from 0: of every viewed item); returns the revision up
  /// to which the visitor has then seen everything.
  virtual model::Result<model::ViewsRevision> totals(Call& call, model::ViewsRevision after,
                                                     model::Visitor<ItemViews> visitor) = 0;

  /// Items with views from `first` to `last` (both included), most of them first, then by id.
  virtual model::Status top(Call& call, model::Day first, model::Day last, model::Visitor<ItemViews> visitor) = 0;

  /// All items' views of each day from `first` to `last` that has any, oldest first.
  virtual model::Status daily(Call& call, model::Day first, model::Day last, model::Visitor<DayViews> visitor) = 0;

  /// Every count there is, by item id, then day.
  virtual model::Status days(Call& call, model::Visitor<ViewIncrement> visitor) = 0;

  /// Every journal there is, then every count as `days` tells them, all of one state of the store: who counts on from
  /// it by the marks neither loses nor doubles a view. A visitor that stops ends the call. Unsupported: the store does
  /// not tell its journals; nothing was visited.
  virtual model::Status snapshot(Call& call, model::Visitor<JournalMark> journals,
                                 model::Visitor<ViewIncrement> counts) = 0;
};

}  // namespace kbase::ports
