// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/snapshot.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace kbase::memory {
namespace {

using model::Item;

bool precedes_by_id(const Item* a, const Item* b) { return a->view().id < b->view().id; }

bool is_more_recent(const Item* a, const Item* b) {
  const auto& x = a->view();
  const auto& y = b->view();
  return std::tie(y.metadata.updated, y.metadata.created, x.id) <
         std::tie(x.metadata.updated, x.metadata.created, y.id);
}

bool precedes_by_category(const Item* a, const Item* b) {
  const int order = a->view().category.compare(b->view().category);
  return order != 0 ? order < 0 : is_more_recent(a, b);
}

}  // namespace

model::Revision revision_of(const Record& record) {
  if (const auto* item = std::get_if<Item>(&record)) return item->view().revision;
  if (const auto* category = std::get_if<model::Category>(&record)) return category->view().revision;
  return std::get<Tombstone>(record).revision;
}

model::CategoryView CategoryRow::view() const {
  model::CategoryView view = category().view();
  view.item_count = items;
  return view;
}

void Sums::add(const model::ItemView& item) {
  CategoryRow& row = categories.find(item.category)->second;
  ++row.items;
  row.views += item.metadata.views;
  views += item.metadata.views;
  ++created[item.metadata.created];
}

void Sums::subtract(const model::ItemView& item) {
  CategoryRow& row = categories.find(item.category)->second;
  --row.items;
  row.views -= item.metadata.views;
  views -= item.metadata.views;
  const auto day = created.find(item.metadata.created);
  if (--day->second == 0) created.erase(day);
}

/// Live records that a batch replaces or removes.
class Snapshot::Superseded {
 public:
  Superseded(const Snapshot& before, const Changes& changes) {
    for (const auto& [id, record] : changes.items)
      if (const Item* item = before.item(id)) {
        items_.insert(item);
        revisions_.push_back(item->view().revision);
      }
    for (const auto& [id, record] : changes.categories)
      if (const CategoryRow* row = before.category(id)) revisions_.push_back(revision_of(*row->record));
    std::sort(revisions_.begin(), revisions_.end());
  }

  bool has(const Item* item) const { return items_.contains(item); }
  const std::vector<model::Revision>& revisions() const { return revisions_; }

  /// Merges `before` without the superseded items with `added`. Compares only O(log n) old items per added item.
  template <class Order> Items merge(const Items& before, Items added, Order order) const {
    std::sort(added.begin(), added.end(), order);
    Items all;
    all.reserve(before.size() + added.size() - items_.size());
    const auto keep = [&](auto from, auto to) {
      std::copy_if(from, to, std::back_inserter(all), [this](const Item* item) { return !has(item); });
    };
    auto from = before.begin();
    for (const Item* item : added) {
      const auto to = std::upper_bound(from, before.end(), item, order);
      keep(from, to);
      all.push_back(item);
      from = to;
    }
    keep(from, before.end());
    return all;
  }

 private:
  std::unordered_set<const Item*> items_;
  std::vector<model::Revision> revisions_;  // of items and categories, ascending
};

Snapshot::Snapshot(const Snapshot& before, const Changes& changes, Sums sums, model::Revision revision,
                   model::Instant oldest)
    : revision_(revision), last_dropped_revision_(before.last_dropped_revision_), sums_(std::move(sums)) {
  Items added;
  for (const auto& [id, record] : changes.items)
    if (const auto* item = std::get_if<Item>(record.get())) added.push_back(item);
  const Superseded superseded(before, changes);
  by_id_ = superseded.merge(before.by_id_, added, precedes_by_id);
  by_recency_ = superseded.merge(before.by_recency_, added, is_more_recent);
  by_category_ = superseded.merge(before.by_category_, added, precedes_by_category);
  merge_records(before, superseded, changes, oldest);

  for (const auto& [id, row] : sums_.categories) by_name_.push_back(&row);
  std::sort(by_name_.begin(), by_name_.end(), [](const CategoryRow* a, const CategoryRow* b) {
    const auto& x = a->category().view();
    const auto& y = b->category().view();
    return std::tie(x.name, x.id) < std::tie(y.name, y.id);
  });
}

void Snapshot::merge_records(const Snapshot& before, const Superseded& superseded, const Changes& changes,
                             model::Instant oldest) {
  records_.reserve(before.records_.size() + changes.items.size() + changes.categories.size());
  auto next_superseded = superseded.revisions().begin();
  for (const RecordPtr& record : before.records_) {
    if (const auto* tombstone = std::get_if<Tombstone>(record.get())) {
      const bool of_item = tombstone->kind == ports::Change::Kind::ItemRemoved;
      if ((of_item ? changes.items : changes.categories).contains(tombstone->id)) continue;
      if (tombstone->removed < oldest) {
        last_dropped_revision_ = std::max(last_dropped_revision_, tombstone->revision);
        continue;
      }
    } else if (next_superseded != superseded.revisions().end() && *next_superseded == revision_of(*record)) {
      ++next_superseded;
      continue;
    }
    records_.push_back(record);
  }
  const auto first_added = static_cast<std::ptrdiff_t>(records_.size());
  for (const auto& [id, record] : changes.items) records_.push_back(record);
  for (const auto& [id, record] : changes.categories) records_.push_back(record);
  std::sort(records_.begin() + first_added, records_.end(),
            [](const RecordPtr& a, const RecordPtr& b) { return revision_of(*a) < revision_of(*b); });
}

const Item* Snapshot::item(std::string_view id) const {
  const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), id, [](const Item* item, std::string_view wanted) {
    return item->view().id < wanted;
  });
  return found != by_id_.end() && (*found)->view().id == id ? *found : nullptr;
}

const CategoryRow* Snapshot::category(std::string_view id) const {
  const auto found = sums_.categories.find(id);
  return found != sums_.categories.end() ? &found->second : nullptr;
}

std::span<const Item* const> Snapshot::recent(std::optional<std::string_view> category) const {
  if (!category) return by_recency_;
  const auto first =
      std::lower_bound(by_category_.begin(), by_category_.end(), *category,
                       [](const Item* item, std::string_view wanted) { return item->view().category < wanted; });
  const auto last =
      std::upper_bound(first, by_category_.end(), *category,
                       [](std::string_view wanted, const Item* item) { return wanted < item->view().category; });
  return {first, last};
}

std::span<const RecordPtr> Snapshot::changed_after(model::Revision revision) const {
  const auto first =
      std::upper_bound(records_.begin(), records_.end(), revision,
                       [](model::Revision wanted, const RecordPtr& record) { return wanted < revision_of(*record); });
  return {first, records_.end()};
}

}  // namespace kbase::memory
