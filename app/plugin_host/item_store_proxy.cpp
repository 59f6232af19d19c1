// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/item_store_proxy.hpp"

#include <utility>

#include "app/plugin_host/content_sinks.hpp"
#include "app/plugin_host/item_writer_proxy.hpp"

namespace kbase::plugin_host {

using sdk::view_of;

ItemStoreProxy::ItemStoreProxy(std::unique_ptr<ItemStoreInstance> instance)
    : instance_(std::move(instance)), table_(instance_->table()), store_(instance_->object()) {
  instance_->run("item_store.lineage", [&] { table_.lineage(store_, store_id_.data()); });
}

ports::ItemStore::Capabilities ItemStoreProxy::capabilities() const {
  return {.persistent = instance_->can(KB_ITEM_STORE_CAN_PERSIST),
          .inline_reads = instance_->runs_inline(KB_ITEM_STORE_INLINE_READS),
          .waits = can_wait(),
          .leases = can_lease()};
}

/// False for a plugin with KB_TABLE_SERIAL, because a wait would block all other calls.
bool ItemStoreProxy::can_wait() const noexcept {
  return instance_->can(KB_ITEM_STORE_CAN_WAIT) && table_.wait != nullptr && (table_.flags & KB_TABLE_SERIAL) == 0;
}

/// The function is optional.
bool ItemStoreProxy::can_lease() const noexcept {
  return instance_->can(KB_ITEM_STORE_CAN_LEASE) && KB_HAS(&table_, try_lease) && table_.try_lease != nullptr;
}

model::Result<model::Revision> ItemStoreProxy::revision(ports::Call& call) {
  CallFrame frame = instance_->frame("item_store.revision", call);
  model::Revision revision = 0;
  const kb_status status = frame.run(table_.revision, store_, frame.call(), &revision);
  return frame.done(status, revision);
}

model::Status ItemStoreProxy::wait(ports::Call& call, model::Revision after) {
  if (!can_wait()) return ports::ItemStore::wait(call, after);
  CallFrame frame = instance_->frame("item_store.wait", call);
  return frame.done(frame.run(table_.wait, store_, frame.call(), after));
}

model::Status ItemStoreProxy::get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) {
  CallFrame frame = instance_->frame("item_store.get", call);
  ItemSink sink(frame, visitor, 1);
  const kb_status status = frame.run(table_.get, store_, frame.call(), view_of(id), ItemSink::receive, &sink);
  return frame.found_one_or(status, "There is no such item.");
}

model::Status ItemStoreProxy::summaries(ports::Call& call, std::span<const std::string_view> ids,
                                        ports::SummaryVisitor visitor) {
  CallFrame frame = instance_->frame("item_store.summaries", call);
  SummarySink sink(frame, visitor, ids.size());
  const LentIds lent(ids);
  return frame.visited(
      frame.run(table_.summaries, store_, frame.call(), lent.data(), lent.size(), SummarySink::receive, &sink));
}

model::Status ItemStoreProxy::recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                                     ports::SummaryVisitor visitor) {
  CallFrame frame = instance_->frame("item_store.recent", call);
  SummarySink sink(frame, visitor, slice.limit);
  const kb_view of = view_of(category.value_or(std::string_view()));
  return frame.visited(frame.run(table_.recent, store_, frame.call(), category ? &of : nullptr, slice.offset,
                                 slice.limit, SummarySink::receive, &sink));
}

model::Status ItemStoreProxy::category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  CallFrame frame = instance_->frame("item_store.category", call);
  CategorySink sink(frame, visitor, 1);
  const kb_status status = frame.run(table_.category, store_, frame.call(), view_of(id), CategorySink::receive, &sink);
  return frame.found_one_or(status, "There is no such category.");
}

model::Status ItemStoreProxy::categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) {
  CallFrame frame = instance_->frame("item_store.categories", call);
  CategorySink sink(frame, visitor, slice.limit);
  return frame.visited(
      frame.run(table_.categories, store_, frame.call(), slice.offset, slice.limit, CategorySink::receive, &sink));
}

model::Result<ports::StoreTotals> ItemStoreProxy::totals(ports::Call& call, model::Day today) {
  CallFrame frame = instance_->frame("item_store.totals", call);
  auto totals = sdk::sized<kb_store_totals>();
  const kb_status status = frame.run(table_.totals, store_, frame.call(), sdk::number_of(today), &totals);
  if (auto done = frame.done(status); !done) return done.error();
  return ports::StoreTotals{totals.items, totals.categories, totals.views, totals.recent_additions};
}

model::Status ItemStoreProxy::category_views(ports::Call& call, model::Visitor<ports::CategoryViews> visitor) {
  CallFrame frame = instance_->frame("item_store.category_views", call);
  CategoryViewsSink sink(frame, visitor);
  return frame.visited(frame.run(table_.category_views, store_, frame.call(), CategoryViewsSink::receive, &sink));
}

model::Result<model::Revision> ItemStoreProxy::changes(ports::Call& call, model::Revision after,
                                                       ports::ChangeVisitor visitor) {
  CallFrame frame = instance_->frame("item_store.changes", call);
  const auto check = [&](const ports::Change& change) {
    using Kind = ports::Change::Kind;
    const bool is_removal = change.kind == Kind::ItemRemoved || change.kind == Kind::CategoryRemoved;
    if (after != 0 || !is_removal) return visitor(change);
    frame.report_violation("told a removal among the changes from 0");
    return model::Visit::Stop;
  };
  ChangeSink sink(frame, check);
  model::Revision up_to = 0;
  const kb_status status = frame.run(table_.changes, store_, frame.call(), after, ChangeSink::receive, &sink, &up_to);
  if (auto visited = frame.visited(status); !visited) return visited.error();
  if (frame.stopped())
    return model::Error{model::ErrorCode::Cancelled, "the read of the changes was cancelled", {}, {}, {}};
  return up_to;
}

model::Result<std::unique_ptr<ports::ItemWriter>> ItemStoreProxy::begin(ports::Call& call) {
  CallFrame frame = instance_->frame("item_store.begin", call);
  kb_item_writer* writer = nullptr;
  const kb_status status = frame.run(table_.begin, store_, frame.call(), &writer);
  if (status == KB_OK && writer == nullptr) frame.report_violation("said KB_OK and made nothing");
  if (auto done = frame.done(status); !done) return done.error();
  return std::unique_ptr<ports::ItemWriter>(std::make_unique<ItemWriterProxy>(*instance_, writer));
}

model::Result<bool> ItemStoreProxy::try_lease(ports::Call& call, std::string_view name, std::string_view owner,
                                              std::chrono::milliseconds ttl) {
  if (!can_lease()) return ports::ItemStore::try_lease(call, name, owner, ttl);
  CallFrame frame = instance_->frame("item_store.try_lease", call);
  auto lease = sdk::sized<kb_lease>();
  const kb_status status = frame.run(table_.try_lease, store_, frame.call(), view_of(name), view_of(owner),
                                     static_cast<std::uint64_t>(ttl.count()), &lease);
  return frame.done(status, lease.is_held != 0);
}

}  // namespace kbase::plugin_host
