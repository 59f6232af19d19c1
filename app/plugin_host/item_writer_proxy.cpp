// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/item_writer_proxy.hpp"

#include <utility>

#include "app/plugin_host/content_sinks.hpp"

namespace kbase::plugin_host {

using sdk::view_of;

ItemWriterProxy::ItemWriterProxy(ItemStoreInstance& instance, kb_item_writer* writer)
    : instance_(instance), table_(instance.table()), writer_(writer) {}

ItemWriterProxy::~ItemWriterProxy() {
  if (writer_ != nullptr) instance_.abort("item_store.abort", table_.abort, writer_);
}

model::Status ItemWriterProxy::read(ports::Call& call, std::span<const std::string_view> ids,
                                    ports::ItemVisitor visitor) {
  CallFrame frame = instance_.frame("item_store.read", call);
  ItemSink sink(frame, visitor, ids.size());
  const LentIds lent(ids);
  return frame.visited(
      frame.run(table_.read, writer_, frame.call(), lent.data(), lent.size(), ItemSink::receive, &sink));
}

model::Status ItemWriterProxy::read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  CallFrame frame = instance_.frame("item_store.read_category", call);
  CategorySink sink(frame, visitor, 1);
  const kb_status status =
      frame.run(table_.read_category, writer_, frame.call(), view_of(id), CategorySink::receive, &sink);
  return frame.found_one_or(status, "There is no such category.");
}

model::Status ItemWriterProxy::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  CallFrame frame = instance_.frame("item_store.put", call);
  const auto lent = to_c_.items(items);
  return frame.done(frame.run(table_.put, writer_, frame.call(), lent.data(), lent.size()));
}

model::Status ItemWriterProxy::put_category(ports::Call& call, const model::CategoryView& category) {
  CallFrame frame = instance_.frame("item_store.put_category", call);
  const kb_category lent = to_c_.category(category);
  return frame.done(frame.run(table_.put_category, writer_, frame.call(), &lent));
}

model::Result<bool> ItemWriterProxy::remove(ports::Call& call, std::string_view id) {
  CallFrame frame = instance_.frame("item_store.remove", call);
  return frame.found(frame.run(table_.remove, writer_, frame.call(), view_of(id)));
}

model::Result<bool> ItemWriterProxy::remove_category(ports::Call& call, std::string_view id) {
  CallFrame frame = instance_.frame("item_store.remove_category", call);
  return frame.found(frame.run(table_.remove_category, writer_, frame.call(), view_of(id)));
}

model::Result<model::Revision> ItemWriterProxy::commit(ports::Call& call) {
  CallFrame frame = instance_.frame("item_store.commit", call);
  model::Revision revision = 0;
  const kb_status status = frame.run(table_.commit, writer_, frame.call(), &revision);
  if (status == KB_OK) writer_ = nullptr;
  if (auto done = frame.done(status); !done) return done.error();
  return revision;
}

}  // namespace kbase::plugin_host
