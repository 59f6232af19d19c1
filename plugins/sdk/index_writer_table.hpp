// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ports/driven/search_index.hpp"

/// Functions of the search index table for a batch.
namespace kbase::sdk::index_writer {

kb_index_writer* handle_of(std::unique_ptr<ports::IndexWriter> writer);

kb_status put(kb_index_writer* writer, kb_call* call, const kb_item* const* items, std::size_t item_count) noexcept;
kb_status remove(kb_index_writer* writer, kb_call* call, kb_view id) noexcept;
kb_status commit(kb_index_writer* writer, kb_call* call, std::uint64_t revision) noexcept;
void abort(kb_index_writer* writer, kb_call* call) noexcept;

}  // namespace kbase::sdk::index_writer
