// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <string_view>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/setup.hpp"

/// The only SDK header that a plugin.cpp includes. Such a file has, for each port, a function that opens the
/// implementation and a table made from it, and exports them:
///
///     const auto kItems = sdk::table<ports::ItemStore, open_items>({.config_schema = kSchema});
///
///     const void* get_port(const char* id) {
///       return sdk::port(id, kItems);
///     }
///
///     KB_NOTE;
///     const kb_plugin* kb_plugin_entry() noexcept {
///       static constexpr kb_plugin kPlugin =
///           sdk::descriptor("org.example.shelf", "1.0.0", "Example", "MIT", get_port);
///       return &kPlugin;
///     }
namespace kbase::sdk {

inline constexpr const char* port_id(const kb_item_store_v1&) { return KB_PORT_ITEM_STORE; }
inline constexpr const char* port_id(const kb_activity_store_v1&) { return KB_PORT_ACTIVITY_STORE; }
inline constexpr const char* port_id(const kb_key_store_v1&) { return KB_PORT_KEY_STORE; }
inline constexpr const char* port_id(const kb_account_store_v1&) { return KB_PORT_ACCOUNT_STORE; }
inline constexpr const char* port_id(const kb_insight_store_v1&) { return KB_PORT_INSIGHT_STORE; }
inline constexpr const char* port_id(const kb_mailer_v1&) { return KB_PORT_MAILER; }
inline constexpr const char* port_id(const kb_search_index_v1&) { return KB_PORT_SEARCH_INDEX; }
inline constexpr const char* port_id(const kb_rate_limit_store_v1&) { return KB_PORT_RATE_LIMIT_STORE; }
inline constexpr const char* port_id(const kb_cache_v1&) { return KB_PORT_CACHE; }
inline constexpr const char* port_id(const kb_code_host_v1&) { return KB_PORT_CODE_HOST; }
inline constexpr const char* port_id(const kb_language_model_v1&) { return KB_PORT_LANGUAGE_MODEL; }

/// Returns the table whose port is `id`; null: the plugin does not offer it.
template <class... Tables> const void* port(std::string_view id, const Tables&... tables) {
  const void* found = nullptr;
  ((id == port_id(tables) ? found = &tables : found), ...);
  return found;
}

constexpr kb_plugin descriptor(const char* id, const char* version, const char* vendor, const char* license,
                               const void* (*get_port)(const char* port_id)) {
  return {sizeof(kb_plugin), KB_ABI_MAJOR, KB_ABI_MINOR, id, version, vendor, license, get_port};
}

}  // namespace kbase::sdk
