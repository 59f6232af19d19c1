// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/model/category.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::memory {

/// What is left of a removed record.
struct Tombstone {
  ports::Change::Kind kind = ports::Change::Kind::ItemRemoved;
  std::string id;
  model::Revision revision = 0;
  model::Instant removed;
};

/// The newest state of one record. Never changes, so snapshots share it.
using Record = std::variant<model::Item, model::Category, Tombstone>;
using RecordPtr = std::shared_ptr<const Record>;

model::Revision revision_of(const Record& record);

/// A category with what its own items add up to.
struct CategoryRow {
  RecordPtr record;
  std::uint64_t items = 0;
  std::uint64_t views = 0;

  const model::Category& category() const { return std::get<model::Category>(*record); }
  model::CategoryView view() const;
};
using CategoryRows = std::map<std::string, CategoryRow, std::less<>>;

/// Sums over all items that a batch keeps up to date change by change.
struct Sums {
  CategoryRows categories;
  std::map<model::Day, std::uint64_t> created;  ///< items by the day they were created
  std::uint64_t views = 0;

  /// Counts an item in, or out again; its category exists.
  void add(const model::ItemView& item);
  void subtract(const model::ItemView& item);
};

/// The newest states of the records that one batch changed, by id; an item and a category may share one.
struct Changes {
  std::map<std::string, RecordPtr, std::less<>> items;
  std::map<std::string, RecordPtr, std::less<>> categories;
};

/// The whole content at one revision. Never changes once it is made, so any thread reads it without a lock. Every list
/// is kept in its order; a commit merges a batch into copies of the lists (8 to 16 bytes for each record), while the
/// records themselves are shared.
class Snapshot {
 public:
  using Items = std::vector<const model::Item*>;

  Snapshot() = default;

  /// What `changes` make of `before`. Tombstones that are older than `oldest` are dropped.
  Snapshot(const Snapshot& before, const Changes& changes, Sums sums, model::Revision revision, model::Instant oldest);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  model::Revision revision() const { return revision_; }
  const Sums& sums() const { return sums_; }
  std::uint64_t item_count() const { return by_id_.size(); }

  /// Null: there is none of this id.
  const model::Item* item(std::string_view id) const;
  const CategoryRow* category(std::string_view id) const;

  /// Newest `updated` first, then newest `created`, then id; of one category's own items where one is given.
  std::span<const model::Item* const> recent(std::optional<std::string_view> category) const;

  /// Ordered by name, then id.
  std::span<const CategoryRow* const> categories() const { return by_name_; }

  /// The records that changed after `revision`, ordered by revision, tombstones among them.
  std::span<const RecordPtr> changed_after(model::Revision revision) const;

  /// The newest revision of a tombstone that was dropped: the feed after an older one has a hole.
  model::Revision dropped_up_to() const { return dropped_up_to_; }

 private:
  class Superseded;
  void keep_records(const Snapshot& before, const Superseded& superseded, const Changes& changes,
                    model::Instant oldest);

  model::Revision revision_ = 0;
  model::Revision dropped_up_to_ = 0;
  std::vector<RecordPtr> records_;  // by revision; owns what the other lists point to
  Items by_id_;
  Items by_recency_;
  Items by_category_;  // by category id, then recency
  Sums sums_;
  std::vector<const CategoryRow*> by_name_;
};

}  // namespace kbase::memory
