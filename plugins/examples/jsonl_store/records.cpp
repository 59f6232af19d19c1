// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <utility>

namespace jsonl {
namespace {

using Kind = ports::Change::Kind;

bool is_of_category(const Record& record) {
  const auto* tombstone = std::get_if<Tombstone>(&record);
  return tombstone != nullptr ? tombstone->kind == Kind::CategoryRemoved
                              : std::holds_alternative<model::Category>(record);
}

std::string_view id_of(const Record& record) {
  if (const auto* item = std::get_if<model::Item>(&record)) return item->view().id;
  if (const auto* category = std::get_if<model::Category>(&record)) return category->view().id;
  return std::get<Tombstone>(record).id;
}

template <class T, class ById> const T* find(const ById& by_id, std::string_view id) {
  const auto found = by_id.find(id);
  return found == by_id.end() ? nullptr : std::get_if<T>(found->second.get());
}

}  // namespace

model::Revision revision_of(const Record& record) {
  if (const auto* item = std::get_if<model::Item>(&record)) return item->view().revision;
  if (const auto* category = std::get_if<model::Category>(&record)) return category->view().revision;
  return std::get<Tombstone>(record).revision;
}

void Records::apply(RecordPtr record) {
  ById& by_id = is_of_category(*record) ? categories_ : items_;
  RecordPtr& place = by_id[std::string(id_of(*record))];
  if (place != nullptr) supersede(*place);
  revision_ = revision_of(*record);
  by_revision_.emplace(revision_, record);
  if (const auto* item = std::get_if<model::Item>(record.get())) ++items_in_[std::string(item->view().category)];
  if (std::holds_alternative<Tombstone>(*record)) tombstones_.insert(revision_);
  place = std::move(record);
}

void Records::supersede(const Record& record) {
  by_revision_.erase(revision_of(record));
  tombstones_.erase(revision_of(record));
  if (const auto* item = std::get_if<model::Item>(&record)) --items_in_[std::string(item->view().category)];
}

void Records::commit(model::Revision revision, model::Instant oldest) {
  revision_ = revision;
  while (!tombstones_.empty()) {
    const RecordPtr record = by_revision_.find(*tombstones_.begin())->second;
    const auto& tombstone = std::get<Tombstone>(*record);
    if (tombstone.removed >= oldest) break;
    dropped_up_to_ = tombstone.revision;
    (is_of_category(*record) ? categories_ : items_).erase(tombstone.id);
    supersede(*record);
  }
}

const model::Item* Records::item(std::string_view id) const { return find<model::Item>(items_, id); }

const model::Category* Records::category(std::string_view id) const { return find<model::Category>(categories_, id); }

std::uint64_t Records::items_in(std::string_view category) const {
  const auto found = items_in_.find(category);
  return found == items_in_.end() ? 0 : found->second;
}

}  // namespace jsonl
