// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"

#include "adapters/fts5/fts5_search_index.hpp"

namespace kbase::fts5 {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "path": {"type": "string", "format": "path", "default": "${data_dir}/fts5",
      "description": "The folder of the index, on a local disk."},
    "language": {"type": "string", "default": "auto",
      "description": "Whose inflection is stemmed: auto (found for each item), none, or an ISO 639-1 code. A change rebuilds the index."}}})";

sdk::Opened<ports::SearchIndex> open_index(sdk::Setup& setup) {
  Options options;
  options.path = setup.settings().path("path", "data/fts5");
  options.language = setup.settings().text("language", options.language);
  auto opened = Fts5SearchIndex::open(options, setup.clock());
  if (!opened) return opened.error();
  return std::shared_ptr<ports::SearchIndex>(*std::move(opened));
}

const auto kIndex = sdk::table<ports::SearchIndex, open_index>({
    .capabilities = KB_SEARCH_INDEX_CAN_PERSIST | KB_SEARCH_INDEX_CAN_STEM | KB_SEARCH_INDEX_CAN_SEGMENT |
                    KB_SEARCH_INDEX_CAN_FILTER | KB_SEARCH_INDEX_CAN_COUNT | KB_SEARCH_INDEX_CAN_MARK |
                    KB_SEARCH_INDEX_CAN_COMPLETE,
    .config_schema = kSettings,
});

const void* get_port(const char* id) {
  return sdk::port(id, kIndex);
}

constexpr kb_plugin kPlugin = sdk::descriptor("org.kbase.fts5", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::fts5

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept {
  return &kbase::fts5::kPlugin;
}
