// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"
#include "domain/base/result.hpp"

#include <algorithm>
#include <array>

#include "adapters/redis/cache.hpp"
#include "adapters/redis/rate_limit_store.hpp"

namespace kbase::redis {
namespace {

/// Settings of the servers, shared by both ports.
constexpr char kServers[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "url": {"type": "string", "format": "server-url", "writeOnly": true, "default": "redis://127.0.0.1:6379",
      "description": "redis://HOST[:PORT][/DATABASE], redis+sentinel://HOST[:PORT],.../PRIMARY[/DATABASE] or redis+cluster://HOST[:PORT],.... Use rediss instead of redis for TLS. USER:PASSWORD@ is allowed before the first host."},
    "username": {"type": "string", "default": "", "description": "User of the Redis ACL. Empty: the default user."},
    "password": {"type": "string", "writeOnly": true, "default": "", "description": "Password of the user. If username and password are empty, AUTH is not sent."},
    "sentinel_username": {"type": "string", "default": "", "description": "User of the sentinels, which have their own ACL."},
    "sentinel_password": {"type": "string", "writeOnly": true, "default": "", "description": "Password of the sentinel user. If sentinel_username and sentinel_password are empty, AUTH is not sent."},
    "tls_ca": {"type": "string", "format": "path", "description": "PEM file with the trusted certificate authorities for the servers. Absent: those of the system."},
    "tls_certificate": {"type": "string", "format": "path", "description": "PEM file with the client certificate and its chain. Absent: no client certificate is sent."},
    "tls_key": {"type": "string", "format": "path", "description": "PEM file with the private key of the client certificate."},
    "connections": {"type": "integer", "minimum": 1, "maximum": 64, "default": 2,
      "description": "Number of connections to each server, shared by all threads. Increase it for many requests over a slow network."},
    "prefix": {"type": "string", "default": "${instance}:",
      "description": "Prefix of all keys. Services that share a Redis need different prefixes. Servers that count together need the same prefix."})";

constexpr char kEnd[] = "}}";

constexpr char kClock[] = R"(,
    "clock": {"type": "string", "enum": ["server", "host"], "default": "server",
      "description": "Clock for the rate-limit windows: of Redis (server) or of this machine (host). Use host only for tests, because the clocks of several machines differ."}}})";

template <std::size_t A, std::size_t B>
constexpr std::array<char, A + B - 1> joined(const char (&first)[A], const char (&second)[B]) {
  std::array<char, A + B - 1> text{};
  std::copy(first, first + A - 1, text.begin());
  std::copy(second, second + B, text.begin() + A - 1);
  return text;
}

constexpr auto kRateLimiterSettings = joined(kServers, kClock);
constexpr auto kCacheSettings = joined(kServers, kEnd);

/// Reads the settings of kServers.
void read_options(const sdk::Settings& settings, KeyspaceOptions& options) {
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
  read_options(setup.settings(), options);
  if (setup.settings().text("clock", "server") == "host") options.clock_source = Options::ClockSource::Caller;
  auto opened = KBASE_TRY(RedisRateLimitStore::open(options, setup.clock()));
  return std::shared_ptr<ports::RateLimitStore>(std::move(opened));
}

sdk::Opened<ports::Cache> open_cache(sdk::Setup& setup) {
  KeyspaceOptions options;
  read_options(setup.settings(), options);
  auto opened = KBASE_TRY(RedisCache::open(options, setup.clock()));
  return std::shared_ptr<ports::Cache>(std::move(opened));
}

const auto kRateLimiter = sdk::table<ports::RateLimitStore, open_rate_limiter>(
    {.capabilities = KB_RATE_LIMIT_CAN_SHARE, .config_schema = kRateLimiterSettings.data()});
const auto kCache = sdk::table<ports::Cache, open_cache>({.config_schema = kCacheSettings.data()});

const void* get_port(const char* id) { return sdk::port(id, kRateLimiter, kCache); }

constexpr kb_plugin kPlugin = sdk::descriptor("org.kbase.redis", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::redis

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::redis::kPlugin; }
