// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"

#include "adapters/memory/account_store.hpp"
#include "adapters/memory/activity_store.hpp"
#include "adapters/memory/api_key_store.hpp"
#include "adapters/memory/cache.hpp"
#include "adapters/memory/insight_store.hpp"
#include "adapters/memory/item_store.hpp"
#include "adapters/memory/rate_limit_store.hpp"

namespace kbase::memory {
namespace {

constexpr char kNoSettings[] = R"({"type": "object", "additionalProperties": false, "properties": {}})";

constexpr char kRateLimitSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "max_clients": {"type": "integer", "minimum": 1000, "maximum": 100000000, "default": 1000000,
      "description": "Maximum number of client addresses that are counted, and of API keys; each uses about 90 bytes. When the table is full, idle clients are removed first, and new clients may share one bucket with their network."},
    "max_bytes": {"type": "string", "format": "size", "default": "256MiB",
      "description": "Maximum memory for all clients, at least 1MiB. A client with 300 requests in a minute uses 2 KiB during that minute."}}})";

constexpr std::size_t kMinRateLimiterBytes = 1U << 20U;

constexpr char kCacheSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "max_bytes": {"type": "string", "format": "size", "default": "64MiB",
      "description": "Maximum memory for cached responses. When it is full, the least recently used entries are removed."}}})";

template <class Port, class Implementation> sdk::Opened<Port> open(sdk::Setup&) {
  return std::shared_ptr<Port>(std::make_shared<Implementation>());
}

sdk::Opened<ports::ItemStore> open_items(sdk::Setup& setup) {
  return std::shared_ptr<ports::ItemStore>(std::make_shared<MemoryItemStore>(setup.random(), setup.clock()));
}

sdk::Opened<ports::RateLimitStore> open_rate_limiter(sdk::Setup& setup) {
  RateLimitOptions options;
  options.max_clients = setup.settings().number("max_clients", options.max_clients);
  options.max_bytes = setup.settings().bytes("max_bytes", options.max_bytes);
  if (options.max_bytes < kMinRateLimiterBytes) return invalid_argument("max_bytes", "must be 1MiB or more");
  const RateLimitMetrics metrics{
      &setup.counter("forgotten_clients_total",
                     "Clients with counted requests that were removed because the rate limiter was full."),
      &setup.gauge("shared_accounts", "Networks whose new clients share one bucket because the rate limiter is full.")};
  return std::shared_ptr<ports::RateLimitStore>(
      std::make_shared<MemoryRateLimitStore>(setup.clock(), options, metrics));
}

sdk::Opened<ports::Cache> open_cache(sdk::Setup& setup) {
  CacheOptions options;
  options.max_bytes = setup.settings().bytes("max_bytes", options.max_bytes);
  return std::shared_ptr<ports::Cache>(std::make_shared<MemoryCache>(setup.clock(), options));
}

constexpr auto open_activity = open<ports::ActivityStore, MemoryActivityStore>;
constexpr auto open_keys = open<ports::ApiKeyStore, MemoryApiKeyStore>;
constexpr auto open_accounts = open<ports::AccountStore, MemoryAccountStore>;
constexpr auto open_insights = open<ports::InsightStore, MemoryInsightStore>;

const auto kItems =
    sdk::table<ports::ItemStore, open_items>({.inline_calls = KB_ITEM_STORE_INLINE_READS,
                                              .capabilities = KB_ITEM_STORE_CAN_DESCRIBE | KB_ITEM_STORE_CAN_SYNONYMS,
                                              .config_schema = kNoSettings});
const auto kActivity = sdk::table<ports::ActivityStore, open_activity>({.config_schema = kNoSettings});
const auto kKeys = sdk::table<ports::ApiKeyStore, open_keys>({.inline_calls = KB_KEY_STORE_INLINE_READS,
                                                              .capabilities = KB_KEY_STORE_CAN_ACCOUNTS,
                                                              .config_schema = kNoSettings});
const auto kAccounts = sdk::table<ports::AccountStore, open_accounts>({.config_schema = kNoSettings});
const auto kInsights = sdk::table<ports::InsightStore, open_insights>({.config_schema = kNoSettings});
const auto kRateLimiter = sdk::table<ports::RateLimitStore, open_rate_limiter>(
    {.inline_calls = KB_RATE_LIMIT_INLINE_TAKE, .config_schema = kRateLimitSettings});
const auto kCache =
    sdk::table<ports::Cache, open_cache>({.inline_calls = KB_CACHE_INLINE_CALLS, .config_schema = kCacheSettings});

const void* get_port(const char* id) {
  return sdk::port(id, kItems, kActivity, kKeys, kAccounts, kInsights, kRateLimiter, kCache);
}

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.memory", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::memory

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::memory::kPlugin; }
