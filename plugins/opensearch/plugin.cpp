// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"
#include "domain/base/result.hpp"

#include "adapters/opensearch/opensearch_search_index.hpp"

namespace kbase::opensearch {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "url": {"type": "string", "minLength": 1, "default": "http://127.0.0.1:9200",
      "description": "URL of OpenSearch 2.19 or 3, http:// or https://."},
    "username": {"type": "string", "default": "", "description": "User of the security plugin. Empty: no user and password are sent."},
    "password": {"type": "string", "writeOnly": true, "default": "", "description": "Password of the user."},
    "api_key": {"type": "string", "writeOnly": true, "default": "", "description": "API key of a hosted service, sent as Authorization: ApiKey instead of user and password."},
    "index": {"type": "string", "minLength": 1, "default": "${instance}-items",
      "description": "Prefix of the index names: lower case letters, digits, '-', '_' and '.'. Knowledge bases that share an OpenSearch need different prefixes. Servers of the same knowledge base need the same prefix."},
    "language": {"type": "string", "default": "auto",
      "description": "Language for stemming: auto (detected for each item), none, or an ISO 639-1 code. A change builds a new index in addition to the old one."},
    "replicas": {"type": "integer", "minimum": 0, "maximum": 10,
      "description": "Number of replicas of the index. Absent: 1 if OpenSearch has a second node, else 0."},
    "bulk_bytes": {"type": "string", "format": "size", "default": "2MiB",
      "description": "Maximum size of the texts in one bulk request. Larger requests are faster up to a few megabytes and use more memory of OpenSearch."},
    "spool": {"type": "string", "format": "path", "default": "${data_dir}/opensearch",
      "description": "Folder where a batch is stored until its commit. It needs free space of about three times the size of the batch's texts."}}})";

sdk::Opened<ports::SearchIndex> open_index(sdk::Setup& setup) {
  const sdk::Settings& settings = setup.settings();
  Options options;
  options.url = settings.text("url", options.url);
  options.username = settings.text("username", {});
  options.password = settings.text("password", {});
  options.api_key = settings.text("api_key", {});
  options.index = settings.text("index", options.index);
  options.language = settings.text("language", options.language);
  constexpr std::uint64_t kAbsent = 1'000;
  if (const std::uint64_t replicas = settings.number("replicas", kAbsent); replicas != kAbsent)
    options.replicas = static_cast<std::uint32_t>(replicas);
  options.bulk_bytes = settings.bytes("bulk_bytes", options.bulk_bytes);
  options.spool = settings.path("spool", options.spool);
  auto opened = KBASE_TRY(OpenSearchSearchIndex::open(setup.http(), setup.clock(), std::move(options), &setup.log()));
  return std::shared_ptr<ports::SearchIndex>(std::move(opened));
}

const auto kIndex = sdk::table<ports::SearchIndex, open_index>({
    .capabilities = KB_SEARCH_INDEX_CAN_PERSIST | KB_SEARCH_INDEX_CAN_STEM | KB_SEARCH_INDEX_CAN_SEGMENT |
                    KB_SEARCH_INDEX_HAS_POPULARITY_LAG | KB_SEARCH_INDEX_IS_SHARED | KB_SEARCH_INDEX_CAN_FILTER |
                    KB_SEARCH_INDEX_CAN_COUNT | KB_SEARCH_INDEX_CAN_MARK | KB_SEARCH_INDEX_CAN_DESCRIBE |
                    KB_SEARCH_INDEX_CAN_SELECT | KB_SEARCH_INDEX_CAN_SKIP | KB_SEARCH_INDEX_CAN_EXTEND |
                    KB_SEARCH_INDEX_HAS_OPTIONS,
    .config_schema = kSettings,
});

const void* get_port(const char* id) { return sdk::port(id, kIndex); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.opensearch", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::opensearch

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::opensearch::kPlugin; }
