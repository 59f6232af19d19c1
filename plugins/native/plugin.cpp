// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"
#include "domain/base/result.hpp"

#include <algorithm>
#include <thread>

#include "adapters/native_index/commits/other_formats.hpp"
#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/native_search_index.hpp"

namespace kbase::native_index {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "path": {"type": "string", "format": "path", "default": "${data_dir}/index",
      "description": "Folder of the index, on a local disk."},
    "language": {"type": "string", "default": "auto",
      "description": "Language for stemming: auto (detected for each item), none, or an ISO 639-1 code. A change rebuilds the index."},
    "threads": {"type": "integer", "minimum": 1, "maximum": 64, "default": 2,
      "description": "Maximum number of threads that rebuild the index. Limited by the number of processors."},
    "typo_tolerance": {"type": "boolean", "default": true,
      "description": "Whether a word that no item contains is replaced by the most similar word that an item contains."},
    "dictionaries": {"type": "string", "format": "path", "default": "/usr/share/hunspell",
      "description": "Folder of hunspell dictionaries. A word that one of them has is not replaced."}}})";

PosixFiles& files() {
  static PosixFiles all;
  return all;
}

sdk::Opened<ports::SearchIndex> open_index(sdk::Setup& setup) {
  Options options;
  options.other_formats = setup.settings().path("path", "data/index");
  options.path = format_folder(options.other_formats);
  options.language = setup.settings().text("language", options.language);
  options.corrects_typos = setup.settings().flag("typo_tolerance", options.corrects_typos);
  options.dictionaries = setup.settings().path("dictionaries", "/usr/share/hunspell");
  options.threads =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, setup.settings().number("threads", 2));
  auto opened = KBASE_TRY(NativeSearchIndex::open(options, files(), setup.clock(), &setup.log()));
  return std::shared_ptr<ports::SearchIndex>(std::move(opened));
}

const auto kIndex = sdk::table<ports::SearchIndex, open_index>({
    .inline_calls = KB_SEARCH_INDEX_INLINE_QUICK_SEARCH,
    .capabilities = KB_SEARCH_INDEX_CAN_PERSIST | KB_SEARCH_INDEX_CAN_STEM | KB_SEARCH_INDEX_CAN_SEGMENT |
                    KB_SEARCH_INDEX_CAN_CORRECT | KB_SEARCH_INDEX_CAN_FILTER | KB_SEARCH_INDEX_CAN_COUNT |
                    KB_SEARCH_INDEX_CAN_MARK | KB_SEARCH_INDEX_CAN_COMPLETE | KB_SEARCH_INDEX_CAN_DESCRIBE |
                    KB_SEARCH_INDEX_CAN_SELECT | KB_SEARCH_INDEX_CAN_SKIP | KB_SEARCH_INDEX_CAN_EXTEND |
                    KB_SEARCH_INDEX_HAS_OPTIONS,
    .config_schema = kSettings,
});

const void* get_port(const char* id) { return sdk::port(id, kIndex); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.native", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::native_index

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::native_index::kPlugin; }
