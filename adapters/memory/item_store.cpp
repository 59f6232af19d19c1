// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/item_store.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "adapters/base/waiting.hpp"
#include "adapters/memory/snapshot.hpp"

namespace kbase::memory {
namespace {
using model::Item;
using ports::Call;
using ports::Change;

constexpr std::chrono::seconds kWriterTimeout{5};

template <class T> std::span<T> select_slice(std::span<T> list, ports::Slice slice) {
  const auto rest = list.subspan(std::min<std::uint64_t>(slice.offset, list.size()));
  return rest.first(std::min<std::uint64_t>(slice.limit, rest.size()));
}

Change to_change(const Record& record) {
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

constexpr std::chrono::hours kTombstoneLifetime{30 * 24};

Error cancelled() { return {ErrorCode::Cancelled, "the call was cancelled"}; }

}  // namespace

/// Write batch of a MemoryItemStore: changed records on top of the snapshot at its start. Holds the writer slot of the
/// store until it is committed or destroyed. Not thread-safe.
class MemoryItemStore::Writer final : public ports::ItemWriter {
 public:
  /// The caller must have acquired the writer slot.
  explicit Writer(MemoryItemStore& store)
      : store_(store), before_(store.current()), sums_(before_->sums()), revision_(before_->revision()) {}

  ~Writer() override { release_slot(); }

  Status read(ports::Call&, std::span<const std::string_view> ids, ports::ItemVisitor visitor) override {
    for (const std::string_view id : ids)
      if (const Item* found = item(id); found != nullptr && visitor(found->view()) == Visit::Stop) break;
    return {};
  }

  Status read_category(ports::Call&, std::string_view id, ports::CategoryVisitor visitor) override {
    const auto row = sums_.categories.find(id);
    if (row == sums_.categories.end()) return Error{ErrorCode::NotFound, "There is no such category."};
    visitor(row->second.view());
    return {};
  }

  /// Returns InvalidArgument if the category of an item does not exist.
  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override {
    for (const model::ItemView* given : items) {
      if (call.cancelled()) return cancelled();
      if (!sums_.categories.contains(given->category))
        return invalid_argument("category", "item '" + std::string(given->id) + "' has the category '" +
                                                std::string(given->category) +
                                                "', which does not exist; put the category first");
      if (const Item* replaced = item(given->id)) sums_.subtract(replaced->view());
      model::ItemView numbered = *given;
      numbered.revision = ++revision_;
      changes_.items.insert_or_assign(std::string(given->id), std::make_shared<const Record>(Item(numbered)));
      sums_.add(numbered);
    }
    return {};
  }

  Status put_category(ports::Call&, const model::CategoryView& category) override {
    model::CategoryView numbered = category;
    numbered.item_count = 0;  // computed from the CategoryRow
    numbered.revision = ++revision_;
    auto record = std::make_shared<const Record>(model::Category(numbered));
    sums_.categories[std::string(category.id)].record = record;
    changes_.categories.insert_or_assign(std::string(category.id), std::move(record));
    return {};
  }

  Result<bool> remove(ports::Call&, std::string_view id) override {
    const Item* removed = item(id);
    if (removed == nullptr) return false;
    sums_.subtract(removed->view());
    changes_.items.insert_or_assign(std::string(id), tombstone(ports::Change::Kind::ItemRemoved, id));
    return true;
  }

  Result<bool> remove_category(ports::Call&, std::string_view id) override {
    const auto row = sums_.categories.find(id);
    if (row == sums_.categories.end()) return false;
    if (row->second.items != 0)
      return invalid_argument("id", "category '" + std::string(id) + "' still has " +
                                        std::to_string(row->second.items) + " items; move or remove them first");
    changes_.categories.insert_or_assign(std::string(id), tombstone(ports::Change::Kind::CategoryRemoved, id));
    sums_.categories.erase(row);
    return true;
  }

  Status set_synonyms(ports::Call&, std::span<const model::SynonymsView* const> synonyms) override {
    std::vector<model::Synonyms> all;
    for (const model::SynonymsView* each : synonyms) all.emplace_back(*each);
    sums_.synonyms = std::make_shared<const std::vector<model::Synonyms>>(std::move(all));
    ++revision_;
    return {};
  }

  Result<model::Revision> commit(ports::Call& call) override {
    if (call.cancelled()) return cancelled();
    const model::Instant oldest = store_.clock_.now() - kTombstoneLifetime;
    store_.publish(std::make_shared<Snapshot>(*before_, changes_, std::move(sums_), revision_, oldest));
    release_slot();
    return revision_;
  }

 private:
  /// Returns the item with the changes of the batch applied, or null if it does not exist.
  const Item* item(std::string_view id) const {
    const auto changed = changes_.items.find(id);
    return changed != changes_.items.end() ? std::get_if<Item>(changed->second.get()) : before_->item(id);
  }

  RecordPtr tombstone(ports::Change::Kind kind, std::string_view id) {
    return std::make_shared<const Record>(Tombstone{kind, std::string(id), ++revision_, store_.clock_.now()});
  }

  void release_slot() {
    if (std::exchange(has_slot_, false)) store_.writer_slot_.release();
  }

  MemoryItemStore& store_;
  const std::shared_ptr<const Snapshot> before_;
  Changes changes_;
  Sums sums_;
  model::Revision revision_;
  bool has_slot_ = true;
};

MemoryItemStore::MemoryItemStore(ports::Random& random, const ports::Clock& clock) : clock_(clock) {
  random.fill(store_id_);
}

ports::ItemStore::Capabilities MemoryItemStore::capabilities() const {
  return {.persistent = false, .inline_reads = true, .describes = true, .synonyms = true};
}

model::StoreId MemoryItemStore::store_id() const { return store_id_; }

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

Result<model::Revision> MemoryItemStore::revision(Call&) { return current()->revision(); }

Status MemoryItemStore::get(Call&, std::string_view id, ports::ItemVisitor visitor) {
  const auto snapshot = current();
  const model::Item* item = snapshot->item(id);
  if (item == nullptr) return Error{ErrorCode::NotFound, "There is no such item."};
  visitor(item->view());
  return {};
}

Status MemoryItemStore::summaries(Call&, std::span<const std::string_view> ids, ports::SummaryVisitor visitor) {
  const auto snapshot = current();
  for (const std::string_view id : ids)
    if (const model::Item* item = snapshot->item(id); item != nullptr && visitor(item->view()) == Visit::Stop) break;
  return {};
}

Status MemoryItemStore::recent(Call&, std::optional<std::string_view> category, ports::Slice slice,
                               ports::SummaryVisitor visitor) {
  const auto snapshot = current();
  for (const model::Item* item : select_slice(snapshot->recent(category), slice))
    if (visitor(item->view()) == Visit::Stop) break;
  return {};
}

Status MemoryItemStore::category(Call&, std::string_view id, ports::CategoryVisitor visitor) {
  const auto snapshot = current();
  const CategoryRow* row = snapshot->category(id);
  if (row == nullptr) return Error{ErrorCode::NotFound, "There is no such category."};
  visitor(row->view());
  return {};
}

Status MemoryItemStore::categories(Call&, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto snapshot = current();
  for (const CategoryRow* row : select_slice(snapshot->categories(), slice))
    if (visitor(row->view()) == Visit::Stop) break;
  return {};
}

Result<ports::StoreTotals> MemoryItemStore::totals(Call&, model::Day today) {
  const auto snapshot = current();
  const Sums& sums = snapshot->sums();
  ports::StoreTotals totals{snapshot->item_count(), sums.categories.size(), sums.views, 0};
  const auto end = sums.created.upper_bound(today);
  for (auto day = sums.created.lower_bound(today - std::chrono::days(6)); day != end; ++day)
    totals.recent_additions += day->second;
  return totals;
}

Status MemoryItemStore::category_views(Call&, Visitor<ports::CategoryViews> visitor) {
  const auto snapshot = current();
  for (const CategoryRow* row : snapshot->categories())
    if (visitor({row->category().view().id, row->category().view().name, row->views}) == Visit::Stop) break;
  return {};
}

Result<model::Revision> MemoryItemStore::changes(Call& call, model::Revision after, ports::ChangeVisitor visitor) {
  const auto snapshot = current();
  if (after != 0 && after < snapshot->last_dropped_revision())
    return Error{ErrorCode::Gone, "the changes after revision " + std::to_string(after) +
                                      " are no longer available; read from the start"};
  for (const RecordPtr& record : snapshot->changed_after(after)) {
    if (after == 0 && std::holds_alternative<Tombstone>(*record)) continue;
    if (call.cancelled() || visitor(to_change(*record)) == Visit::Stop)
      return Error{ErrorCode::Cancelled, "the read of the changes was cancelled"};
  }
  return snapshot->revision();
}

Status MemoryItemStore::synonyms(Call&, ports::SynonymsVisitor visitor) {
  const auto snapshot = current();
  if (snapshot->sums().synonyms == nullptr) return {};
  std::vector<std::string_view> words;
  for (const model::Synonyms& each : *snapshot->sums().synonyms)
    if (visitor(each.view(words)) == Visit::Stop) break;
  return {};
}

Result<std::unique_ptr<ports::ItemWriter>> MemoryItemStore::begin(Call& call) {
  auto left = std::min<std::chrono::nanoseconds>(kWriterTimeout, call.deadline - clock_.steady());
  for (; !writer_slot_.try_acquire_for(std::min<std::chrono::nanoseconds>(left, waiting::kPollInterval));
       left -= waiting::kPollInterval) {
    if (call.cancelled()) return Error{ErrorCode::Cancelled, "the call was cancelled"};
    if (left <= waiting::kPollInterval)
      return Error{ErrorCode::Conflict, "another import is running; try again when it has ended"};
  }
  return std::unique_ptr<ports::ItemWriter>(std::make_unique<Writer>(*this));
}

Status MemoryItemStore::health(Call&) { return {}; }

}  // namespace kbase::memory
