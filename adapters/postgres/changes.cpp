// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/changes.hpp"

#include "adapters/base/waiting.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/rows.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

using ports::Change;

constexpr char kState[] =
    "SELECT revision, proof, dropped, EXISTS (SELECT 1 FROM tombstones WHERE revision > $1 AND removed < $2) FROM "
    "store";

// The planner merges the three tables from their revision indexes. The columns are in the order that ItemRow and
// FeedCategory read; the last column is the kind. A reader that starts at 0 has no records to delete, so it gets no
// tombstones. A sort would write all contents to disk again before the first row. With the condition outside the union,
// the planner finds that it needs no sort.
constexpr char kForceIndexOrder[] =
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off";
const std::string kChanges = [] {
  const auto nulls = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += "NULL, ";
    return list;
  };
  return "SELECT * FROM (SELECT " KBASE_ITEM_COLUMNS
         ", 0::smallint AS kind FROM items"
         " UNION ALL "
         "SELECT revision, id, name, NULL, NULL, items, description, icon, subcategories, " +
         nulls(records::kItemColumns - 9) +
         "2::smallint FROM categories"
         " UNION ALL "
         "SELECT revision, id, " +
         nulls(records::kItemColumns - 2) +
         "CASE kind WHEN 0 THEN 1::smallint ELSE 3::smallint END FROM tombstones"
         ") AS feed WHERE revision > $1 AND (kind IN (0, 2) OR $1 > 0) ORDER BY revision";
}();
constexpr int kKindColumn = records::kItemColumns;

constexpr Change::Kind kKinds[] = {Change::Kind::ItemPut, Change::Kind::ItemRemoved, Change::Kind::CategoryPut,
                                   Change::Kind::CategoryRemoved};

/// Reads a category from the feed's columns.
class FeedCategory {
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

class ChangeReader {
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
  FeedCategory category_;
};

constexpr std::chrono::seconds kMaxNotificationWait{1};

/// Releases the semaphore at the end of a scope.
struct SemaphoreGuard {
  ~SemaphoreGuard() { semaphore.release(); }
  std::binary_semaphore& semaphore;
};

/// Maps Deadline to success: a wait that reaches its deadline has not failed.
Status ignore_deadline(const Status& status) {
  if (!status && status.error().code == ErrorCode::Deadline) return {};
  return status;
}

}  // namespace

Result<schema::Commit> emit_changes(Session& snapshot, model::Instant now, model::Revision after,
                                    ports::ChangeVisitor visitor) {
  const auto state = KBASE_TRY(snapshot.query(kState, Parameters(storable(after), now - kTombstoneRetention)));
  if (state.rows() != 1) return snapshot.corrupt_error("the table store is empty");
  const schema::Commit up_to{state.row(0).number(0), std::string(state.row(0).text(1))};
  const model::Revision discarded = state.row(0).number(2);
  if (after != 0 && (after < discarded || state.row(0).flag(3)))
    return Error{ErrorCode::Gone, "the changes after revision " + std::to_string(after) +
                                      " are no longer available; read the feed from 0"};
  KBASE_TRY(snapshot.execute(kForceIndexOrder));
  bool is_stopped = false;
  const auto emitted = visit_rows<Change>(snapshot, kChanges.c_str(), Parameters(storable(after)), ChangeReader(),
                                          [&](const Change& change) {
                                            const Visit visit = visitor(change);
                                            is_stopped = visit == Visit::Stop;
                                            return visit;
                                          });
  if (!emitted) return emitted.error();
  if (is_stopped) return Error{ErrorCode::Cancelled, "the visitor stopped the changes feed"};
  return up_to;
}

Status ChangeListener::wait(const ports::Call& call, model::Revision after) {
  while (!semaphore_.try_acquire_for(waiting::kPollInterval))
    if (auto active = check_call(call, database_.clock()); !active) return ignore_deadline(active);
  const SemaphoreGuard guard{semaphore_};
  if (!session_ || !session_->is_usable())
    if (auto listening = listen(call); !listening) return ignore_deadline(listening);
  const CallScope scope(*session_, call);
  return ignore_deadline(wait_for_commit(call, after));
}

Status ChangeListener::listen(const ports::Call& call) {
  auto session = KBASE_TRY(database_.connect(call));
  const CallScope scope(*session, call);
  if (auto listening = session->execute("LISTEN \"" + database_.names().channel() + '"'); !listening) return listening;
  session_ = std::move(session);
  return {};
}

Status ChangeListener::wait_for_commit(const ports::Call& call, model::Revision after) {
  for (;;) {
    const auto newest = KBASE_TRY(schema::read_commit(*session_));
    database_.record_commit(newest);
    if (newest.revision > after) return {};
    if (auto active = check_call(call, database_.clock()); !active) return active;
    if (auto waited = session_->await_notification(kMaxNotificationWait); !waited) return waited;
  }
}

}  // namespace kbase::postgres
