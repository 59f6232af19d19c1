// SPDX-License-Identifier: Apache-2.0
#include "item_writer.hpp"

#include <utility>

namespace jsonl {
namespace {
using ports::Call;
using Kind = ports::Change::Kind;

Error cancelled() { return {ErrorCode::Cancelled, "the call was cancelled"}; }

}  // namespace

JsonlItemWriter::JsonlItemWriter(JsonlItemStore& store, FileLock lock)
    : store_(store), lock_(std::move(lock)), records_(store.content()->records()), first_(records_.revision()) {}

void JsonlItemWriter::add(Record record) { records_.apply(std::make_shared<const Record>(std::move(record))); }

Status JsonlItemWriter::read(Call&, std::span<const std::string_view> ids, ports::ItemVisitor visitor) {
  for (const std::string_view id : ids)
    if (const model::Item* item = records_.item(id); item != nullptr && visitor(item->view()) == Visit::Stop) break;
  return {};
}

Status JsonlItemWriter::read_category(Call&, std::string_view id, ports::CategoryVisitor visitor) {
  const model::Category* category = records_.category(id);
  if (category == nullptr) return Error{ErrorCode::NotFound, "There is no such category."};
  model::CategoryView view = category->view();
  view.item_count = records_.items_in(id);
  visitor(view);
  return {};
}

Status JsonlItemWriter::put(Call& call, std::span<const model::ItemView* const> items) {
  for (const model::ItemView* item : items) {
    if (call.cancelled()) return cancelled();
    if (records_.category(item->category) == nullptr)
      return kbase::invalid_argument("category", "item '" + std::string(item->id) + "' is of category '" +
                                                     std::string(item->category) +
                                                     "', which does not exist; put the category first");
    model::ItemView numbered = *item;
    numbered.revision = records_.revision() + 1;
    add(model::Item(numbered));
  }
  return {};
}

Status JsonlItemWriter::put_category(Call&, const model::CategoryView& category) {
  model::CategoryView numbered = category;
  numbered.item_count = 0;  // readers count the items
  numbered.revision = records_.revision() + 1;
  add(model::Category(numbered));
  return {};
}

Result<bool> JsonlItemWriter::remove(Call&, std::string_view id) {
  if (records_.item(id) == nullptr) return false;
  add(Tombstone{Kind::ItemRemoved, std::string(id), records_.revision() + 1, store_.clock_.now()});
  return true;
}

Result<bool> JsonlItemWriter::remove_category(Call&, std::string_view id) {
  if (records_.category(id) == nullptr) return false;
  if (const auto items = records_.items_in(id); items != 0)
    return kbase::invalid_argument("id", "category '" + std::string(id) + "' still has " + std::to_string(items) +
                                             " items; move or remove them first");
  add(Tombstone{Kind::CategoryRemoved, std::string(id), records_.revision() + 1, store_.clock_.now()});
  return true;
}

Result<model::Revision> JsonlItemWriter::commit(Call& call) {
  if (call.cancelled()) return cancelled();
  const model::Instant now = store_.clock_.now();
  records_.commit(records_.revision(), now - kTombstoneRetention);
  if (records_.revision() != first_) KBASE_TRY(store_.write(records_));
  return records_.revision();
}

}  // namespace jsonl
