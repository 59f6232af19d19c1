// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"

#include "item_store.hpp"

namespace jsonl {
namespace {

namespace sdk = kbase::sdk;

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "path": {"type": "string", "format": "path", "default": "${data_dir}/content.jsonl",
      "description": "The file of items and categories, on a local disk."}}})";

sdk::Opened<ports::ItemStore> open_items(sdk::Setup& setup) {
  auto opened = KBASE_TRY(
      JsonlItemStore::open(setup.settings().path("path", "content.jsonl"), setup.clock(), setup.random(), setup.log()));
  return std::shared_ptr<ports::ItemStore>(std::move(opened));
}

const auto kItems =
    sdk::table<ports::ItemStore, open_items>({.inline_calls = KB_ITEM_STORE_INLINE_READS,
                                              .capabilities = KB_ITEM_STORE_CAN_PERSIST | KB_ITEM_STORE_CAN_DESCRIBE,
                                              .config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kItems); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.example.jsonl-store", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace jsonl

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &jsonl::kPlugin; }
