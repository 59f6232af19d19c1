// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/item_store.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/memory/item_writer.hpp"

namespace kbase::memory {
namespace {

using model::Error;
using model::ErrorCode;
using model::Visit;
using ports::Call;
using ports::Change;

constexpr std::chrono::seconds kWriterWait{5};
constexpr std::chrono::milliseconds kPollInterval{10};  // interval at which a wait checks for cancellation

template <class T>
std::span<T> part_of(std::span<T> list, ports::Slice slice) {
  const auto rest = list.subspan(std::min<std::uint64_t>(slice.offset, list.size()));
  return rest.first(std::min<std::uint64_t>(slice.limit, rest.size()));
}

Change change_of(const Record& record) {
  Change change;
  change.revision = revision_of(record);
  if (const auto* item = std::get_if<model::Item>(&record)) {
    change.kind = Change::Kind::ItemPut;
    change.id = item->view().id;
    change.item = &item->view();
  } else if (const auto* category = std::get_if<model::Category>(&record)) {
    change.kind = Change::Kind::CategoryPut;
    change.id = category->view().id;
    change.category = &category->view();
  } else {
    const auto& tombstone = std::get<Tombstone>(record);
    change.kind = tombstone.kind;
    change.id = tombstone.id;
  }
  return change;
}

}  // namespace

MemoryItemStore::MemoryItemStore(ports::Random& random, const ports::Clock& clock) : clock_(clock) {
  random.fill(store_id_);
}

ports::ItemStore::Capabilities MemoryItemStore::capabilities() const {
  return {.persistent = false, .inline_reads = true};
}

model::StoreId MemoryItemStore::store_id() const {
  return store_id_;
}

std::shared_ptr<const Snapshot> MemoryItemStore::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void MemoryItemStore::publish(std::shared_ptr<const Snapshot> next) {
  {
    const std::lock_guard lock(mutex_);
    std::swap(previous_, current_);
    std::swap(current_, next);
  }
  next.reset();  // the oldest snapshot is destroyed here, by the writer and outside the lock
}

model::Result<model::Revision> MemoryItemStore::revision(Call&) {
  return current()->revision();
}

model::Status MemoryItemStore::get(Call&, std::string_view id, ports::ItemVisitor visitor) {
  const auto snapshot = current();
  const model::Item* item = snapshot->item(id);
  if (item == nullptr) return Error{ErrorCode::NotFound, "There is no such item.", {}, {}, {}};
  visitor(item->view());
  return {};
}

model::Status MemoryItemStore::summaries(Call&, std::span<const std::string_view> ids, ports::SummaryVisitor visitor) {
  const auto snapshot = current();
  for (const std::string_view id : ids)
    if (const model::Item* item = snapshot->item(id); item != nullptr && visitor(item->view()) == Visit::Stop) break;
  return {};
}

model::Status MemoryItemStore::recent(Call&, std::optional<std::string_view> category, ports::Slice slice,
                                      ports::SummaryVisitor visitor) {
  const auto snapshot = current();
  for (const model::Item* item : part_of(snapshot->recent(category), slice))
    if (visitor(item->view()) == Visit::Stop) break;
  return {};
}

model::Status MemoryItemStore::category(Call&, std::string_view id, ports::CategoryVisitor visitor) {
  const auto snapshot = current();
  const CategoryRow* row = snapshot->category(id);
  if (row == nullptr) return Error{ErrorCode::NotFound, "There is no such category.", {}, {}, {}};
  visitor(row->view());
  return {};
}

model::Status MemoryItemStore::categories(Call&, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto snapshot = current();
  for (const CategoryRow* row : part_of(snapshot->categories(), slice))
    if (visitor(row->view()) == Visit::Stop) break;
  return {};
}

model::Result<ports::StoreTotals> MemoryItemStore::totals(Call&, model::Day today) {
  const auto snapshot = current();
  const Sums& sums = snapshot->sums();
  ports::StoreTotals totals{snapshot->item_count(), sums.categories.size(), sums.views, 0};
  const auto end = sums.created.upper_bound(today);
  for (auto day = sums.created.lower_bound(today - std::chrono::days(6)); day != end; ++day)
    totals.recent_additions += day->second;
  return totals;
}

model::Status MemoryItemStore::category_views(Call&, model::Visitor<ports::CategoryViews> visitor) {
  const auto snapshot = current();
  for (const CategoryRow* row : snapshot->categories())
    if (visitor({row->category().view().id, row->category().view().name, row->views}) == Visit::Stop) break;
  return {};
}

model::Result<model::Revision> MemoryItemStore::changes(Call& call, model::Revision after,
                                                        ports::ChangeVisitor visitor) {
  const auto snapshot = current();
  if (after != 0 && after < snapshot->dropped_up_to())
    return Error{ErrorCode::Gone,
                 "the changes after revision " + std::to_string(after) + " are no longer kept; read from the start",
                 {},
                 {},
                 {}};
  for (const RecordPtr& record : snapshot->changed_after(after)) {
    if (after == 0 && std::holds_alternative<Tombstone>(*record)) continue;
    if (call.cancelled() || visitor(change_of(*record)) == Visit::Stop)
      return Error{ErrorCode::Cancelled, "the reading of changes was stopped", {}, {}, {}};
  }
  return snapshot->revision();
}

model::Result<std::unique_ptr<ports::ItemWriter>> MemoryItemStore::begin(Call& call) {
  auto left = std::min<std::chrono::nanoseconds>(kWriterWait, call.deadline - clock_.steady());
  for (; !writer_slot_.try_acquire_for(std::min<std::chrono::nanoseconds>(left, kPollInterval));
       left -= kPollInterval) {
    if (call.cancelled()) return Error{ErrorCode::Cancelled, "the call was cancelled", {}, {}, {}};
    if (left <= kPollInterval)
      return Error{ErrorCode::Conflict, "another import is running; try again when it has ended", {}, {}, {}};
  }
  return std::unique_ptr<ports::ItemWriter>(std::make_unique<MemoryItemWriter>(*this));
}

model::Status MemoryItemStore::health(Call&) {
  return {};
}

}  // namespace kbase::memory
