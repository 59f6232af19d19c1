// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

/// The only place that knows which adapter stands behind a name of the configuration.
namespace kbase::composition {

/// Threads that do what may block, each with at most one call at a time under way.
inline constexpr unsigned kWorkerThreads = 4;

/// What the plugin of a section says about its configuration. NotFound: there is no such plugin.
model::Result<config::PluginConfig> plugin_config(const config::ChosenPlugin& chosen);

/// Makes `data_dir` where it is missing. Unavailable: it cannot be made or written.
model::Status prepare_data_dir(const config::Settings& settings);

/// The stores of items, views and keys. Where the storage keeps no views and keys, `state.db` does.
struct Stores {
  std::unique_ptr<ports::ItemStore> items;
  std::shared_ptr<ports::ActivityStore> activity;
  std::shared_ptr<ports::ApiKeyStore> keys;
};
model::Result<Stores> open_stores(const config::Settings& settings, Platform& platform);

model::Result<std::unique_ptr<ports::SearchIndex>> open_index(const config::Settings& settings, Platform& platform);
model::Result<std::unique_ptr<ports::RateLimitStore>> open_ledger(const config::Settings& settings, Platform& platform);

/// Null where the configuration wants no cache.
model::Result<std::unique_ptr<ports::Cache>> open_cache(const config::Settings& settings, Platform& platform);

}  // namespace kbase::composition
