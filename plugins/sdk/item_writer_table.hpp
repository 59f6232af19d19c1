// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ports/driven/item_store.hpp"

/// Functions of the item store table for a batch.
namespace kbase::sdk::item_writer {

kb_item_writer* handle_of(std::unique_ptr<ports::ItemWriter> writer);

kb_status read(kb_item_writer* writer, kb_call* call, const kb_view* ids, std::size_t id_count, kb_item_sink sink,
               void* data) noexcept;
kb_status read_category(kb_item_writer* writer, kb_call* call, kb_view id, kb_category_sink sink, void* data) noexcept;
kb_status put(kb_item_writer* writer, kb_call* call, const kb_item* const* items, std::size_t item_count) noexcept;
kb_status put_category(kb_item_writer* writer, kb_call* call, const kb_category* category) noexcept;
kb_status remove(kb_item_writer* writer, kb_call* call, kb_view id) noexcept;
kb_status remove_category(kb_item_writer* writer, kb_call* call, kb_view id) noexcept;
kb_status commit(kb_item_writer* writer, kb_call* call, std::uint64_t* revision) noexcept;
void abort(kb_item_writer* writer, kb_call* call) noexcept;

}  // namespace kbase::sdk::item_writer
