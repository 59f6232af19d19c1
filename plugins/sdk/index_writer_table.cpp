// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/index_writer_table.hpp"

#include "plugins/sdk/entry.hpp"

namespace kbase::sdk::index_writer {
namespace {

/// The object behind a kb_index_writer*. One thread uses it at a time, so all its calls share a translator.
struct Batch {
  std::unique_ptr<ports::IndexWriter> writer;
  FromC from_c;
};

Batch& of(kb_index_writer* writer) noexcept {
  return *reinterpret_cast<Batch*>(writer);
}

}  // namespace

kb_index_writer* handle_of(std::unique_ptr<ports::IndexWriter> writer) {
  return reinterpret_cast<kb_index_writer*>(new Batch{std::move(writer), {}});
}

kb_status put(kb_index_writer* writer, kb_call* call, const kb_item* const* items, std::size_t item_count) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Batch& batch = of(writer);
    return ended(call, batch.writer->put(inner, batch.from_c.items(items, item_count)));
  });
}

kb_status remove(kb_index_writer* writer, kb_call* call, kb_view id) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(writer).writer->remove(inner, text_of(id))); });
}

kb_status commit(kb_index_writer* writer, kb_call* call, std::uint64_t revision) noexcept {
  const kb_status status =
      guarded(call, [&](ports::Call& inner) { return ended(call, of(writer).writer->commit(inner, revision)); });
  if (status == KB_OK) delete &of(writer);
  return status;
}

void abort(kb_index_writer* writer, kb_call*) noexcept {
  delete &of(writer);
}

}  // namespace kbase::sdk::index_writer
