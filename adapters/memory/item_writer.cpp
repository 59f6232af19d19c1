// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/item_writer.hpp"

#include <chrono>
#include <string>

namespace kbase::memory {
namespace {

using model::Error;
using model::ErrorCode;
using model::Item;
using model::Visit;

constexpr std::chrono::hours kTombstonesLive{30 * 24};

Error cancelled() {
  return {ErrorCode::Cancelled, "the call was cancelled", {}, {}, {}};
}

}  // namespace

MemoryItemWriter::MemoryItemWriter(MemoryItemStore& store)
    : store_(store), before_(store.current()), sums_(before_->sums()), revision_(before_->revision()) {}

MemoryItemWriter::~MemoryItemWriter() {
  give_back_slot();
}

void MemoryItemWriter::give_back_slot() {
  if (std::exchange(has_slot_, false)) store_.writer_slot_.release();
}

const Item* MemoryItemWriter::item(std::string_view id) const {
  const auto changed = changes_.items.find(id);
  return changed != changes_.items.end() ? std::get_if<Item>(changed->second.get()) : before_->item(id);
}

model::Status MemoryItemWriter::read(ports::Call&, std::span<const std::string_view> ids, ports::ItemVisitor visitor) {
  for (const std::string_view id : ids)
    if (const Item* found = item(id); found != nullptr && visitor(found->view()) == Visit::Stop) break;
  return {};
}

model::Status MemoryItemWriter::read_category(ports::Call&, std::string_view id, ports::CategoryVisitor visitor) {
  const auto row = sums_.categories.find(id);
  if (row == sums_.categories.end()) return Error{ErrorCode::NotFound, "There is no such category.", {}, {}, {}};
  visitor(row->second.view());
  return {};
}

model::Status MemoryItemWriter::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  for (const model::ItemView* given : items) {
    if (call.cancelled()) return cancelled();
    if (!sums_.categories.contains(given->category))
      return model::invalid_argument("category", "item '" + std::string(given->id) + "' is of category '" +
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

model::Status MemoryItemWriter::put_category(ports::Call&, const model::CategoryView& category) {
  model::CategoryView numbered = category;
  numbered.item_count = 0;  // computed from the CategoryRow
  numbered.revision = ++revision_;
  auto record = std::make_shared<const Record>(model::Category(numbered));
  sums_.categories[std::string(category.id)].record = record;
  changes_.categories.insert_or_assign(std::string(category.id), std::move(record));
  return {};
}

RecordPtr MemoryItemWriter::tombstone(ports::Change::Kind kind, std::string_view id) {
  return std::make_shared<const Record>(Tombstone{kind, std::string(id), ++revision_, store_.clock_.now()});
}

model::Result<bool> MemoryItemWriter::remove(ports::Call&, std::string_view id) {
  const Item* removed = item(id);
  if (removed == nullptr) return false;
  sums_.subtract(removed->view());
  changes_.items.insert_or_assign(std::string(id), tombstone(ports::Change::Kind::ItemRemoved, id));
  return true;
}

model::Result<bool> MemoryItemWriter::remove_category(ports::Call&, std::string_view id) {
  const auto row = sums_.categories.find(id);
  if (row == sums_.categories.end()) return false;
  if (row->second.items != 0)
    return model::invalid_argument("id", "category '" + std::string(id) + "' still has " +
                                             std::to_string(row->second.items) + " items; move or remove them first");
  changes_.categories.insert_or_assign(std::string(id), tombstone(ports::Change::Kind::CategoryRemoved, id));
  sums_.categories.erase(row);
  return true;
}

model::Result<model::Revision> MemoryItemWriter::commit(ports::Call& call) {
  if (call.cancelled()) return cancelled();
  const model::Instant oldest = store_.clock_.now() - kTombstonesLive;
  store_.publish(std::make_shared<Snapshot>(*before_, changes_, std::move(sums_), revision_, oldest));
  give_back_slot();
  return revision_;
}

}  // namespace kbase::memory
