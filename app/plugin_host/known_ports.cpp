// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/known_ports.hpp"

#include <cstring>

#include "app/plugin_host/generated/known_ports.hpp"

namespace kbase::plugin_host {

using Function = void (*)();

static_assert(offsetof(kb_item_store_v1, inline_calls) == offsetof(TableStart, inline_calls));
static_assert(offsetof(kb_item_store_v1, flags) == offsetof(TableStart, flags));
static_assert(offsetof(kb_item_store_v1, capabilities) == offsetof(TableStart, capabilities));
static_assert(offsetof(kb_item_store_v1, config_schema) == offsetof(TableStart, config_schema));
static_assert(offsetof(kb_item_store_v1, create) == offset_of(0));

std::span<const KnownPort, kKnownPorts> known_ports() { return kPorts; }

TableStart start_of(const void* table) {
  TableStart start;
  std::memcpy(&start, table, sizeof(start));
  return start;
}

bool has_function(const void* table, std::size_t number) {
  Function function;
  std::memcpy(&function, static_cast<const char*>(table) + offset_of(number), sizeof(function));
  return function != nullptr;
}

std::vector<std::string> names_of(std::uint32_t bits, std::span<const NamedBit> known) {
  std::vector<std::string> names;
  for (const NamedBit& named : known)
    if ((bits & named.bit) != 0) names.emplace_back(named.name);
  return names;
}

}  // namespace kbase::plugin_host
