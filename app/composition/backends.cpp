// SPDX-License-Identifier: Apache-2.0
#include "app/composition/backends.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "adapters/fts5/fts5_search_index.hpp"
#include "adapters/memory/cache.hpp"
#include "adapters/memory/item_store.hpp"
#include "adapters/memory/rate_limit_store.hpp"
#include "adapters/memory_index/memory_search_index.hpp"
#include "adapters/sqlite/item_store.hpp"
#include "adapters/sqlite/state_database.hpp"
#include "app/config/units.hpp"

namespace kbase::composition {
namespace {

using Json = nlohmann::json;

/// Who reads the store beside the reactor threads: the worker pool, and the keepers of index, views and health.
constexpr unsigned kBackgroundReaders = kWorkerThreads + 3;

/// The `config` of a back end, which the settings have checked against its schema.
Json config_of(const config::Backend& backend) {
  return Json::parse(backend.config);
}

std::filesystem::path path_in(const config::Settings& settings, const config::Backend& backend, const char* name) {
  const Json config = config_of(backend);
  if (config.contains("path")) return config["path"].get<std::string>();
  return std::filesystem::path(settings.data_dir) / name;
}

/// The schemas name every plugin there is, so only a plugin that was forgotten here comes to this.
model::Error unknown(std::string_view section, const config::Backend& backend) {
  return {model::ErrorCode::Unsupported,
          std::string(section) + " has no plugin named '" + backend.plugin + "'",
          {},
          {},
          {}};
}

void warn_of_new(ports::EventLog& log, std::string_view event, const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string text = std::filesystem::absolute(path, ignored).string();
  const ports::LogField fields[] = {{"path", text}};
  log.log(ports::LogLevel::Warning, event, "there was none, so an empty one was created", fields);
}

model::Result<std::unique_ptr<ports::ItemStore>> open_items(const config::Settings& settings, Platform& platform) {
  if (settings.storage.plugin == "memory")
    return std::unique_ptr<ports::ItemStore>(
        std::make_unique<memory::MemoryItemStore>(platform.random, platform.clock));
  if (settings.storage.plugin != "sqlite") return unknown("storage", settings.storage);
  sqlite::SqliteItemStore::Options options;
  options.path = path_in(settings, settings.storage, "content.db");
  options.readers = settings.server.threads + kBackgroundReaders;
  auto opened = sqlite::SqliteItemStore::open(options, platform.clock, platform.random, &platform.log);
  if (!opened) return opened.error();
  if ((*opened)->created()) warn_of_new(platform.log, "store.created", options.path);
  return std::unique_ptr<ports::ItemStore>(*std::move(opened));
}

}  // namespace

model::Status prepare_data_dir(const config::Settings& settings) {
  std::error_code failed;
  std::filesystem::create_directories(settings.data_dir, failed);
  if (!failed) return {};
  return model::Error{model::ErrorCode::Unavailable,
                      "cannot make the data folder " + settings.data_dir + ": " + failed.message() +
                          "; set data_dir to a folder that this user may write",
                      {},
                      {},
                      {}};
}

model::Result<Stores> open_stores(const config::Settings& settings, Platform& platform) {
  auto items = open_items(settings, platform);
  if (!items) return items.error();
  sqlite::StateDatabase::Options options;
  options.path = std::filesystem::path(settings.data_dir) / "state.db";
  auto opened = sqlite::StateDatabase::open(options, platform.clock);
  if (!opened) return opened.error();
  const std::shared_ptr<sqlite::StateDatabase> state = *std::move(opened);
  // Each port shares in owning the database it is a part of.
  return Stores{*std::move(items), {state, &state->activity()}, {state, &state->api_keys()}};
}

model::Result<std::unique_ptr<ports::SearchIndex>> open_index(const config::Settings& settings, Platform& platform) {
  if (settings.search.plugin == "memory")
    return std::unique_ptr<ports::SearchIndex>(std::make_unique<memory_index::MemorySearchIndex>());
  if (settings.search.plugin != "fts5") return unknown("search", settings.search);
  fts5::Options options;
  options.path = path_in(settings, settings.search, "index");
  options.language = config_of(settings.search).value("language", options.language);
  auto opened = fts5::Fts5SearchIndex::open(options, platform.clock);
  if (!opened) return opened.error();
  return std::unique_ptr<ports::SearchIndex>(*std::move(opened));
}

model::Result<std::unique_ptr<ports::RateLimitStore>> open_ledger(const config::Settings& settings,
                                                                  Platform& platform) {
  if (settings.rate_limit.plugin != "memory") return unknown("rate_limit", settings.rate_limit);
  memory::RateLimitOptions options;
  options.max_subjects = config_of(settings.rate_limit).value("max_subjects", options.max_subjects);
  return std::unique_ptr<ports::RateLimitStore>(
      std::make_unique<memory::MemoryRateLimitStore>(platform.clock, options));
}

model::Result<std::unique_ptr<ports::Cache>> open_cache(const config::Settings& settings, Platform& platform) {
  if (settings.cache.plugin == config::kNoPlugin) return std::unique_ptr<ports::Cache>();
  if (settings.cache.plugin != "memory") return unknown("cache", settings.cache);
  memory::CacheOptions options;
  if (const Json config = config_of(settings.cache); config.contains("max_bytes"))
    options.max_bytes = config::parse_size(config["max_bytes"].get<std::string>()).value_or(options.max_bytes);
  return std::unique_ptr<ports::Cache>(std::make_unique<memory::MemoryCache>(platform.clock, options));
}

}  // namespace kbase::composition
