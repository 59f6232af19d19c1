// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"

#include "cache.hpp"

namespace mycache {
namespace {

namespace ports = kbase::ports;
namespace sdk = kbase::sdk;

// Schema of `cache.config`. The server checks the settings, fills in defaults, and reports errors with file, line and
// key.
constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "max_bytes": {"type": "integer", "minimum": 1024, "default": 67108864,
      "description": "Memory for remembered answers; past it those go that were used longest ago."}}})";

sdk::Opened<ports::Cache> open_cache(sdk::Setup& setup) {
  return std::shared_ptr<ports::Cache>(
      std::make_shared<MyCache>(setup.clock(), setup.settings().number("max_bytes", 67'108'864)));
}

const auto kCache =
    sdk::table<ports::Cache, open_cache>({.inline_calls = KB_CACHE_INLINE_CALLS, .config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kCache); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.example.mycache", KBASE_PLUGIN_VERSION, "Example", "Apache-2.0", get_port);

}  // namespace
}  // namespace mycache

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &mycache::kPlugin; }
