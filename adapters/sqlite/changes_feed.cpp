// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/changes_feed.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "adapters/sqlite/rows.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

using ports::Change;

constexpr char kState[] = "SELECT revision, dropped FROM store";
constexpr char kItems[] = "SELECT " KBASE_ITEM_COLUMNS " FROM items WHERE revision > ?1 ORDER BY revision";
constexpr char kCategories[] = "SELECT " KBASE_CATEGORY_COLUMNS
                               " FROM categories WHERE revision > ?1"
                               " ORDER BY revision";
constexpr char kTombstones[] =
    "SELECT revision, id, kind, removed FROM tombstones WHERE revision > ?1 ORDER BY revision";

constexpr model::Revision kNoRevision = std::numeric_limits<model::Revision>::max();

/// Cursor over one of the three tables, in revision order.
class RecordCursor {
 public:
  RecordCursor(Connection& connection, const char* sql, model::Revision after) : rows_(connection.prepare(sql)) {
    rows_.bind(storable(after));
  }

  Status advance() {
    const auto found = KBASE_TRY(rows_.step());
    revision_ = found ? rows_.number(0) : kNoRevision;
    return {};
  }

  const Statement& row() const { return rows_; }
  model::Revision revision() const { return revision_; }  ///< revision of the current row; kNoRevision: no more rows

 private:
  Statement rows_;
  model::Revision revision_ = kNoRevision;
};

/// Merge of the three tables in revision order.
class ChangesFeed {
 public:
  ChangesFeed(Connection& connection, model::Revision after, ports::ChangeVisitor visitor)
      : items_(connection, kItems, after),
        categories_(connection, kCategories, after),
        // A reader that starts at 0 has no records to delete, so it needs no tombstones.
        tombstones_(connection, kTombstones, after == 0 ? kNoRevision : after),
        visitor_(visitor) {}

  Status start() {
    for (RecordCursor* cursor : {&items_, &categories_, &tombstones_})
      if (auto advanced = cursor->advance(); !advanced) return advanced;
    return {};
  }

  /// True if the first tombstone of the feed was created before `removed`.
  bool has_tombstone_before(model::Instant removed) const {
    return tombstones_.revision() != kNoRevision && tombstones_.row().instant(3) < removed;
  }

  Status emit_all() {
    for (;;) {
      const model::Revision next = std::min({items_.revision(), categories_.revision(), tombstones_.revision()});
      if (next == kNoRevision) return {};
      RecordCursor& cursor = next == items_.revision()        ? items_
                             : next == categories_.revision() ? categories_
                                                              : tombstones_;
      const auto visit = KBASE_TRY(emit(cursor));
      if (visit == Visit::Stop) return Error{ErrorCode::Cancelled, "the visitor stopped the changes feed"};
      if (auto advanced = cursor.advance(); !advanced) return advanced;
    }
  }

 private:
  Result<Visit> emit(const RecordCursor& cursor) {
    Change change;
    change.id = cursor.row().text(1);
    change.revision = cursor.revision();
    if (&cursor == &items_) {
      change.kind = Change::Kind::ItemPut;
      change.item = item_(cursor.row());
      if (change.item == nullptr) return cursor.row().corrupt("a row is damaged");
    } else if (&cursor == &categories_) {
      change.kind = Change::Kind::CategoryPut;
      change.category = category_(cursor.row());
      if (change.category == nullptr) return cursor.row().corrupt("a row is damaged");
    } else {
      const bool is_item = cursor.row().integer(2) == static_cast<std::int64_t>(TombstoneKind::Item);
      change.kind = is_item ? Change::Kind::ItemRemoved : Change::Kind::CategoryRemoved;
    }
    return visitor_(change);
  }

  RecordCursor items_, categories_, tombstones_;
  ItemRow item_;
  CategoryRow category_;
  ports::ChangeVisitor visitor_;
};

}  // namespace

Result<model::Revision> emit_changes(Connection& snapshot, model::Instant now, model::Revision after,
                                     ports::ChangeVisitor visitor) {
  Statement state = snapshot.prepare(kState);
  const auto row = KBASE_TRY(state.step());
  if (!row) return state.corrupt("the table store is empty");
  const model::Revision up_to = state.number(0);
  const model::Revision purged = state.number(1);
  ChangesFeed feed(snapshot, after, visitor);
  KBASE_TRY(feed.start());
  if (after != 0 && (after < purged || feed.has_tombstone_before(now - kTombstoneRetention)))
    return Error{ErrorCode::Gone, "the changes after revision " + std::to_string(after) +
                                      " are no longer available; read the feed from 0"};
  KBASE_TRY(feed.emit_all());
  return up_to;
}

}  // namespace kbase::sqlite
