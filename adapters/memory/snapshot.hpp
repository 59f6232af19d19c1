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

#include "domain/model/item.hpp"
#include "domain/model/synonyms.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::memory {

/// Marker of a removed record.
struct Tombstone {
  ports::Change::Kind kind = ports::Change::Kind::ItemRemoved;
  std::string id;
  model::Revision revision = 0;
  model::Instant removed;
};

/// Newest state of a record. Immutable and shared by snapshots.
using Record = std::variant<model::Item, model::Category, Tombstone>;
using RecordPtr = std::shared_ptr<const Record>;

model::Revision revision_of(const Record& record);

/// A category with the totals of its own items.
struct CategoryRow {
  RecordPtr record;
  std::uint64_t items = 0;
  std::uint64_t views = 0;

  const model::Category& category() const { return std::get<model::Category>(*record); }
  model::CategoryView view() const;
};
using CategoryRows = std::map<std::string, CategoryRow, std::less<>>;

/// What a batch copies and updates with each change: totals over all items, and the synonyms of the base.
struct Sums {
  CategoryRows categories;
  std::map<model::Day, std::uint64_t> created;  ///< number of items by creation day
  std::uint64_t views = 0;
  std::shared_ptr<const std::vector<model::Synonyms>> synonyms;  ///< null: none

  /// Add or subtract an item. Its category must exist.
  void add(const model::ItemView& item);
  void subtract(const model::ItemView& item);
};

/// Newest states of the records changed by one batch, by id. An item and a category may have the same id.
struct Changes {
  std::map<std::string, RecordPtr, std::less<>> items;
  std::map<std::string, RecordPtr, std::less<>> categories;
};

/// The complete content at one revision. Immutable, so any thread reads it without a lock. All lists are sorted. A
/// commit merges a batch into copies of the lists (8 to 16 bytes per record and list); the records themselves are
/// shared.
class Snapshot {
 public:
  using Items = std::vector<const model::Item*>;

  Snapshot() = default;

  /// Applies `changes` to `before`. Drops tombstones older than `oldest`.
  Snapshot(const Snapshot& before, const Changes& changes, Sums sums, model::Revision revision, model::Instant oldest);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  model::Revision revision() const { return revision_; }
  const Sums& sums() const { return sums_; }
  std::uint64_t item_count() const { return by_id_.size(); }

  /// Return null if the id does not exist.
  const model::Item* item(std::string_view id) const;
  const CategoryRow* category(std::string_view id) const;

  /// Returns the items ordered by descending `updated`, then descending `created`, then id; only those of `category` if
  /// it is given.
  std::span<const model::Item* const> recent(std::optional<std::string_view> category) const;

  /// Returns the categories ordered by name, then id.
  std::span<const CategoryRow* const> categories() const { return by_name_; }

  /// Returns the records changed after `revision`, ordered by revision, including tombstones.
  std::span<const RecordPtr> changed_after(model::Revision revision) const;

  /// Returns the newest revision of a dropped tombstone. A change feed that starts before it is incomplete.
  model::Revision last_dropped_revision() const { return last_dropped_revision_; }

 private:
  class Superseded;
  void merge_records(const Snapshot& before, const Superseded& superseded, const Changes& changes,
                     model::Instant oldest);

  model::Revision revision_ = 0;
  model::Revision last_dropped_revision_ = 0;
  std::vector<RecordPtr> records_;  // by revision; owns the items that the other lists point to
  Items by_id_;
  Items by_recency_;
  Items by_category_;  // by category id, then recency
  Sums sums_;
  std::vector<const CategoryRow*> by_name_;
};

}  // namespace kbase::memory
