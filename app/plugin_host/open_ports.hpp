// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <memory>
#include <string_view>

#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/plugin.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

/// Create an instance of a port that a plugin offers. `config_json` is JSON text that fits the table's config_schema.
/// The host must outlive the instance. Errors: Unsupported if the plugin has no such port; InvalidArgument for a wrong
/// setting, which `parameter` names; otherwise the error of the plugin's create().
namespace kbase::plugin_host {

template <class Port>
using Opened = model::Result<std::unique_ptr<Port>>;

Opened<ports::ItemStore> open_item_store(const Plugin& plugin, const HostTable& host, std::string_view config_json);
Opened<ports::ActivityStore> open_activity_store(const Plugin& plugin, const HostTable& host,
                                                 std::string_view config_json);
Opened<ports::ApiKeyStore> open_api_key_store(const Plugin& plugin, const HostTable& host,
                                              std::string_view config_json);
Opened<ports::SearchIndex> open_search_index(const Plugin& plugin, const HostTable& host, std::string_view config_json);
Opened<ports::RateLimitStore> open_rate_limit_store(const Plugin& plugin, const HostTable& host,
                                                    std::string_view config_json);
Opened<ports::Cache> open_cache(const Plugin& plugin, const HostTable& host, std::string_view config_json);
Opened<ports::CodeHost> open_code_host(const Plugin& plugin, const HostTable& host, std::string_view config_json);
Opened<ports::LanguageModel> open_language_model(const Plugin& plugin, const HostTable& host,
                                                 std::string_view config_json);

/// Create an instance from a static table with all mandatory functions.
Opened<ports::ItemStore> open_item_store(const kb_item_store_v1& table, const HostTable& host,
                                         std::string_view config_json);
Opened<ports::ActivityStore> open_activity_store(const kb_activity_store_v1& table, const HostTable& host,
                                                 std::string_view config_json);
Opened<ports::ApiKeyStore> open_api_key_store(const kb_key_store_v1& table, const HostTable& host,
                                              std::string_view config_json);
Opened<ports::SearchIndex> open_search_index(const kb_search_index_v1& table, const HostTable& host,
                                             std::string_view config_json);
Opened<ports::RateLimitStore> open_rate_limit_store(const kb_rate_limit_store_v1& table, const HostTable& host,
                                                    std::string_view config_json);
Opened<ports::Cache> open_cache(const kb_cache_v1& table, const HostTable& host, std::string_view config_json);
Opened<ports::CodeHost> open_code_host(const kb_code_host_v1& table, const HostTable& host,
                                       std::string_view config_json);
Opened<ports::LanguageModel> open_language_model(const kb_language_model_v1& table, const HostTable& host,
                                                 std::string_view config_json);

}  // namespace kbase::plugin_host
