// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"

#include <algorithm>
#include <array>

#include "adapters/redis/cache.hpp"
#include "adapters/redis/rate_limit_store.hpp"

namespace kbase::redis {
namespace {

/// Where the servers are; the same for both ports.
constexpr char kServers[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "url": {"type": "string", "format": "server-url", "writeOnly": true, "default": "redis://127.0.0.1:6379",
      "description": "redis://HOST[:PORT][/DATABASE], redis+sentinel://HOST[:PORT],.../PRIMARY[/DATABASE] or redis+cluster://HOST[:PORT],...; rediss in place of redis for TLS. USER:PASSWORD@ may stand before the first host."},
    "username": {"type": "string", "default": "", "description": "The user of Redis's ACL. Empty: the default one."},
    "password": {"type": "string", "writeOnly": true, "default": "", "description": "Its password. Empty: none is sent."},
    "sentinel_username": {"type": "string", "default": "", "description": "The user at the sentinels, which have an ACL of their own."},
    "sentinel_password": {"type": "string", "writeOnly": true, "default": "", "description": "Its password. Empty: none is sent."},
    "tls_ca": {"type": "string", "format": "path", "description": "A PEM file of the authorities that servers' certificates must lead to. Absent: the system's."},
    "tls_certificate": {"type": "string", "format": "path", "description": "A PEM file of this client's certificate, with its chain. Absent: it shows none."},
    "tls_key": {"type": "string", "format": "path", "description": "A PEM file of that certificate's key."},
    "connections": {"type": "integer", "minimum": 1, "maximum": 64, "default": 2,
      "description": "Connections to each server, which all threads share. More help where requests are many and the network is slow."},
    "prefix": {"type": "string", "default": "${instance}:",
      "description": "What every key begins with. Services that share a Redis need different ones; servers that count together the same."})";

constexpr char kEnd[] = "}}";

constexpr char kClock[] = R"(,
    "clock": {"type": "string", "enum": ["server", "host"], "default": "server",
      "description": "Whose clock tells the windows: that of Redis, or this machine's, for certificates alone: clocks of several machines never agree."}}})";

template <std::size_t A, std::size_t B>
constexpr std::array<char, A + B - 1> joined(const char (&first)[A], const char (&second)[B]) {
  std::array<char, A + B - 1> text{};
  std::copy(first, first + A - 1, text.begin());
  std::copy(second, second + B, text.begin() + A - 1);
  return text;
}

constexpr auto kRateLimiterSettings = joined(kServers, kClock);
constexpr auto kCacheSettings = joined(kServers, kEnd);

/// Reads what kServers describes.
void read(const sdk::Settings& settings, KeyspaceOptions& options) {
  options.url = settings.text("url", options.url);
  options.username = settings.text("username", {});
  options.password = settings.text("password", {});
  options.sentinel_username = settings.text("sentinel_username", {});
  options.sentinel_password = settings.text("sentinel_password", {});
  options.tls = {settings.text("tls_ca", {}), settings.text("tls_certificate", {}), settings.text("tls_key", {})};
  options.connections = settings.number("connections", options.connections);
  options.prefix = settings.text("prefix", options.prefix);
}

sdk::Opened<ports::RateLimitStore> open_rate_limiter(sdk::Setup& setup) {
  Options options;
  read(setup.settings(), options);
  if (setup.settings().text("clock", "server") == "host") options.time = Options::TimeOf::Caller;
  auto opened = RedisRateLimitStore::open(options, setup.clock());
  if (!opened) return opened.error();
  return std::shared_ptr<ports::RateLimitStore>(*std::move(opened));
}

sdk::Opened<ports::Cache> open_cache(sdk::Setup& setup) {
  KeyspaceOptions options;
  read(setup.settings(), options);
  auto opened = RedisCache::open(options, setup.clock());
  if (!opened) return opened.error();
  return std::shared_ptr<ports::Cache>(*std::move(opened));
}

const auto kRateLimiter = sdk::table<ports::RateLimitStore, open_rate_limiter>(
    {.capabilities = KB_RATE_LIMIT_CAN_SHARE, .config_schema = kRateLimiterSettings.data()});
const auto kCache = sdk::table<ports::Cache, open_cache>({.config_schema = kCacheSettings.data()});

const void* get_port(const char* id) {
  return sdk::port(id, kRateLimiter, kCache);
}

constexpr kb_plugin kPlugin = sdk::descriptor("org.kbase.redis", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::redis

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept {
  return &kbase::redis::kPlugin;
}
