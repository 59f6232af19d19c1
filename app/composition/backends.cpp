// SPDX-License-Identifier: Apache-2.0
#include "app/composition/backends.hpp"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/composition/hashing_rate_limit_store.hpp"
#include "app/plugin_host/known_ports.hpp"
#include "app/plugin_host/open_ports.hpp"
#include "app/plugin_host/plugin_search.hpp"

namespace kbase::composition {
namespace {

using plugin_host::Plugin;

struct SectionPort {
  std::string_view section;
  std::string_view port;
};

constexpr std::array<SectionPort, 6> kPorts = {{
    {"storage", KB_PORT_ITEM_STORE},
    {"search", KB_PORT_SEARCH_INDEX},
    {"rate_limit", KB_PORT_RATE_LIMIT_STORE},
    {"cache", KB_PORT_CACHE},
    {"codehost", KB_PORT_CODE_HOST},
    {"llm", KB_PORT_LANGUAGE_MODEL},
}};

std::string_view port_of(std::string_view section) {
  for (const SectionPort& known : kPorts)
    if (known.section == section) return known.port;
  return {};
}

/// Returns "; there is no folder /nope" for each configured folder that is missing. The default folders need not exist.
std::string missing_among(std::span<const std::string> configured) {
  std::string missing;
  for (const std::string& folder : configured)
    if (std::error_code failed; !std::filesystem::is_directory(folder, failed))
      missing += "; there is no folder " + folder;
  return missing;
}

model::Result<Plugin> load(const std::string& name, const std::optional<config::Sha256>& sha256,
                           std::span<const std::string> configured) {
  const auto directories = plugin_host::plugin_directories(configured, plugin_host::own_program());
  const auto file = plugin_host::find_plugin(name, directories);
  if (!file) {
    model::Error error = file.error();
    if (error.code == model::ErrorCode::NotFound) error.message += missing_among(configured);
    return error;
  }
  const system::OpensslDigest digest;
  plugin_host::LoadOptions options;
  if (sha256) options.expected.emplace(plugin_host::ExpectedDigest{*sha256, digest});
  return plugin_host::load_plugin(*file, options);
}

/// Returns true if the plugin persists both views and keys.
bool keeps_state(const Plugin& plugin) {
  const auto* const activity = plugin.table<kb_activity_store_v1>(KB_PORT_ACTIVITY_STORE);
  const auto* const keys = plugin.table<kb_key_store_v1>(KB_PORT_KEY_STORE);
  return activity != nullptr && (activity->capabilities & KB_ACTIVITY_STORE_CAN_PERSIST) != 0 && keys != nullptr &&
         (keys->capabilities & KB_KEY_STORE_CAN_PERSIST) != 0;
}

/// Back end for views and keys if the storage does not persist them.
config::Backend state_task(const config::Settings& settings) {
  const nlohmann::json config = {{"state_path", (std::filesystem::path(settings.data_dir) / "state.db").string()},
                                 {"instance", settings.instance}};
  return {"sqlite", {}, config.dump()};
}

/// Returns the configuration of a storage; adds "if_missing": "fail" if requested and the plugin has that setting.
std::string config_of(const Plugin& plugin, const config::Backend& storage, IfMissing if_missing) {
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
constexpr std::chrono::seconds kFirstByteOfSearch{60};

}  // namespace

model::Result<Plugin> chosen_plugin(const config::ChosenPlugin& chosen) {
  auto plugin = load(chosen.plugin, chosen.sha256, chosen.directories);
  if (!plugin) return plugin.error();
  const std::string_view port = port_of(chosen.section);
  if (plugin->table<void>(port) == nullptr)
    return model::Error{model::ErrorCode::Unsupported,
                        plugin->label() + " does not offer " + std::string(port) +
                            "; `kbase plugin list` shows what each plugin offers",
                        {},
                        {},
                        {}};
  return plugin;
}

std::string_view config_schema(const Plugin& plugin, std::string_view section) {
  const plugin_host::TableStart start = plugin_host::start_of(plugin.table<void>(port_of(section)));
  return start.config_schema != nullptr ? start.config_schema : R"({"type": "object"})";
}

model::Result<config::PluginConfig> plugin_config(const config::ChosenPlugin& chosen) {
  const auto plugin = chosen_plugin(chosen);
  if (!plugin) return plugin.error();
  const plugin_host::TableStart start = plugin_host::start_of(plugin->table<void>(port_of(chosen.section)));
  const bool persists = (start.capabilities & KB_ITEM_STORE_CAN_PERSIST) != 0;
  const bool is_shared = (start.capabilities & KB_RATE_LIMIT_CAN_SHARE) != 0;
  return config::PluginConfig{config_schema(*plugin, chosen.section), chosen.section == "storage" && !persists,
                              chosen.section == "rate_limit" && is_shared};
}

bool is_shared_index(const Plugin& plugin) {
  const plugin_host::TableStart start = plugin_host::start_of(plugin.table<void>(port_of("search")));
  return (start.capabilities & KB_SEARCH_INDEX_IS_SHARED) != 0;
}

model::Status prepare_data_dir(const config::Settings& settings) {
  std::error_code failed;
  if (std::filesystem::create_directories(settings.data_dir, failed))
    std::filesystem::permissions(settings.data_dir, std::filesystem::perms::owner_all, failed);
  if (!failed) return {};
  return model::Error{model::ErrorCode::Unavailable,
                      "cannot make the data folder " + settings.data_dir + ": " + failed.message() +
                          "; set data_dir to a folder that this user may write",
                      {},
                      {},
                      {}};
}

std::optional<std::filesystem::path> index_folder_elsewhere(const config::Settings& settings) {
  const auto config = nlohmann::json::parse(settings.search.config, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object() || !config.contains("path") || !config["path"].is_string()) return std::nullopt;
  std::error_code ignored;
  const auto folder = std::filesystem::weakly_canonical(config["path"].get<std::string>(), ignored);
  const auto within = folder.lexically_relative(std::filesystem::weakly_canonical(settings.data_dir, ignored));
  const bool is_elsewhere = within.empty() || *within.begin() == "..";
  if (!is_elsewhere || std::filesystem::is_regular_file(folder, ignored)) return std::nullopt;
  return folder;
}

model::Result<Backends::Guest*> Backends::invite(std::string_view section, const config::Backend& backend,
                                                 const UpstreamNeeds& needs) {
  auto plugin = load(backend.plugin, backend.sha256, settings_.plugin_directories);
  if (!plugin) return plugin.error();
  auto http = upstreams_.client(section, backend.config, needs);
  if (!http) return http.error();
  const plugin_host::HostServices services{platform_.clock, log_, metrics_, http->get()};
  return &guests_.emplace_back(*std::move(plugin), *std::move(http), services);
}

model::Result<Stores> Backends::open_stores(IfMissing if_missing) {
  const auto storage = invite("storage", settings_.storage);
  if (!storage) return storage.error();
  auto items = plugin_host::open_item_store((*storage)->plugin, (*storage)->host,
                                            config_of((*storage)->plugin, settings_.storage, if_missing));
  if (!items) return items.error();
  const bool keeps_all = keeps_state((*storage)->plugin);
  const config::Backend state =
      keeps_all ? static_cast<const config::Backend&>(settings_.storage) : state_task(settings_);
  const auto updater = keeps_all ? storage : invite("storage", state);
  if (!updater) return updater.error();
  const std::string config = config_of((*updater)->plugin, state, if_missing);
  auto activity = plugin_host::open_activity_store((*updater)->plugin, (*updater)->host, config);
  if (!activity) return activity.error();
  auto keys = plugin_host::open_api_key_store((*updater)->plugin, (*updater)->host, config);
  if (!keys) return keys.error();
  return Stores{*std::move(items), *std::move(activity), *std::move(keys)};
}

model::Result<FedIndex> Backends::open_index(const Stores& stores) {
  const auto guest = invite("search", settings_.search, {kFirstByteOfSearch, {}, 0});
  if (!guest) return guest.error();
  auto index = plugin_host::open_search_index((*guest)->plugin, (*guest)->host, settings_.search.config);
  if (!index) return index.error();
  auto lease = runtime::FeedingLease::make({*stores.items, **index, platform_.clock, platform_.random});
  if (!lease) return lease.error();
  return FedIndex{*std::move(index), *std::move(lease)};
}

model::Result<std::unique_ptr<ports::RateLimitStore>> Backends::open_rate_limiter() {
  const auto guest = invite("rate_limit", settings_.rate_limit);
  if (!guest) return guest.error();
  auto rate_limiter = plugin_host::open_rate_limit_store((*guest)->plugin, (*guest)->host, settings_.rate_limit.config);
  if (!rate_limiter || !(*rate_limiter)->capabilities().shared) return rate_limiter;
  return std::unique_ptr<ports::RateLimitStore>(
      std::make_unique<HashingRateLimitStore>(*std::move(rate_limiter), settings_.rate_limit.secret));
}

model::Result<std::unique_ptr<ports::RateLimitStore>> Backends::open_local_rate_limiter() {
  const config::Backend memory{"memory", {}, "{}"};
  const auto guest = invite("rate_limit", memory);
  if (!guest) return guest.error();
  return plugin_host::open_rate_limit_store((*guest)->plugin, (*guest)->host, memory.config);
}

model::Result<std::unique_ptr<ports::Cache>> Backends::open_cache() {
  if (settings_.cache.plugin == config::kNoPlugin) return std::unique_ptr<ports::Cache>();
  const auto guest = invite("cache", settings_.cache);
  if (!guest) return guest.error();
  return plugin_host::open_cache((*guest)->plugin, (*guest)->host, settings_.cache.config);
}

model::Result<std::unique_ptr<ports::CodeHost>> Backends::open_code_host() {
  if (settings_.codehost.plugin == config::kNoPlugin) return std::unique_ptr<ports::CodeHost>();
  const config::CodeHost& host = settings_.codehost;
  const auto guest = invite("codehost", host, {{}, {}, host.max_concurrent});
  if (!guest) return guest.error();
  return plugin_host::open_code_host((*guest)->plugin, (*guest)->host, host.config);
}

model::Result<std::unique_ptr<ports::LanguageModel>> Backends::open_language_model() {
  const config::Llm& llm = settings_.llm;
  if (llm.plugin == config::kNoPlugin) return std::unique_ptr<ports::LanguageModel>();
  const auto guest = invite("llm", llm, {llm.timeout, llm.idle_timeout, llm.max_concurrent});
  if (!guest) return guest.error();
  return plugin_host::open_language_model((*guest)->plugin, (*guest)->host, llm.config);
}

}  // namespace kbase::composition
