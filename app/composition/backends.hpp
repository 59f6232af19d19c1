// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/composition/platform.hpp"
#include "app/composition/upstreams.hpp"
#include "app/config/settings.hpp"
#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/plugin.hpp"
#include "app/runtime/feeding_lease.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

/// The back ends that the configuration names. Each comes out of a plugin; the program knows none of them.
namespace kbase::composition {

/// The plugin of a section, loaded, which offers the section's port. Unsupported, NotFound: why it is not to be had.
model::Result<plugin_host::Plugin> chosen_plugin(const config::ChosenPlugin& chosen);

/// The JSON Schema text of what a section's plugin takes as `config`.
std::string_view config_schema(const plugin_host::Plugin& plugin, std::string_view section);

/// What the plugin of a section says about its configuration. Errors: as chosen_plugin.
model::Result<config::PluginConfig> plugin_config(const config::ChosenPlugin& chosen);

/// Whether a plugin's search index is one of several servers, so not in this one's files.
bool is_shared_index(const plugin_host::Plugin& plugin);

/// Makes `data_dir` where it is missing, for its owner alone. Unavailable: it cannot be made or written.
model::Status prepare_data_dir(const config::Settings& settings);

/// The folder of the search index, where the configuration puts it outside of data_dir.
std::optional<std::filesystem::path> index_folder_elsewhere(const config::Settings& settings);

/// What opening stores does where they are missing or of an older kbase.
enum class IfMissing { Create, Fail };

/// The stores of items, views and keys.
struct Stores {
  std::unique_ptr<ports::ItemStore> items;
  std::unique_ptr<ports::ActivityStore> activity;
  std::unique_ptr<ports::ApiKeyStore> keys;
};

/// The search index.
struct FedIndex {
  std::unique_ptr<ports::SearchIndex> port;
  std::unique_ptr<runtime::FeedingLease> lease;  ///< the right to feed it; null: nobody else does
};

/// Opens back ends. It lends them what they use of the server, so it outlives them, as the settings and the platform
/// outlive it. One thread.
class Backends {
 public:
  /// `metrics` may be null: nobody reads what plugins count. So may `log`: plugins say to the platform's.
  Backends(const config::Settings& settings, Platform& platform, ports::Metrics* metrics,
           ports::EventLog* log = nullptr)
      : settings_(settings),
        platform_(platform),
        log_(log != nullptr ? *log : platform.log),
        metrics_(metrics),
        upstreams_(settings.upstream, platform, metrics) {}

  /// Where the storage keeps no views and keys, or none for long, the embedded store does.
  /// NotFound: they may not be made; of plugins that have no setting `if_missing`, they are.
  model::Result<Stores> open_stores(IfMissing if_missing = IfMissing::Create);
  /// `stores` outlive the index. Unsupported: several servers share the index, and the storage can't part them.
  model::Result<FedIndex> open_index(const Stores& stores);
  model::Result<std::unique_ptr<ports::RateLimitStore>> open_rate_limiter();

  /// One in this process's memory, for while the configured one is away.
  model::Result<std::unique_ptr<ports::RateLimitStore>> open_local_rate_limiter();

  /// Null where the configuration wants no cache.
  model::Result<std::unique_ptr<ports::Cache>> open_cache();

  /// Null where the configuration wants no code-hosting service.
  model::Result<std::unique_ptr<ports::CodeHost>> open_code_host();

  /// Null where the configuration wants no language model.
  model::Result<std::unique_ptr<ports::LanguageModel>> open_language_model();

 private:
  /// A plugin and what it is lent; `services` lead to `client`.
  struct Guest {
    Guest(plugin_host::Plugin invited, std::unique_ptr<ports::HttpClient> client,
          const plugin_host::HostServices& services)
        : plugin(std::move(invited)), http(std::move(client)), host(plugin, services) {}

    plugin_host::Plugin plugin;
    std::unique_ptr<ports::HttpClient> http;  // null: its settings name no service
    plugin_host::HostTable host;
  };
  model::Result<Guest*> invite(std::string_view section, const config::Backend& backend,
                               const UpstreamNeeds& needs = {});

  const config::Settings& settings_;
  Platform& platform_;
  ports::EventLog& log_;
  ports::Metrics* metrics_;
  Upstreams upstreams_;
  std::list<Guest> guests_;
};

}  // namespace kbase::composition
