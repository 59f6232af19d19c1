// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/system/system_crypto.hpp"
#include "app/composition/platform.hpp"
#include "app/composition/upstream_services.hpp"
#include "app/config/settings.hpp"
#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/plugin.hpp"
#include "app/runtime/guarded_rate_limit_store.hpp"
#include "app/runtime/index_follower.hpp"
#include "app/runtime/server_health.hpp"
#include "app/runtime/worker_pool.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/account_store.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/insight_store.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driven/mailer.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

/// Opens the back ends that the configuration names. Every back end is a plugin; none is compiled into the program.
namespace kbase::composition {

/// Loads the plugin of a section and checks that it offers the section's port. Errors: NotFound (no such plugin file),
/// Unsupported (the file is not usable, or does not offer the port).
Result<plugin_host::Plugin> load_chosen_plugin(const config::ChosenPlugin& chosen);

/// Returns the JSON Schema text of the `config` object that the section's plugin accepts.
std::string_view config_schema(const plugin_host::Plugin& plugin, std::string_view section);

/// Returns what the configuration check needs to know about a section's plugin. Errors: those of load_chosen_plugin().
Result<config::PluginConfig> load_plugin_config(const config::ChosenPlugin& chosen);

/// Returns true if several servers share the plugin's search index, so that it is not stored in this server's files.
bool has_shared_index(const plugin_host::Plugin& plugin);

/// What open_stores() does if the stores do not exist or were written by an older kbase.
enum class IfMissing { Create, Fail };

/// The stores of items, views, API keys and accounts.
struct Stores {
  std::unique_ptr<ports::ItemStore> items;
  std::unique_ptr<ports::ActivityStore> activity;
  std::unique_ptr<ports::ApiKeyStore> keys;
  std::unique_ptr<ports::AccountStore> accounts;  ///< null: the storage keeps no accounts
  std::unique_ptr<ports::InsightStore> insights;  ///< null: the configuration has no insights
};

/// The search index and the right to write to it.
struct WritableIndex {
  std::unique_ptr<ports::SearchIndex> port;
  std::unique_ptr<runtime::IndexWriteLease> lease;  ///< the lease to write to the index; null: no other server writes
                                                    ///< to it
};

/// Opens back ends. Owns the host services that the back ends use, so it must outlive them. The settings and the
/// platform must outlive it. Not thread-safe.
class Backends {
 public:
  /// If `metrics` is null, the plugins' metrics are discarded. If `log` is null, plugins log to the platform's log.
  Backends(const config::Settings& settings, Platform& platform, ports::Metrics* metrics,
           ports::EventLog* log = nullptr)
      : settings_(settings),
        platform_(platform),
        log_(log != nullptr ? *log : platform.log),
        metrics_(metrics),
        clients_(settings.upstream, platform, metrics) {}

  /// Opens views, keys and accounts in the embedded `sqlite` store if the storage plugin does not persist them. Error:
  /// NotFound with IfMissing::Fail if the stores are missing. A plugin without the setting `if_missing` creates them
  /// anyway.
  Result<Stores> open_stores(IfMissing if_missing = IfMissing::Create);
  /// `stores` must outlive the index. Error: Unsupported if several servers share the index and the storage has no
  /// lease.
  Result<WritableIndex> open_index(const Stores& stores);
  Result<std::unique_ptr<ports::RateLimitStore>> open_rate_limiter();

  /// Opens a rate limiter in this process's memory, used as the fallback while the configured one is unavailable.
  Result<std::unique_ptr<ports::RateLimitStore>> open_local_rate_limiter();

  /// Returns null if the configuration has no cache.
  Result<std::unique_ptr<ports::Cache>> open_cache();

  /// Returns null if the configuration has no code-hosting service.
  Result<std::unique_ptr<ports::CodeHost>> open_code_host();

  /// Returns null if the configuration has no way to send mails.
  Result<std::unique_ptr<ports::Mailer>> open_mailer();

  /// Returns a client that may connect to the origin of `url` alone, for an import.
  Result<std::unique_ptr<ports::HttpClient>> open_web_client(const std::string& url);

  /// Returns null if the configuration has no language model.
  Result<std::unique_ptr<ports::LanguageModel>> open_language_model();

 private:
  /// A loaded plugin and the host services it uses; `services` must refer to `client`.
  struct LoadedPlugin {
    LoadedPlugin(plugin_host::Plugin loaded, std::unique_ptr<ports::HttpClient> client,
                 const plugin_host::HostServices& services)
        : plugin(std::move(loaded)), http(std::move(client)), host(plugin, services) {}

    plugin_host::Plugin plugin;
    std::unique_ptr<ports::HttpClient> http;  // null: its settings contain no service URL
    plugin_host::HostTable host;
  };
  /// Opens a port of server state in the plugin of the keys, or in the embedded `sqlite` store if `persists` is false.
  template <class Port>
  Result<std::unique_ptr<Port>> open_state(LoadedPlugin& state_plugin, const config::Backend& state, bool persists,
                                           IfMissing if_missing);
  Result<LoadedPlugin*> load_plugin(std::string_view section, const config::Backend& backend,
                                    const UpstreamOverrides& overrides = {});

  const config::Settings& settings_;
  Platform& platform_;
  ports::EventLog& log_;
  ports::Metrics* metrics_;
  UpstreamClients clients_;
  std::list<LoadedPlugin> plugins_;
};

/// Rate limiter that replaces client ids by keyed hashes before they leave this process: the first 128 bits of
/// HMAC-SHA-256 (RFC 2104). All IPv4 addresses can be hashed in a minute, so without the secret a reader of the store
/// could identify the clients. Servers with the same secret share their counts. Thread-safe.
class HashingRateLimitStore final : public ports::RateLimitStore {
 public:
  HashingRateLimitStore(std::unique_ptr<ports::RateLimitStore> rate_limiter, std::string_view secret)
      : rate_limiter_(std::move(rate_limiter)), hmac_(secret) {}

  Capabilities capabilities() const override { return rate_limiter_->capabilities(); }
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                std::uint32_t used) override {
    return rate_limiter_->adjust(call, hash_ids(request), decision, used);
  }
  Status health(ports::Call& call) override { return rate_limiter_->health(call); }

 private:
  ports::AcquireRequest hash_ids(const ports::AcquireRequest& request) const;
  model::ClientId hash_ids(std::string_view kind, const model::ClientId& client_id) const;

  const std::unique_ptr<ports::RateLimitStore> rate_limiter_;
  const system::HmacSha256 hmac_;
};

/// The configured rate limiter with its wrappers: metrics, and a guard with a timeout if a call can block. Each member
/// uses only members declared before it.
struct RateLimiting {
  std::unique_ptr<ports::RateLimitStore> store;
  std::unique_ptr<ports::RateLimitStore> fallback;        ///< null: calls of the store never block
  std::unique_ptr<runtime::GuardedRateLimitStore> guard;  ///< null: as for `fallback`
  std::unique_ptr<ports::RateLimitStore> metered_requests;
  std::unique_ptr<ports::RateLimitStore> metered_tokens;

  /// Both views share one rate limiter; each has its own metrics.
  ports::RateLimitStore& requests() const { return *metered_requests; }
  ports::RateLimitStore& tokens() const { return *metered_tokens; }
};

/// `backends` and `metrics` must outlive the result. Errors: those of Backends::open_rate_limiter().
Result<RateLimiting> open_rate_limiting(const config::RateLimit& settings, Backends& backends, Platform& platform,
                                        ports::Metrics& metrics);

/// Checks the health of a guarded rate limiter once a second and reports it to `health`. It has its own thread, so that
/// slow health checks of other services do not delay it. Null: the rate limiter is not guarded. Both arguments must
/// outlive the task.
std::unique_ptr<runtime::PeriodicTask> start_health_task(const RateLimiting& rate_limiter,
                                                         runtime::HealthChecker& health);

}  // namespace kbase::composition
