// SPDX-License-Identifier: Apache-2.0
#include "app/config/schema.hpp"

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
    "max_connections": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 10000,
      "description": "Open connections at a time; one more is answered 503."},
    "header_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "10s",
      "description": "From a request's first byte to the end of its header; then 408 and the connection closes."},
    "body_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "30s",
      "description": "From the end of a request's header to that of its body; then 408 and the connection closes."},
    "idle_timeout": {"type": "string", "format": "duration", "minimum": 1, "default": "60s",
      "description": "Between two requests of a connection; then it closes."},
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

constexpr const char* kPlugins = R"({
  "type": "object", "additionalProperties": false,
  "description": "Where plugins are looked for.",
  "properties": {
    "directories": {"type": "array", "items": {"type": "string", "format": "path"}, "default": [],
      "description": "Folders of shared objects, beside the one that was installed with the program."}}
})";

constexpr const char* kStorage = R"({
  "type": "object", "additionalProperties": false,
  "description": "Where items, categories, keys and view counts are kept.",
  "properties": {
    "plugin": {"type": "string", "default": "sqlite", "examples": ["sqlite", "memory", "postgres"],
      "description": "An installed plugin's name, or the absolute path of a shared object. memory keeps nothing: config.load lists the sources that fill it at start."},
    "config": {"type": "object", "additionalProperties": true, "description": "The plugin's own settings."}}
})";

constexpr const char* kSearch = R"({
  "type": "object", "additionalProperties": false,
  "description": "The full-text index.",
  "properties": {
    "plugin": {"type": "string", "default": "fts5", "examples": ["native", "fts5", "opensearch"],
      "description": "An installed plugin's name, or the absolute path of a shared object."},
    "config": {"type": "object", "additionalProperties": true, "description": "The plugin's own settings."}}
})";

constexpr const char* kRateLimit = R"({
  "type": "object", "additionalProperties": false,
  "description": "Where requests are counted against the limits of the plans.",
  "properties": {
    "plugin": {"type": "string", "default": "memory", "examples": ["memory", "redis"],
      "description": "An installed plugin's name, or the absolute path of a shared object. memory counts for this process alone."},
    "config": {"type": "object", "additionalProperties": true, "description": "The plugin's own settings."},
    "when_unavailable": {"type": "string", "enum": ["local", "allow", "deny"], "default": "local",
      "description": "While a shared counter cannot be reached: count in this process (local), let everything pass (allow), or answer 503 (deny). The language-model endpoint always denies."}}
})";

constexpr const char* kCache = R"({
  "type": "object", "additionalProperties": false,
  "description": "Where answers of external services are kept.",
  "properties": {
    "plugin": {"type": "string", "default": "memory", "examples": ["memory", "redis"],
      "description": "An installed plugin's name, the absolute path of a shared object, or none."},
    "config": {"type": "object", "additionalProperties": true, "description": "The plugin's own settings."},
    "http_max_age": {"type": "string", "format": "duration", "default": "0s",
      "description": "How long clients may show an answer again without asking; 0s: they always ask (Cache-Control: no-cache)."}}
})";

constexpr const char* kCodehost = R"({
  "type": "object", "additionalProperties": false,
  "description": "The code-hosting service behind /external/codehost.",
  "properties": {
    "plugin": {"type": "string", "default": "none", "examples": ["github", "gitlab", "gitea"],
      "description": "An installed plugin's name, the absolute path of a shared object, or none: the endpoint answers 503."},
    "config": {"type": "object", "additionalProperties": true, "description": "The plugin's own settings."}}
})";

constexpr const char* kLlm = R"({
  "type": "object", "additionalProperties": false,
  "description": "The language-model service behind /external/llm.",
  "properties": {
    "plugin": {"type": "string", "default": "none", "examples": ["openai", "anthropic", "ollama"],
      "description": "An installed plugin's name, the absolute path of a shared object, or none: the endpoint answers 503."},
    "config": {"type": "object", "additionalProperties": true, "description": "The plugin's own settings."}}
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
      "key": {"type": "string", "minLength": 1, "writeOnly": true, "description": "The key's text itself; either this or sha256."},
      "expires": {"type": "string", "format": "instant", "description": "From when on it is refused (UTC). Absent: never."},
      "scopes": {"type": "array", "items": {"type": "string", "enum": ["read", "llm", "codehost"]},
        "default": ["read", "llm", "codehost"], "description": "What it may be used for."}}}
})";

constexpr const char* kPlans = R"({
  "type": "object",
  "description": "How many requests a subject may make. The plan public is that of requests without a key.",
  "properties": {
    "public": {"type": "object", "additionalProperties": false, "properties": {
      "per_minute": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 10, "description": "Requests in any 60 seconds; 0: no such limit."},
      "per_day": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 1000, "description": "Requests in a UTC day; 0: no such limit."}}},
    "developer": {"type": "object", "additionalProperties": false, "properties": {
      "per_minute": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 60, "description": "Requests in any 60 seconds; 0: no such limit."},
      "per_day": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 10000, "description": "Requests in a UTC day; 0: no such limit."}}},
    "premium": {"type": "object", "additionalProperties": false, "properties": {
      "per_minute": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 300, "description": "Requests in any 60 seconds; 0: no such limit."},
      "per_day": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 100000, "description": "Requests in a UTC day; 0: no such limit."}}}},
  "additionalProperties": {"type": "object", "additionalProperties": false, "properties": {
    "per_minute": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 0, "description": "Requests in any 60 seconds; 0: no such limit."},
    "per_day": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 0, "description": "Requests in a UTC day; 0: no such limit."}}}
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
      "description": "How clients appear: by a hash that tells them apart, by their network, as they are, or not at all."}}
})";

constexpr const char* kDataDir = R"({"type": "string", "format": "path", "default": "./data",
  "description": "The folder of the journal, locks, state.db, and of the embedded store and index where they name no other."})";

constexpr const char* kInstance = R"({"type": "string", "format": "name", "default": "kbase",
  "description": "Prefixes Redis keys, the PostgreSQL schema and index names, so that several knowledge bases share servers."})";

struct Section {
  const char* name;
  const char* schema;
};

constexpr Section kSections[] = {{"server", kServer},
                                 {"admin", kAdmin},
                                 {"plugins", kPlugins},
                                 {"data_dir", kDataDir},
                                 {"storage", kStorage},
                                 {"search", kSearch},
                                 {"rate_limit", kRateLimit},
                                 {"cache", kCache},
                                 {"codehost", kCodehost},
                                 {"llm", kLlm},
                                 {"keys", kKeys},
                                 {"instance", kInstance},
                                 {"plans", kPlans},
                                 {"logging", kLogging}};

}  // namespace

nlohmann::ordered_json host_schema() {
  using Json = nlohmann::ordered_json;
  Json properties = Json::object();
  for (const Section& section : kSections) properties[section.name] = Json::parse(section.schema);
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "kbase configuration"},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

}  // namespace kbase::config
