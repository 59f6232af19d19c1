// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/item_writer_table.hpp"

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/item_sinks.hpp"

namespace kbase::sdk::item_writer {
namespace {

/// The object behind a kb_item_writer*. One thread uses it at a time, so all its calls share a translator.
struct Batch {
  std::unique_ptr<ports::ItemWriter> writer;
  FromC from_c;
};

Batch& of(kb_item_writer* writer) noexcept {
  return *reinterpret_cast<Batch*>(writer);
}

kb_status ended_removal(kb_call* call, const model::Result<bool>& removed) noexcept {
  if (!removed) return failed(call, removed.error());
  return *removed ? KB_OK : KB_NOT_FOUND;
}

}  // namespace

kb_item_writer* handle_of(std::unique_ptr<ports::ItemWriter> writer) {
  return reinterpret_cast<kb_item_writer*>(new Batch{std::move(writer), {}});
}

kb_status read(kb_item_writer* writer, kb_call* call, const kb_view* ids, std::size_t id_count, kb_item_sink sink,
               void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Batch& batch = of(writer);
    Items items(sink, data);
    return ended(call, batch.writer->read(inner, batch.from_c.texts(ids, id_count), items), items);
  });
}

kb_status read_category(kb_item_writer* writer, kb_call* call, kb_view id, kb_category_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Categories rows(sink, data);
    return ended(call, of(writer).writer->read_category(inner, text_of(id), rows), rows);
  });
}

kb_status put(kb_item_writer* writer, kb_call* call, const kb_item* const* items, std::size_t item_count) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Batch& batch = of(writer);
    return ended(call, batch.writer->put(inner, batch.from_c.items(items, item_count)));
  });
}

kb_status put_category(kb_item_writer* writer, kb_call* call, const kb_category* category) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Batch& batch = of(writer);
    return ended(call, batch.writer->put_category(inner, batch.from_c.category(*category)));
  });
}

kb_status remove(kb_item_writer* writer, kb_call* call, kb_view id) noexcept {
  return guarded(
      call, [&](ports::Call& inner) { return ended_removal(call, of(writer).writer->remove(inner, text_of(id))); });
}

kb_status remove_category(kb_item_writer* writer, kb_call* call, kb_view id) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    return ended_removal(call, of(writer).writer->remove_category(inner, text_of(id)));
  });
}

kb_status commit(kb_item_writer* writer, kb_call* call, std::uint64_t* revision) noexcept {
  const kb_status status =
      guarded(call, [&](ports::Call& inner) { return ended(call, of(writer).writer->commit(inner), revision); });
  if (status == KB_OK) delete &of(writer);
  return status;
}

void abort(kb_item_writer* writer, kb_call*) noexcept {
  delete &of(writer);
}

}  // namespace kbase::sdk::item_writer
