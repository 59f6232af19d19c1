// SPDX-License-Identifier: Apache-2.0
#include "app/config/schema.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace kbase::config {
namespace {

constexpr const char* kServer = R"({
  "type": "object", "additionalProperties": false,
  "description": "The HTTP listener. TLS ends at a reverse proxy in front of it.",
  "properties": {
    "address": {"type": "string", "format": "ip", "default": "127.0.0.1",
      "description": "The IP address to listen on; 0.0.0.0 or :: for all addresses of the machine."},
    "port": {"type": "integer", "minimum": 0, "maximum": 65535, "default": 8080,
      "description": "The TCP port; 0: any free port, which is printed to standard output."},
    "base_path": {"type": "string", "format": "url-path", "default": "/api/v1",
      "description": "Path prefix of all endpoints."},
    "threads": {"type": "integer", "minimum": 0, "maximum": 1024, "default": 0,
      "description": "Threads that process connections and requests; 0: one for each CPU core. More threads than cores do not help."},
    "max_body_bytes": {"type": ["integer", "string"], "format": "size", "minimum": 0, "maximum": 1073741824,
      "default": "1MiB", "description": "Maximum size of a request body; a larger body gets 413."},
    "max_body_bytes_total": {"type": ["integer", "string"], "format": "size", "minimum": 0, "maximum": 1099511627776,
      "default": "256MiB", "description": "Maximum total size of the request bodies of all connections; a body beyond it gets 503."},
    "max_connections": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 10000,
      "description": "Maximum number of open connections; further connections get 503. Reduced if the limit of open files is too low."},
    "max_connections_per_address": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 8000,
      "description": "Maximum number of open connections of one client address (IPv6: /64 network), except trusted proxies; further connections get 503."},
    "max_queue_length": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 1024,
      "description": "Maximum number of requests that wait for a worker thread; further requests get 503."},
    "max_queue_time": {"type": "string", "format": "duration", "minimum": 1, "default": "100ms",
      "description": "How long a request can wait for a worker thread before it gets 503; a fifth of this time after no worker thread has been free for this time."},
    "header_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "Time limit from the first byte of a request to the end of its header; then 408, and the connection is closed."},
    "body_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "Time limit from the end of the header to the end of the body of a request; then 408, and the connection is closed."},
    "idle_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "60s",
      "description": "How long a connection can be idle between two requests before it is closed."},
    "send_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "How long a client can accept no byte of a response before the connection is closed."},
    "request_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "Time limit of a request, including waiting; then 503, or 504 if an upstream service is slow."},
    "drain_timeout": {"type": "string", "format": "duration", "minimum": 0, "default": "10s",
      "description": "How long running requests can take to finish after SIGTERM before they are aborted."},
    "trusted_proxies": {"type": "array", "items": {"type": "string", "format": "cidr"}, "default": [],
      "description": "Networks of proxies whose X-Forwarded-For and Forwarded headers are trusted. Empty: none, not even loopback."},
    "cors": {"type": "object", "additionalProperties": false,
      "description": "Cross-origin resource sharing (CORS).",
      "properties": {
        "allowed_origins": {"type": "array", "items": {"type": "string", "format": "origin"}, "default": ["*"],
          "description": "Origins whose scripts may read responses; *: all."},
        "max_age": {"type": "string", "format": "duration", "default": "24h",
          "description": "How long browsers cache the response to a preflight request."}}}}
})";

constexpr const char* kAdmin = R"({
  "type": "object", "additionalProperties": false,
  "description": "A separate listener for /metrics, /livez and /readyz.",
  "properties": {
    "address": {"type": "string", "format": "ip", "default": "127.0.0.1", "description": "The IP address to listen on."},
    "port": {"type": "integer", "minimum": 0, "maximum": 65535,
      "description": "The TCP port; 0: any free port, which is logged. Absent: no admin listener."}}
})";

constexpr const char* kExplorer = R"({
  "type": "object", "additionalProperties": false,
  "description": "The web interface at / and the API documentation at /docs.",
  "properties": {
    "enabled": {"type": "boolean", "default": true, "description": "Whether the pages are served."},
    "title": {"type": "string", "minLength": 1, "maxLength": 100, "default": "Knowledge base",
      "description": "Title of the knowledge base on the pages."},
    "path": {"type": "string", "format": "path",
      "description": "A folder with other pages. Absent: the installed pages."}}
})";

constexpr const char* kPlugins = R"({
  "type": "object", "additionalProperties": false,
  "description": "Where plugins are searched.",
  "properties": {
    "directories": {"type": "array", "items": {"type": "string", "format": "path"}, "default": [],
      "description": "Folders with plugins, in addition to the installed folder."}}
})";

constexpr const char* kKeys = R"({
  "type": "array", "default": [],
  "description": "API keys in addition to those created with `kbase keys`.",
  "items": {
    "type": "object", "additionalProperties": false, "required": ["id", "plan"],
    "properties": {
      "id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Unique id of the key, shown in lists and logs."},
      "name": {"type": "string", "default": "", "description": "Name of the key, for example its owner."},
      "plan": {"type": "string", "description": "Name of a plan."},
      "sha256": {"type": "string", "format": "sha256", "description": "SHA-256 of the key's text. Set either sha256 or key."},
      "key": {"type": "string", "format": "api-key", "writeOnly": true, "description": "The key's text. Set either key or sha256."},
      "expires": {"type": "string", "format": "instant", "description": "Expiry time (UTC). Absent: the key never expires."},
      "scopes": {"type": "array", "items": {"type": "string", "enum": ["read", "llm", "codehost"]},
        "default": ["read", "llm", "codehost"], "description": "Permissions of the key."}}}
})";

constexpr const char* kUpstream = R"({
  "type": "object", "additionalProperties": false,
  "description": "HTTP client of plugins. It connects only to the URLs in their settings `base_url` and `url`. The limits apply to each plugin separately. Certificates are always verified.",
  "properties": {
    "proxy": {"type": "string", "format": "proxy-url", "writeOnly": true, "default": "",
      "description": "The proxy, http://[USER:PASSWORD@]HOST[:PORT] or https://. Empty: no proxy; environment variables such as https_proxy are ignored."},
    "no_proxy": {"type": "array", "items": {"type": "string", "format": "no-proxy"}, "default": [],
      "description": "Destinations to reach without the proxy: hosts, domains including subdomains, addresses and networks; *: all."},
    "ca_file": {"type": "string", "format": "path",
      "description": "PEM file of the trusted certificate authorities, also for the proxy. Absent: the system's."},
    "connect_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "5s",
      "description": "Time limit to connect: DNS, TCP, proxy and TLS together."},
    "first_byte_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "Time limit from the start of an attempt to the first byte of the response. A language model without streaming needs more."},
    "idle_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "Maximum pause within a response."},
    "max_body_bytes": {"type": ["integer", "string"], "format": "size", "minimum": 1, "maximum": 1073741824,
      "default": "16MiB", "description": "Maximum size of a decompressed response; a larger one is an error."},
    "max_connections": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 16,
      "description": "Maximum number of connections of one plugin; further requests wait, at most 64 at a time."}}
})";

constexpr const char* kLogging = R"({
  "type": "object", "additionalProperties": false,
  "description": "The log on standard error.",
  "properties": {
    "level": {"type": "string", "enum": ["debug", "info", "warning", "error"], "default": "info",
      "description": "Minimum severity of logged events."},
    "format": {"type": "string", "enum": ["auto", "text", "json"], "default": "auto",
      "description": "auto: text on a terminal, otherwise JSON lines."},
    "client_address": {"type": "string", "enum": ["hash", "prefix", "full", "none"], "default": "hash",
      "description": "How clients without a key are logged. hash: a keyed hash of the address; prefix: also the network (IPv4 /24, IPv6 /48); full: also the address; none: not at all."},
    "secret": {"type": "string", "minLength": 16, "writeOnly": true,
      "description": "Secret of the hash; servers with the same secret log a client under the same name. Absent: a random secret in data_dir."}}
})";

constexpr const char* kDataDir = R"({"type": "string", "format": "path", "default": "./data",
  "description": "The folder of the journal, the locks, state.db and, by default, the embedded store and index."})";

constexpr const char* kInstance = R"({"type": "string", "format": "name", "default": "kbase",
  "description": "Prefix of Redis keys, the PostgreSQL schema and index names, so that several knowledge bases can share servers."})";

using Json = nlohmann::ordered_json;

/// For sections whose endpoint requires a plugin.
constexpr const char* kUnlessSet = " none: the endpoint returns 503.";

/// Returns the schema of a section that selects a plugin and holds its settings. `plugins`: the default first; "none"
/// is not listed as a plugin.
Json plugin_section(const char* description, std::initializer_list<const char*> plugins, const char* further = "") {
  std::vector<std::string> names(plugins.begin(), plugins.end());
  std::erase(names, "none");
  const std::string named = "Name of an installed plugin, or absolute path of a shared object.";
  return {{"type", "object"},
          {"additionalProperties", false},
          {"description", description},
          {"properties",
           {{"plugin",
             {{"type", "string"},
              {"default", *plugins.begin()},
              {"examples", std::move(names)},
              {"description", named + further}}},
            {"sha256",
             {{"type", "string"},
              {"format", "sha256"},
              {"description", "SHA-256 of the plugin's file; another file is rejected. Absent: not checked."}}},
            {"config",
             {{"type", "object"}, {"additionalProperties", true}, {"description", "The settings of the plugin."}}}}}};
}

Json rate_limit_section() {
  Json section = plugin_section("The rate limiter, which counts requests against the limits of the plans.",
                                {"memory", "redis"}, " memory counts only the requests of this process.");
  section["properties"]["timeout"] = Json::parse(R"({
    "type": "string", "format": "duration", "minimum": 1, "default": "50ms",
    "description": "How long a request waits for a remote rate limiter. After five timeouts in a row, requests do not wait until it responds again."})");
  section["properties"]["when_unavailable"] = Json::parse(R"({
    "type": "string", "enum": ["local", "allow", "deny"], "default": "local",
    "description": "If a remote rate limiter is unavailable: local counts in this process, allow admits all requests, deny returns 503. The language-model endpoint always denies."})");
  section["properties"]["secret"] = Json::parse(R"({
    "type": "string", "minLength": 32, "writeOnly": true,
    "description": "Key of the hash that hides API keys and client addresses from a shared rate limiter. Required for one, with the same value on every server; otherwise unused."})");
  section["properties"]["origins"] = Json::parse(R"({
    "type": "array", "default": [],
    "description": "Plans for requests without a key from web pages of these origins, counted by client address. Only browsers send the origin reliably; other clients can forge it.",
    "items": {
      "type": "object", "additionalProperties": false, "required": ["origin", "plan"],
      "properties": {
        "origin": {"type": "string", "format": "page-origin", "description": "Origin of the web pages, unique."},
        "plan": {"type": "string", "description": "Name of a plan."}}}})");
  return section;
}

Json cache_section() {
  Json section =
      plugin_section("The cache of responses of upstream services.", {"memory", "redis"}, " none: no cache.");
  section["properties"]["http_max_age"] = Json::parse(R"({
    "type": "string", "format": "duration", "default": "0s",
    "description": "How long clients may reuse a response without revalidation; 0s: they always revalidate (Cache-Control: no-cache)."})");
  return section;
}

Json codehost_section() {
  Json section = plugin_section("The code-hosting service behind /external/codehost.",
                                {"none", "github", "gitlab", "gitea"}, kUnlessSet);
  section["properties"].update(Json::parse(R"({
    "require_key": {"type": "boolean", "default": false,
      "description": "Whether the endpoint requires an API key (otherwise 401)."},
    "fresh_for": {"type": "string", "format": "duration", "default": "10m",
      "description": "How long a cached response is used without a query to the service; 0s: it is always revalidated."},
    "keep_for": {"type": "string", "format": "duration", "default": "24h",
      "description": "How long a stale cached response can be used while the service is unavailable or the query limit is reached."},
    "unknown_for": {"type": "string", "format": "duration", "default": "1m",
      "description": "How long the cache remembers that a user does not exist."},
    "cold_per_minute": {"type": "integer", "minimum": 0, "maximum": 1000000, "default": 30,
      "description": "Maximum number of queries to the service per minute from this server; beyond it, a cached response is used, else 503. 0: no limit."},
    "cold_per_minute_keyless": {"type": "integer", "minimum": 0, "maximum": 1000000, "default": 3,
      "description": "Maximum number of queries per minute for one client without an API key. 0: no limit."},
    "timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "Time limit of a request, including waiting; then a cached response is used, else 504. At most server.request_timeout."},
    "max_concurrent": {"type": "integer", "minimum": 1, "maximum": 256, "default": 16,
      "description": "Maximum number of concurrent queries to the service; further requests wait for server.max_queue_time, then get 503."}
  })"));
  return section;
}

Json llm_section() {
  Json section = plugin_section("The language-model service behind /external/llm.",
                                {"none", "openai", "anthropic", "ollama"}, kUnlessSet);
  section["properties"].update(Json::parse(R"({
    "allowed_models": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
      "description": "Models that requests may use, in addition to config.default_model. Empty: all models of the service."},
    "max_tokens": {"type": "integer", "minimum": 1, "maximum": 10000000, "default": 4096,
      "description": "Maximum value of max_tokens in a request."},
    "default_max_tokens": {"type": "integer", "minimum": 1, "maximum": 10000000, "default": 1024,
      "description": "max_tokens of requests that do not set it."},
    "max_prompt_bytes": {"type": ["integer", "string"], "format": "size", "minimum": 1, "maximum": 1073741824,
      "default": "32KiB", "description": "Maximum size of a prompt, in bytes of UTF-8."},
    "timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "Time limit of a completion, or of the first piece of a stream; then 504."},
    "idle_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "Maximum pause of a stream after its first piece; then it ends with an error."},
    "stream_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10m",
      "description": "Maximum duration of a stream."},
    "max_concurrent": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 64,
      "description": "Maximum number of concurrent completions, each with a thread and a connection; further requests wait for server.max_queue_time, then get 503."},
    "tokens_per_day": {"type": "integer", "minimum": 0, "maximum": 4294967295, "default": 0,
      "description": "Maximum number of prompt and completion tokens of all clients per UTC day; 0: no limit."},
    "log_prompts": {"type": "boolean", "default": false,
      "description": "Log prompts and completions. They can contain confidential data."}
  })"));
  return section;
}

Json plan(std::uint64_t per_minute, std::uint64_t per_day, std::uint64_t llm_tokens_per_day) {
  const auto limit = [](std::uint64_t value, const char* description) -> Json {
    return {
        {"type", "integer"}, {"minimum", 0}, {"maximum", 2147483647}, {"default", value}, {"description", description}};
  };
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties",
           {{"per_minute", limit(per_minute, "Maximum number of requests in any 60 seconds; 0: no limit.")},
            {"per_day", limit(per_day, "Maximum number of requests in a UTC day; 0: no limit.")},
            {"llm_tokens_per_day",
             limit(llm_tokens_per_day, "Maximum number of prompt and completion tokens in a UTC day; 0: no limit.")}}}};
}

Json plans_section() {
  return {{"type", "object"},
          {"description", "The request limits of clients. The plan public applies to requests without a key."},
          {"properties",
           {{"public", plan(10, 1'000, 10'000)},
            {"developer", plan(60, 10'000, 50'000)},
            {"premium", plan(300, 100'000, 1'000'000)}}},
          {"additionalProperties", plan(0, 0, 0)}};
}

}  // namespace

nlohmann::ordered_json host_schema() {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "kbase configuration"},
          {"type", "object"},
          {"properties",
           {{"server", Json::parse(kServer)},
            {"admin", Json::parse(kAdmin)},
            {"explorer", Json::parse(kExplorer)},
            {"plugins", Json::parse(kPlugins)},
            {"data_dir", Json::parse(kDataDir)},
            {"storage",
             plugin_section("The storage of items, categories, keys and view counts.", {"sqlite", "memory", "postgres"},
                            " memory is not persistent: config.load lists the sources to import at start.")},
            {"search", plugin_section("The full-text index.", {"native", "opensearch"})},
            {"rate_limit", rate_limit_section()},
            {"cache", cache_section()},
            {"codehost", codehost_section()},
            {"llm", llm_section()},
            {"upstream", Json::parse(kUpstream)},
            {"keys", Json::parse(kKeys)},
            {"instance", Json::parse(kInstance)},
            {"plans", plans_section()},
            {"logging", Json::parse(kLogging)}}},
          {"additionalProperties", false}};
}

}  // namespace kbase::config
