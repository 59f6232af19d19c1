// SPDX-License-Identifier: Apache-2.0
#include "app/composition/backends.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "adapters/content/byte_stream.hpp"
#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/known_ports.hpp"
#include "app/plugin_host/plugin.hpp"
#include "app/runtime/guarded_rate_limit_store.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {
namespace {

using plugin_host::Plugin;

struct SectionPort {
  std::string_view section;
  std::string_view port;
};

constexpr std::array<SectionPort, 7> kPorts = {{
    {"storage", KB_PORT_ITEM_STORE},
    {"search", KB_PORT_SEARCH_INDEX},
    {"rate_limit", KB_PORT_RATE_LIMIT_STORE},
    {"cache", KB_PORT_CACHE},
    {"codehost", KB_PORT_CODE_HOST},
    {"llm", KB_PORT_LANGUAGE_MODEL},
    {"mail", KB_PORT_MAILER},
}};

std::string_view port_name(std::string_view section) {
  for (const SectionPort& known : kPorts)
    if (known.section == section) return known.port;
  return {};
}

/// Returns "; there is no folder /nope" for each configured folder that is missing. The default folders need not exist.
std::string describe_missing(std::span<const std::string> configured) {
  std::string missing;
  for (const std::string& folder : configured)
    if (std::error_code failed; !std::filesystem::is_directory(folder, failed))
      missing += "; there is no folder " + folder;
  return missing;
}

Result<Plugin> find_and_load(const std::string& name, const std::optional<config::Sha256>& sha256,
                             std::span<const std::string> configured) {
  const auto directories = plugin_host::plugin_directories(configured, plugin_host::own_program());
  const auto file = plugin_host::find_plugin(name, directories);
  if (!file) {
    Error error = file.error();
    if (error.code == ErrorCode::NotFound) error.message += describe_missing(configured);
    return error;
  }
  const system::OpensslDigest digest;
  plugin_host::LoadOptions options;
  if (sha256) options.expected.emplace(plugin_host::ExpectedDigest{*sha256, digest});
  return plugin_host::load_plugin(*file, options);
}

/// Whether the plugin persists views and keys.
bool persists_state(const Plugin& plugin) {
  const auto* const activity = plugin.table<kb_activity_store_v1>(KB_PORT_ACTIVITY_STORE);
  const auto* const keys = plugin.table<kb_key_store_v1>(KB_PORT_KEY_STORE);
  return activity != nullptr && (activity->capabilities & KB_ACTIVITY_STORE_CAN_PERSIST) != 0 && keys != nullptr &&
         (keys->capabilities & KB_KEY_STORE_CAN_PERSIST) != 0;
}

bool persists_insights(const Plugin& plugin) {
  const auto* const insights = plugin.table<kb_insight_store_v1>(KB_PORT_INSIGHT_STORE);
  return insights != nullptr && (insights->capabilities & KB_INSIGHT_STORE_CAN_PERSIST) != 0;
}

bool persists_accounts(const Plugin& plugin) {
  const auto* const accounts = plugin.table<kb_account_store_v1>(KB_PORT_ACCOUNT_STORE);
  return accounts != nullptr && (accounts->capabilities & KB_ACCOUNT_STORE_CAN_PERSIST) != 0;
}

/// Back end for views and keys if the storage does not persist them.
config::Backend state_backend(const config::Settings& settings) {
  const nlohmann::json config = {{"state_path", (std::filesystem::path(settings.data_dir) / "state.db").string()},
                                 {"instance", settings.instance}};
  return {"sqlite", {}, config.dump()};
}

/// Returns the configuration of a storage; adds "if_missing": "fail" if requested and the plugin has that setting.
std::string storage_config(const Plugin& plugin, const config::Backend& storage, IfMissing if_missing) {
  if (if_missing == IfMissing::Create) return storage.config;
  const auto schema = nlohmann::json::parse(config_schema(plugin, "storage"), nullptr, /*allow_exceptions=*/false);
  auto config = nlohmann::json::parse(storage.config, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object() || !schema.is_object() ||
      !schema.value("properties", nlohmann::json()).contains("if_missing"))
    return storage.config;
  config["if_missing"] = "fail";
  return config.dump();
}

/// First-byte timeout of the search plugin. A search server answers a bulk request only after it has written
/// everything, which takes many seconds under load. Search calls have shorter deadlines of their own.
constexpr std::chrono::seconds kSearchFirstByteTimeout{60};

constexpr std::chrono::milliseconds kHealthCheckPause{1000};

Result<std::unique_ptr<ports::RateLimitStore>> open_fallback(config::WhenUnavailable mode, Backends& backends,
                                                             Platform& platform) {
  switch (mode) {
    case config::WhenUnavailable::Local: return backends.open_local_rate_limiter();
    case config::WhenUnavailable::Allow:
      return std::unique_ptr<ports::RateLimitStore>(std::make_unique<runtime::AllowingRateLimitStore>(platform.clock));
    case config::WhenUnavailable::Deny: break;
  }
  return std::unique_ptr<ports::RateLimitStore>(std::make_unique<runtime::DenyingRateLimitStore>());
}

}  // namespace

Result<Plugin> load_chosen_plugin(const config::ChosenPlugin& chosen) {
  auto plugin = KBASE_TRY(find_and_load(chosen.plugin, chosen.sha256, chosen.directories));
  const std::string_view port = port_name(chosen.section);
  if (plugin.table<void>(port) == nullptr)
    return Error{ErrorCode::Unsupported, plugin.label() + " does not offer " + std::string(port) +
                                             "; `kbase plugin list` shows what each plugin offers"};
  return plugin;
}

std::string_view config_schema(const Plugin& plugin, std::string_view section) {
  const plugin_host::TableStart start = plugin_host::start_of(plugin.table<void>(port_name(section)));
  return start.config_schema != nullptr ? start.config_schema : R"({"type": "object"})";
}

Result<config::PluginConfig> load_plugin_config(const config::ChosenPlugin& chosen) {
  const auto plugin = KBASE_TRY(load_chosen_plugin(chosen));
  const plugin_host::TableStart start = plugin_host::start_of(plugin.table<void>(port_name(chosen.section)));
  const bool persists = (start.capabilities & KB_ITEM_STORE_CAN_PERSIST) != 0;
  const bool is_shared = (start.capabilities & KB_RATE_LIMIT_CAN_SHARE) != 0;
  return config::PluginConfig{config_schema(plugin, chosen.section), chosen.section == "storage" && !persists,
                              chosen.section == "rate_limit" && is_shared};
}

bool has_shared_index(const Plugin& plugin) {
  const plugin_host::TableStart start = plugin_host::start_of(plugin.table<void>(port_name("search")));
  return (start.capabilities & KB_SEARCH_INDEX_IS_SHARED) != 0;
}

Result<Backends::LoadedPlugin*> Backends::load_plugin(std::string_view section, const config::Backend& backend,
                                                      const UpstreamOverrides& overrides) {
  auto plugin = KBASE_TRY(find_and_load(backend.plugin, backend.sha256, settings_.plugin_directories));
  auto http = KBASE_TRY(clients_.client(section, backend.config, overrides));
  const plugin_host::HostServices services{platform_.clock, log_, metrics_, http.get()};
  return &plugins_.emplace_back(std::move(plugin), std::move(http), services);
}

Result<Stores> Backends::open_stores(IfMissing if_missing) {
  const auto storage = load_plugin("storage", settings_.storage);
  if (!storage) return storage.error();
  auto items = KBASE_TRY(plugin_host::open_port<ports::ItemStore>(
      (*storage)->plugin, (*storage)->host, storage_config((*storage)->plugin, settings_.storage, if_missing)));
  const bool persists_all = persists_state((*storage)->plugin);
  const config::Backend state =
      persists_all ? static_cast<const config::Backend&>(settings_.storage) : state_backend(settings_);
  const auto state_plugin = KBASE_TRY(persists_all ? storage : load_plugin("storage", state));
  const std::string config = storage_config(state_plugin->plugin, state, if_missing);
  auto activity =
      KBASE_TRY(plugin_host::open_port<ports::ActivityStore>(state_plugin->plugin, state_plugin->host, config));
  auto keys = KBASE_TRY(plugin_host::open_port<ports::ApiKeyStore>(state_plugin->plugin, state_plugin->host, config));
  std::unique_ptr<ports::AccountStore> accounts;
  if (keys->has_accounts())
    accounts = KBASE_TRY(
        open_state<ports::AccountStore>(*state_plugin, state, persists_accounts(state_plugin->plugin), if_missing));
  else if (settings_.signup.mode != config::SignUpMode::Off)
    return Error{ErrorCode::Unsupported, "signup.mode: " + state_plugin->plugin.label() +
                                             " does not keep to which account a key belongs "
                                             "(KB_KEY_STORE_CAN_ACCOUNTS); use another storage, or set it to off"};
  std::unique_ptr<ports::InsightStore> insights;
  if (settings_.insights.enabled)
    insights = KBASE_TRY(
        open_state<ports::InsightStore>(*state_plugin, state, persists_insights(state_plugin->plugin), if_missing));
  return Stores{std::move(items), std::move(activity), std::move(keys), std::move(accounts), std::move(insights)};
}

template <class Port>
Result<std::unique_ptr<Port>> Backends::open_state(LoadedPlugin& state_plugin, const config::Backend& state,
                                                   bool persists, IfMissing if_missing) {
  const config::Backend backend = persists ? state : state_backend(settings_);
  LoadedPlugin* plugin = &state_plugin;
  if (!persists) plugin = KBASE_TRY(load_plugin("storage", backend));
  return plugin_host::open_port<Port>(plugin->plugin, plugin->host,
                                      storage_config(plugin->plugin, backend, if_missing));
}

Result<WritableIndex> Backends::open_index(const Stores& stores) {
  const auto loaded = load_plugin("search", settings_.search, {kSearchFirstByteTimeout, {}, 0});
  if (!loaded) return loaded.error();
  auto index = KBASE_TRY(
      plugin_host::open_port<ports::SearchIndex>((*loaded)->plugin, (*loaded)->host, settings_.search.config));
  auto lease = KBASE_TRY(runtime::IndexWriteLease::make({*stores.items, *index, platform_.clock, platform_.random}));
  return WritableIndex{std::move(index), std::move(lease)};
}

Result<std::unique_ptr<ports::RateLimitStore>> Backends::open_rate_limiter() {
  const auto loaded = KBASE_TRY(load_plugin("rate_limit", settings_.rate_limit));
  auto rate_limiter =
      plugin_host::open_port<ports::RateLimitStore>(loaded->plugin, loaded->host, settings_.rate_limit.config);
  if (!rate_limiter || !(*rate_limiter)->capabilities().shared) return rate_limiter;
  return std::unique_ptr<ports::RateLimitStore>(
      std::make_unique<HashingRateLimitStore>(*std::move(rate_limiter), settings_.rate_limit.secret));
}

Result<std::unique_ptr<ports::RateLimitStore>> Backends::open_local_rate_limiter() {
  const config::Backend memory{"memory", {}, "{}"};
  const auto loaded = KBASE_TRY(load_plugin("rate_limit", memory));
  return plugin_host::open_port<ports::RateLimitStore>(loaded->plugin, loaded->host, memory.config);
}

Result<std::unique_ptr<ports::Cache>> Backends::open_cache() {
  if (settings_.cache.plugin == config::kNoPlugin) return std::unique_ptr<ports::Cache>();
  const auto loaded = KBASE_TRY(load_plugin("cache", settings_.cache));
  return plugin_host::open_port<ports::Cache>(loaded->plugin, loaded->host, settings_.cache.config);
}

Result<std::unique_ptr<ports::CodeHost>> Backends::open_code_host() {
  if (settings_.codehost.plugin == config::kNoPlugin) return std::unique_ptr<ports::CodeHost>();
  const config::CodeHost& host = settings_.codehost;
  const auto loaded = load_plugin("codehost", host, {{}, {}, host.max_concurrent});
  if (!loaded) return loaded.error();
  return plugin_host::open_port<ports::CodeHost>((*loaded)->plugin, (*loaded)->host, host.config);
}

Result<std::unique_ptr<ports::Mailer>> Backends::open_mailer() {
  if (settings_.mail.plugin == config::kNoPlugin) return std::unique_ptr<ports::Mailer>();
  const auto loaded = KBASE_TRY(load_plugin("mail", settings_.mail));
  return plugin_host::open_port<ports::Mailer>(loaded->plugin, loaded->host, settings_.mail.config);
}

Result<std::unique_ptr<ports::HttpClient>> Backends::open_web_client(const std::string& url) {
  UpstreamOverrides overrides;
  overrides.max_body_bytes = content::kMaxRecordBytes;
  overrides.stops_at_failures = false;  // each page is judged by itself
  return clients_.client("content", nlohmann::json{{"url", url}}.dump(), overrides);
}

Result<std::unique_ptr<ports::LanguageModel>> Backends::open_language_model() {
  const config::Llm& llm = settings_.llm;
  if (llm.plugin == config::kNoPlugin) return std::unique_ptr<ports::LanguageModel>();
  const auto loaded = KBASE_TRY(load_plugin("llm", llm, {llm.timeout, llm.idle_timeout, llm.max_concurrent}));
  return plugin_host::open_port<ports::LanguageModel>(loaded->plugin, loaded->host, llm.config);
}

Status HashingRateLimitStore::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                      std::span<ports::Decision* const> decisions) {
  std::vector<ports::AcquireRequest> hashed;
  std::vector<const ports::AcquireRequest*> pointers;
  hashed.reserve(requests.size());
  for (const ports::AcquireRequest* const request : requests)
    pointers.push_back(&hashed.emplace_back(hash_ids(*request)));
  return rate_limiter_->acquire(call, pointers, decisions);
}

ports::AcquireRequest HashingRateLimitStore::hash_ids(const ports::AcquireRequest& request) const {
  ports::AcquireRequest copy = request;
  copy.client_id = hash_ids("subject:", request.client_id);
  if (request.has_fallback_bucket()) copy.fallback_bucket = hash_ids("group:", request.fallback_bucket);
  return copy;
}

/// The kind separates the two hash domains from each other, and from the log's pseudonyms if the log has the same
/// secret.
model::ClientId HashingRateLimitStore::hash_ids(std::string_view kind, const model::ClientId& client_id) const {
  std::string message(kind);
  message.append(client_id.begin(), client_id.end());
  const auto code = hmac_.sign(message);
  model::ClientId hashed;
  std::copy_n(code.begin(), hashed.size(), hashed.begin());
  return hashed;
}

Result<RateLimiting> open_rate_limiting(const config::RateLimit& settings, Backends& backends, Platform& platform,
                                        ports::Metrics& metrics) {
  auto store = KBASE_TRY(backends.open_rate_limiter());
  RateLimiting rate_limiter;
  rate_limiter.store = std::move(store);
  ports::RateLimitStore* limiter = rate_limiter.store.get();
  if (!limiter->capabilities().inline_calls) {
    auto fallback = KBASE_TRY(open_fallback(settings.when_unavailable, backends, platform));
    rate_limiter.fallback = std::move(fallback);
    rate_limiter.guard = std::make_unique<runtime::GuardedRateLimitStore>(
        runtime::GuardedRateLimitStore::Dependencies{
            *rate_limiter.store, *rate_limiter.fallback, platform.clock, platform.log,
            metrics.counter("kbase_rate_limit_failures_total",
                            "Requests and adjustments that the rate limiter did not answer in time."),
            metrics.counter("kbase_rate_limit_fallback_decisions_total",
                            "Requests decided as rate_limit.when_unavailable requires.")},
        settings.timeout);
    limiter = rate_limiter.guard.get();
  }
  rate_limiter.metered_requests =
      std::make_unique<runtime::MeteredRequestLimiter>(*limiter, platform.clock, metrics, platform.log);
  rate_limiter.metered_tokens =
      std::make_unique<runtime::MeteredTokenLimiter>(*limiter, platform.clock, metrics, platform.log);
  return rate_limiter;
}

std::unique_ptr<runtime::PeriodicTask> start_health_task(const RateLimiting& rate_limiter,
                                                         runtime::HealthChecker& health) {
  if (!rate_limiter.guard) return nullptr;
  return std::make_unique<runtime::PeriodicTask>(kHealthCheckPause, [&guard = *rate_limiter.guard, &health] {
    guard.check_health();
    health.set(ports::Service::RateLimit, guard.is_available() ? ports::ServiceState::Up : ports::ServiceState::Down);
  });
}

}  // namespace kbase::composition
