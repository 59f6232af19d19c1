// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ports/driven/activity_store.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::usecases {

/// The ids that an import has met: to say duplicates within a source, and to know what a prune leaves.
class MetIds {
 public:
  /// Sources are told apart by counting them.
  void next_source(bool remember_earlier);

  /// False: this source gave a record of this id before.
  bool meet_item(std::string_view id) { return meet(items_, id); }
  bool meet_category(std::string_view id) { return meet(categories_, id); }

  void forget_item(std::string_view id) { items_.erase(std::string(id)); }
  void name_category(std::string_view id) { categories_.emplace(id, 0); }

  bool has_item(std::string_view id) const { return items_.contains(std::string(id)); }
  bool has_category(std::string_view id) const { return categories_.contains(std::string(id)); }

 private:
  using SourceById = std::unordered_map<std::string, unsigned>;
  bool meet(SourceById& ids, std::string_view id) const;

  SourceById items_;       // and the source that gave it last
  SourceById categories_;  // likewise; 0: only items name it
  unsigned source_ = 0;    // the first is 1
};

/// Records on their way into one batch of the stores. Fills in what records leave out, leaves out items that would
/// change nothing, makes the categories that items name. Nothing is kept before commit.
class ImportBatch {
 public:
  /// `met` and the stores outlive the batch.
  ImportBatch(ports::ItemStore& items, ports::ActivityStore& activity, MetIds& met, model::Day today)
      : items_(items), activity_(activity), met_(met), today_(today) {}

  model::Status begin(ports::Call& call);

  /// Takes any record but a Reject. `duplicate` is told when this source gave the item or category before.
  model::Status add(ports::Call& call, const ports::ContentRecord& record,
                    model::FunctionRef<void(std::string_view id)> duplicate);

  model::Status remove_item(ports::Call& call, std::string_view id);
  model::Status remove_category(ports::Call& call, std::string_view id);

  /// Hands everything taken so far to the writer; `changes` is then exact.
  model::Status flush(ports::Call& call);

  /// Makes the batch durable.
  model::Status commit(ports::Call& call);

  /// Then, and only then: sets the activity that came with it. Should it fail in between, it may be set again.
  model::Status set_activity(ports::Call& call);

  /// What this batch does, as far as it was flushed; `revision` after the commit.
  const ports::ImportReport& changes() const { return changes_; }

 private:
  struct PendingItem {
    model::Item item;
    bool has_created = false, has_updated = false;
    model::ItemView resolved;  // a view into `item` with the days decided
    bool exists = false, unchanged = false;
  };
  struct PendingActivity {
    std::string item;
    std::vector<ports::DayViews> days;
  };

  void acquire(const ports::ItemRecord& record);
  model::Status acquire(ports::Call& call, const ports::CategoryRecord& record);
  void acquire(const ports::ActivityRecord& record);
  model::Status compare_with_stored(ports::Call& call);
  void resolve(PendingItem& pending, const model::ItemView* stored) const;
  model::Status make_named_categories(ports::Call& call);

  ports::ItemStore& items_;
  ports::ActivityStore& activity_;
  MetIds& met_;
  const model::Day today_;
  std::unique_ptr<ports::ItemWriter> writer_;
  std::vector<PendingItem> pending_;
  std::unordered_map<std::string_view, std::size_t> pending_by_id_;  // keys are views into pending_
  std::unordered_set<std::string> existing_categories_;              // known to exist within this batch
  std::vector<PendingActivity> pending_activity_;
  ports::ImportReport changes_;
};

}  // namespace kbase::usecases
