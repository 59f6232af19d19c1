// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/changes_feed.hpp"

#include "adapters/postgres/rows.hpp"

namespace kbase::postgres {
namespace {

using ports::Change;

constexpr char kState[] =
    "SELECT revision, proof, dropped, EXISTS (SELECT 1 FROM tombstones WHERE revision > $1 AND removed < $2) FROM "
    "store";

// The planner merges the three tables from their revision indexes. The columns are in the order that ItemRow and
// ToldCategory read; the last column is the kind. A reader that starts at 0 has no records to delete, so it gets no
// tombstones. A sort would write all contents to disk again before the first row. With the condition outside the union,
// the planner finds that it needs no sort.
constexpr char kInOrder[] =
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off";
constexpr char kChanges[] =
    "SELECT * FROM ("
    "SELECT revision, id, category, created, updated, views, title, lead, tags, author, further, related, content,"
    " 0::smallint AS kind FROM items"
    " UNION ALL "
    "SELECT revision, id, name, NULL, NULL, items, description, icon, subcategories, NULL, NULL, NULL, NULL,"
    " 2::smallint FROM categories"
    " UNION ALL "
    "SELECT revision, id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
    " CASE kind WHEN 0 THEN 1::smallint ELSE 3::smallint END FROM tombstones"
    ") AS told WHERE revision > $1 AND (kind IN (0, 2) OR $1 > 0) ORDER BY revision";
constexpr int kKindColumn = 13;

constexpr Change::Kind kKinds[] = {Change::Kind::ItemPut, Change::Kind::ItemRemoved, Change::Kind::CategoryPut,
                                   Change::Kind::CategoryRemoved};

/// Reads a category from the feed's columns.
class ToldCategory {
 public:
  const model::CategoryView* operator()(const Row& row) {
    if (!wire::read_list(row.text(8), subcategories_)) return nullptr;
    view_.revision = row.number(0);
    view_.id = row.text(1);
    view_.name = row.text(2);
    view_.item_count = row.number(5);
    view_.description = row.text(6);
    view_.icon = row.text(7);
    view_.subcategories = subcategories_;
    return &view_;
  }

 private:
  model::CategoryView view_;
  std::vector<std::string_view> subcategories_;
};

class Teller {
 public:
  /// Returns null if the row is damaged.
  const Change* operator()(const Row& row) {
    change_ = {};
    change_.kind = kKinds[row.integer(kKindColumn) & 3];
    change_.revision = row.number(0);
    change_.id = row.text(1);
    if (change_.kind == Change::Kind::ItemPut && (change_.item = item_(row)) == nullptr) return nullptr;
    if (change_.kind == Change::Kind::CategoryPut && (change_.category = category_(row)) == nullptr) return nullptr;
    return &change_;
  }

 private:
  Change change_;
  ItemRow item_;
  ToldCategory category_;
};

}  // namespace

model::Result<schema::Commit> tell_changes(Session& snapshot, model::Instant now, model::Revision after,
                                           ports::ChangeVisitor visitor) {
  const auto state = snapshot.ask(kState, Parameters(storable(after), now - kTombstonesLive));
  if (!state) return state.error();
  if (state->rows() != 1) return snapshot.corrupt("the table store is empty");
  const schema::Commit up_to{state->row(0).number(0), std::string(state->row(0).text(1))};
  const model::Revision dropped = state->row(0).number(2);
  if (after != 0 && (after < dropped || state->row(0).flag(3)))
    return model::Error{model::ErrorCode::Gone,
                        "the changes after revision " + std::to_string(after) + " are no longer kept: read them from 0",
                        {},
                        {},
                        {}};
  if (const auto set = snapshot.execute(kInOrder); !set) return set.error();
  bool is_stopped = false;
  const auto told =
      visit_rows<Change>(snapshot, kChanges, Parameters(storable(after)), Teller(), [&](const Change& change) {
        const model::Visit said = visitor(change);
        is_stopped = said == model::Visit::Stop;
        return said;
      });
  if (!told) return told.error();
  if (is_stopped) return model::Error{model::ErrorCode::Cancelled, "the reader of the changes stopped", {}, {}, {}};
  return up_to;
}

}  // namespace kbase::postgres
