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
      "description": "The address to listen on; 0.0.0.0 or :: for all of the machine's."},
    "port": {"type": "integer", "minimum": 0, "maximum": 65535, "default": 8080,
      "description": "The TCP port; 0 takes any free one, which the line on standard output names."},
    "base_path": {"type": "string", "format": "url-path", "default": "/api/v1",
      "description": "The path that every endpoint's begins with."},
    "threads": {"type": "integer", "minimum": 0, "maximum": 1024, "default": 0,
      "description": "Threads that read and answer requests; 0: one for each core. More than cores only cost."},
    "max_body_bytes": {"type": ["integer", "string"], "format": "size", "minimum": 0, "maximum": 1073741824,
      "default": "1MiB", "description": "The largest request body; a larger one is answered 413."},
    "max_body_bytes_total": {"type": ["integer", "string"], "format": "size", "minimum": 0, "maximum": 1099511627776,
      "default": "256MiB", "description": "The request bodies of all connections together; what would be more is answered 503."},
    "max_connections": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 10000,
      "description": "Open connections at a time; one more is answered 503. Lowered to what the limit of open files leaves."},
    "max_connections_per_address": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 8000,
      "description": "Open connections of one client's address (IPv6: of its /64), trusted proxies excepted; one more is answered 503."},
    "max_queue_length": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 1024,
      "description": "Requests that wait for a thread that may block; one more is answered 503."},
    "max_queue_time": {"type": "string", "format": "duration", "minimum": 1, "default": "100ms",
      "description": "How long a request may wait for such a thread, then 503; a fifth of it once no such thread has been free for this long."},
    "header_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "From a request's first byte to the end of its header; then 408 and the connection closes."},
    "body_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "From the end of a request's header to that of its body; then 408 and the connection closes."},
    "idle_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "60s",
      "description": "Between two requests of a connection; then it closes."},
    "send_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "How long a client may take no byte of its answer; then it is cut off."},
    "request_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "What a request gets for its answer, waiting included; then 503, or 504 where an external service is late."},
    "drain_timeout": {"type": "string", "format": "duration", "minimum": 0, "default": "10s",
      "description": "What requests in flight get to end in after SIGTERM; then they are cut off."},
    "trusted_proxies": {"type": "array", "items": {"type": "string", "format": "cidr"}, "default": [],
      "description": "Networks whose X-Forwarded-For and Forwarded say who the client is. Empty: nobody's, not even loopback's."},
    "cors": {"type": "object", "additionalProperties": false,
      "description": "Which web pages' scripts may read answers.",
      "properties": {
        "allowed_origins": {"type": "array", "items": {"type": "string", "format": "origin"}, "default": ["*"],
          "description": "Origins as browsers send them; *: every one."},
        "max_age": {"type": "string", "format": "duration", "default": "24h",
          "description": "How long a browser keeps the answer to a preflight."}}}}
})";

constexpr const char* kAdmin = R"({
  "type": "object", "additionalProperties": false,
  "description": "A separate listener for /metrics, /livez and /readyz.",
  "properties": {
    "address": {"type": "string", "format": "ip", "default": "127.0.0.1", "description": "The address to listen on."},
    "port": {"type": "integer", "minimum": 0, "maximum": 65535,
      "description": "The TCP port; 0: any free one, which the log names. Absent: there is no such listener."}}
})";

constexpr const char* kExplorer = R"({
  "type": "object", "additionalProperties": false,
  "description": "The pages that browsers are shown at /, which ask the interface as every other client does, and at /docs.",
  "properties": {
    "enabled": {"type": "boolean", "default": true, "description": "Whether there are any."},
    "title": {"type": "string", "minLength": 1, "maxLength": 100, "default": "Knowledge base",
      "description": "What they call the knowledge base."},
    "path": {"type": "string", "format": "path",
      "description": "A folder of other pages. Absent: those that were installed with the program."}}
})";

constexpr const char* kPlugins = R"({
  "type": "object", "additionalProperties": false,
  "description": "Where plugins are looked for.",
  "properties": {
    "directories": {"type": "array", "items": {"type": "string", "format": "path"}, "default": [],
      "description": "Folders of shared objects, beside the one that was installed with the program."}}
})";

constexpr const char* kKeys = R"({
  "type": "array", "default": [],
  "description": "API keys beside those of `kbase keys`.",
  "items": {
    "type": "object", "additionalProperties": false, "required": ["id", "plan"],
    "properties": {
      "id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Names the key in lists and logs; once."},
      "name": {"type": "string", "default": "", "description": "Whose key it is, for people."},
      "plan": {"type": "string", "description": "One of the plans."},
      "sha256": {"type": "string", "format": "sha256", "description": "The SHA-256 of the key's text; either this or key."},
      "key": {"type": "string", "format": "api-key", "writeOnly": true, "description": "The key's text itself; either this or sha256."},
      "expires": {"type": "string", "format": "instant", "description": "From when on it is refused (UTC). Absent: never."},
      "scopes": {"type": "array", "items": {"type": "string", "enum": ["read", "llm", "codehost"]},
        "default": ["read", "llm", "codehost"], "description": "What it may be used for."}}}
})";

constexpr const char* kUpstream = R"({
  "type": "object", "additionalProperties": false,
  "description": "HTTP to the services that plugins ask: those of the URLs in `base_url` and `url` of their settings, and no other. Each plugin has the limits for itself. Certificates are always checked.",
  "properties": {
    "proxy": {"type": "string", "format": "proxy-url", "writeOnly": true, "default": "",
      "description": "The proxy that they are asked through, http://[USER:PASSWORD@]HOST[:PORT] or https://. Empty: none; variables such as https_proxy are not looked at."},
    "no_proxy": {"type": "array", "items": {"type": "string", "format": "no-proxy"}, "default": [],
      "description": "Whom to ask without it: hosts, domains with all below them, addresses and networks; *: everybody."},
    "ca_file": {"type": "string", "format": "path",
      "description": "A PEM file of the authorities that certificates must lead to, the proxy's too. Absent: the system's."},
    "connect_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "5s",
      "description": "What a connection may take: name look-up, TCP, proxy and TLS together."},
    "first_byte_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "From the start of an attempt to the first byte of the answer. A language model that answers in one piece needs more."},
    "idle_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "How long an answer may fall silent before its end."},
    "max_body_bytes": {"type": ["integer", "string"], "format": "size", "minimum": 1, "maximum": 1073741824,
      "default": "16MiB", "description": "The largest answer, unpacked; a larger one is a bad one."},
    "max_connections": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 16,
      "description": "Connections of one plugin at a time; requests beyond wait, and beyond 64 that wait are refused."}}
})";

constexpr const char* kLogging = R"({
  "type": "object", "additionalProperties": false,
  "description": "The log on standard error.",
  "properties": {
    "level": {"type": "string", "enum": ["debug", "info", "warning", "error"], "default": "info",
      "description": "The least severe events that are said."},
    "format": {"type": "string", "enum": ["auto", "text", "json"], "default": "auto",
      "description": "auto: text on a terminal, JSON lines elsewhere."},
    "client_address": {"type": "string", "enum": ["hash", "prefix", "full", "none"], "default": "hash",
      "description": "How clients without a key appear: by a keyed hash that tells them apart, by their network (IPv4 /24, IPv6 /48) too, by their address too, or not at all."},
    "secret": {"type": "string", "minLength": 16, "writeOnly": true,
      "description": "The secret of that hash; the same one on several servers gives a client the same name on each. Absent: a random one, kept in data_dir."}}
})";

constexpr const char* kDataDir = R"({"type": "string", "format": "path", "default": "./data",
  "description": "The folder of the journal, locks, state.db, and of the embedded store and index where they name no other."})";

constexpr const char* kInstance = R"({"type": "string", "format": "name", "default": "kbase",
  "description": "Prefixes Redis keys, the PostgreSQL schema and index names, so that several knowledge bases share servers."})";

using Json = nlohmann::ordered_json;

/// For sections whose endpoint requires a plugin.
constexpr const char* kUnlessSet = " none: the endpoint answers 503.";

/// Returns the schema of a section that selects a plugin and holds its settings. `plugins`: the default first; "none"
/// is not listed as a plugin.
Json plugin_section(const char* description, std::initializer_list<const char*> plugins, const char* further = "") {
  std::vector<std::string> names(plugins.begin(), plugins.end());
  std::erase(names, "none");
  const std::string named = "An installed plugin's name, or the absolute path of a shared object.";
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
              {"description", "The SHA-256 of the plugin's file; another file is refused. Absent: any is taken."}}},
            {"config",
             {{"type", "object"}, {"additionalProperties", true}, {"description", "The plugin's own settings."}}}}}};
}

Json rate_limit_section() {
  Json section = plugin_section("Where requests are counted against the limits of the plans.", {"memory", "redis"},
                                " memory counts for this process alone.");
  section["properties"]["timeout"] = Json::parse(R"({
    "type": "string", "format": "duration", "minimum": 1, "default": "50ms",
    "description": "How long a request waits for a counter on another machine. After five requests in a row without an answer none waits, until it answers again."})");
  section["properties"]["when_unavailable"] = Json::parse(R"({
    "type": "string", "enum": ["local", "allow", "deny"], "default": "local",
    "description": "While a counter on another machine cannot be reached: count in this process (local), let everything pass (allow), or answer 503 (deny). The language-model endpoint always denies."})");
  section["properties"]["secret"] = Json::parse(R"({
    "type": "string", "minLength": 32, "writeOnly": true,
    "description": "Hides keys and addresses from a shared counter, which gets to see them hashed with it. Needed there, and the same on every server; not used elsewhere."})");
  section["properties"]["origins"] = Json::parse(R"({
    "type": "array", "default": [],
    "description": "Web pages whose requests without a key have a plan of their own, still counted by address. Browsers send the origin; anybody else can make one up.",
    "items": {
      "type": "object", "additionalProperties": false, "required": ["origin", "plan"],
      "properties": {
        "origin": {"type": "string", "format": "page-origin", "description": "The pages' origin; once."},
        "plan": {"type": "string", "description": "One of the plans."}}}})");
  return section;
}

Json cache_section() {
  Json section = plugin_section("Where answers of external services are kept.", {"memory", "redis"}, " none: nowhere.");
  section["properties"]["http_max_age"] = Json::parse(R"({
    "type": "string", "format": "duration", "default": "0s",
    "description": "How long clients may show an answer again without asking; 0s: they always ask (Cache-Control: no-cache)."})");
  return section;
}

Json codehost_section() {
  Json section = plugin_section("The code-hosting service behind /external/codehost.",
                                {"none", "github", "gitlab", "gitea"}, kUnlessSet);
  section["properties"].update(Json::parse(R"({
    "require_key": {"type": "boolean", "default": false,
      "description": "Whether the endpoint answers nobody without an API key (401)."},
    "fresh_for": {"type": "string", "format": "duration", "default": "10m",
      "description": "How long an answer is given again before the service is asked whether it still holds; 0s: it always is."},
    "keep_for": {"type": "string", "format": "duration", "default": "24h",
      "description": "How long an answer can stand in while the service is down or must not be asked."},
    "unknown_for": {"type": "string", "format": "duration", "default": "1m",
      "description": "How long nobody asks again about a user whom the service does not know."},
    "cold_per_minute": {"type": "integer", "minimum": 0, "maximum": 1000000, "default": 30,
      "description": "Look-ups within a minute that ask the service, of this server; then what is kept is given, else 503. 0: any number."},
    "cold_per_minute_keyless": {"type": "integer", "minimum": 0, "maximum": 1000000, "default": 3,
      "description": "The same for one client without an API key. 0: any number."},
    "timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "What a request gets for its answer, waiting included; then what is kept is given, else 504. Not more than server.request_timeout."},
    "max_concurrent": {"type": "integer", "minimum": 1, "maximum": 256, "default": 16,
      "description": "Look-ups that ask the service at a time; one more waits as server.max_queue_time says, then 503."}
  })"));
  return section;
}

Json llm_section() {
  Json section = plugin_section("The language-model service behind /external/llm.",
                                {"none", "openai", "anthropic", "ollama"}, kUnlessSet);
  section["properties"].update(Json::parse(R"({
    "allowed_models": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
      "description": "The models that may be asked for, beside config.default_model. Empty: any that the service has."},
    "max_tokens": {"type": "integer", "minimum": 1, "maximum": 10000000, "default": 4096,
      "description": "The most tokens that a request may ask for."},
    "default_max_tokens": {"type": "integer", "minimum": 1, "maximum": 10000000, "default": 1024,
      "description": "The bound of a completion whose request names none."},
    "max_prompt_bytes": {"type": ["integer", "string"], "format": "size", "minimum": 1, "maximum": 1073741824,
      "default": "32KiB", "description": "The longest prompt, in bytes of UTF-8."},
    "timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "How long a caller waits for a completion, or for the first piece of a stream; then the answer is 504."},
    "idle_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "How long a stream may be silent after its first piece before it ends in an error."},
    "stream_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10m",
      "description": "How long a stream may last."},
    "max_concurrent": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 64,
      "description": "Completions at a time, each with a thread and a connection; more wait for server.max_queue_time and then get 503."},
    "tokens_per_day": {"type": "integer", "minimum": 0, "maximum": 4294967295, "default": 0,
      "description": "Tokens of prompts and completions in a UTC day, of all clients together; 0: no such limit."},
    "log_prompts": {"type": "boolean", "default": false,
      "description": "Log prompts and completions, which may hold what nobody else should read."}
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
           {{"per_minute", limit(per_minute, "Requests in any 60 seconds; 0: no such limit.")},
            {"per_day", limit(per_day, "Requests in a UTC day; 0: no such limit.")},
            {"llm_tokens_per_day",
             limit(llm_tokens_per_day, "Tokens of prompts and completions in a UTC day; 0: no such limit.")}}}};
}

Json plans_section() {
  return {{"type", "object"},
          {"description", "How many requests a subject may make. The plan public is that of requests without a key."},
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
             plugin_section("Where items, categories, keys and view counts are kept.", {"sqlite", "memory", "postgres"},
                            " memory keeps nothing: config.load lists the sources that fill it at start.")},
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
