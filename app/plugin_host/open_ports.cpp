// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/open_ports.hpp"

#include <string>
#include <utility>

#include "app/plugin_host/activity_store_proxy.hpp"
#include "app/plugin_host/api_key_store_proxy.hpp"
#include "app/plugin_host/cache_proxy.hpp"
#include "app/plugin_host/code_host_proxy.hpp"
#include "app/plugin_host/item_store_proxy.hpp"
#include "app/plugin_host/language_model_proxy.hpp"
#include "app/plugin_host/rate_limit_store_proxy.hpp"
#include "app/plugin_host/search_index_proxy.hpp"

namespace kbase::plugin_host {
namespace {

template <class Port, class Proxy, class Table, class Object>
Opened<Port> open(const Table& table, const HostTable& host, std::string_view config_json) {
  auto instance = Instance<Table, Object>::create(table, host, config_json);
  if (!instance) return instance.error();
  return std::unique_ptr<Port>(std::make_unique<Proxy>(*std::move(instance)));
}

/// Opens the plugin's table of `port_id` with `open`, or fails with Unsupported if there is none.
template <class Table, class Port>
Opened<Port> open_offered(const Plugin& plugin, const char* port_id,
                          Opened<Port> (*open)(const Table&, const HostTable&, std::string_view), const HostTable& host,
                          std::string_view config_json) {
  if (const Table* table = plugin.table<Table>(port_id)) return open(*table, host, config_json);
  return model::Error{
      model::ErrorCode::Unsupported,
      "The plugin " + plugin.label() + " does not offer " + port_id + "; `kbase plugin list` shows which one does.",
      {},
      {},
      {}};
}

}  // namespace

Opened<ports::ItemStore> open_item_store(const kb_item_store_v1& table, const HostTable& host,
                                         std::string_view config_json) {
  return open<ports::ItemStore, ItemStoreProxy, kb_item_store_v1, kb_item_store>(table, host, config_json);
}

Opened<ports::ActivityStore> open_activity_store(const kb_activity_store_v1& table, const HostTable& host,
                                                 std::string_view config_json) {
  return open<ports::ActivityStore, ActivityStoreProxy, kb_activity_store_v1, kb_activity_store>(table, host,
                                                                                                 config_json);
}

Opened<ports::ApiKeyStore> open_api_key_store(const kb_key_store_v1& table, const HostTable& host,
                                              std::string_view config_json) {
  return open<ports::ApiKeyStore, ApiKeyStoreProxy, kb_key_store_v1, kb_key_store>(table, host, config_json);
}

Opened<ports::SearchIndex> open_search_index(const kb_search_index_v1& table, const HostTable& host,
                                             std::string_view config_json) {
  auto instance = SearchIndexInstance::create(table, host, config_json);
  if (!instance) return instance.error();
  auto made = SearchIndexProxy::make(*std::move(instance));
  if (!made) return made.error();
  return std::unique_ptr<ports::SearchIndex>(*std::move(made));
}

Opened<ports::RateLimitStore> open_rate_limit_store(const kb_rate_limit_store_v1& table, const HostTable& host,
                                                    std::string_view config_json) {
  return open<ports::RateLimitStore, RateLimitStoreProxy, kb_rate_limit_store_v1, kb_rate_limit_store>(table, host,
                                                                                                       config_json);
}

Opened<ports::Cache> open_cache(const kb_cache_v1& table, const HostTable& host, std::string_view config_json) {
  return open<ports::Cache, CacheProxy, kb_cache_v1, kb_cache>(table, host, config_json);
}

Opened<ports::CodeHost> open_code_host(const kb_code_host_v1& table, const HostTable& host,
                                       std::string_view config_json) {
  return open<ports::CodeHost, CodeHostProxy, kb_code_host_v1, kb_code_host>(table, host, config_json);
}

Opened<ports::LanguageModel> open_language_model(const kb_language_model_v1& table, const HostTable& host,
                                                 std::string_view config_json) {
  return open<ports::LanguageModel, LanguageModelProxy, kb_language_model_v1, kb_language_model>(table, host,
                                                                                                 config_json);
}

Opened<ports::ItemStore> open_item_store(const Plugin& plugin, const HostTable& host, std::string_view config_json) {
  return open_offered<kb_item_store_v1>(plugin, KB_PORT_ITEM_STORE, open_item_store, host, config_json);
}

Opened<ports::ActivityStore> open_activity_store(const Plugin& plugin, const HostTable& host,
                                                 std::string_view config_json) {
  return open_offered<kb_activity_store_v1>(plugin, KB_PORT_ACTIVITY_STORE, open_activity_store, host, config_json);
}

Opened<ports::ApiKeyStore> open_api_key_store(const Plugin& plugin, const HostTable& host,
                                              std::string_view config_json) {
  return open_offered<kb_key_store_v1>(plugin, KB_PORT_KEY_STORE, open_api_key_store, host, config_json);
}

Opened<ports::SearchIndex> open_search_index(const Plugin& plugin, const HostTable& host,
                                             std::string_view config_json) {
  return open_offered<kb_search_index_v1>(plugin, KB_PORT_SEARCH_INDEX, open_search_index, host, config_json);
}

Opened<ports::RateLimitStore> open_rate_limit_store(const Plugin& plugin, const HostTable& host,
                                                    std::string_view config_json) {
  return open_offered<kb_rate_limit_store_v1>(plugin, KB_PORT_RATE_LIMIT_STORE, open_rate_limit_store, host,
                                              config_json);
}

Opened<ports::Cache> open_cache(const Plugin& plugin, const HostTable& host, std::string_view config_json) {
  return open_offered<kb_cache_v1>(plugin, KB_PORT_CACHE, open_cache, host, config_json);
}

Opened<ports::CodeHost> open_code_host(const Plugin& plugin, const HostTable& host, std::string_view config_json) {
  return open_offered<kb_code_host_v1>(plugin, KB_PORT_CODE_HOST, open_code_host, host, config_json);
}

Opened<ports::LanguageModel> open_language_model(const Plugin& plugin, const HostTable& host,
                                                 std::string_view config_json) {
  return open_offered<kb_language_model_v1>(plugin, KB_PORT_LANGUAGE_MODEL, open_language_model, host, config_json);
}

}  // namespace kbase::plugin_host
