// SPDX-License-Identifier: Apache-2.0
#include "app/config/settings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "adapters/system/system_crypto.hpp"
#include "app/config/formats.hpp"
#include "app/config/schema.hpp"
#include "app/config/schema_json.hpp"
#include "domain/base/text.hpp"
#include "domain/model/units.hpp"

namespace kbase::config {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& object, const char* key) { return object[key].get<std::string>(); }

std::vector<std::string> texts(const Json& object, const char* key) {
  return object[key].get<std::vector<std::string>>();
}

std::chrono::milliseconds duration(const Json& object, const char* key) {
  return model::parse_duration(text(object, key)).value_or(std::chrono::milliseconds(0));
}

std::chrono::seconds seconds(const Json& object, const char* key) {
  return std::chrono::ceil<std::chrono::seconds>(duration(object, key));
}

std::uint64_t bytes(const Json& object, const char* key) {
  if (object[key].is_number()) return object[key].get<std::uint64_t>();
  return model::parse_size(text(object, key)).value_or(0);
}

/// Returns the value for the name in the JSON member `key`.
template <class Value, std::size_t N>
Value named(const Json& object, const char* key, const std::pair<std::string_view, Value> (&names)[N]) {
  const std::string name = text(object, key);
  for (const auto& [known, value] : names)
    if (known == name) return value;
  return names[0].second;
}

Explorer explorer_of(const Json& json) {
  using Links = std::map<std::string, std::string>;
  std::string url = text(json, "url");
  if (url.ends_with('/')) url.pop_back();
  return {json["enabled"].get<bool>(), text(json, "title"), text(json, "description"), std::move(url),
          text(json, "language"),      text(json, "logo"),  text(json, "accent"),      json["links"].get<Links>(),
          json["footer"].get<Links>(), text(json, "plan"),  json.value("path", "")};
}

SignUp sign_up_of(const Json& json, const Explorer& explorer) {
  using enum SignUpMode;
  std::string url = text(json, "public_url");
  if (url.ends_with('/')) url.pop_back();
  return {named<SignUpMode>(json, "mode", {{"off", Off}, {"open", Open}, {"approval", Approval}}), text(json, "plan"),
          json["keys_per_account"].get<std::uint32_t>(), texts(json, "allowed_domains"),
          url.empty() ? explorer.url : std::move(url)};
}

Content content_of(const Json& json) {
  return {text(json, "base_url"), json["converters"].get<std::map<std::string, std::string>>()};
}

Server server_of(const Json& json) {
  Server server;
  server.address = text(json, "address");
  server.port = json["port"].get<std::uint16_t>();
  server.base_path = text(json, "base_path");
  server.threads = json["threads"].get<unsigned>();
  if (server.threads == 0) server.threads = std::max(1u, std::thread::hardware_concurrency());
  server.max_body_bytes = bytes(json, "max_body_bytes");
  server.max_body_bytes_total = bytes(json, "max_body_bytes_total");
  server.max_import_bytes = bytes(json, "max_import_bytes");
  server.max_connections = json["max_connections"].get<std::size_t>();
  server.max_connections_per_address = json["max_connections_per_address"].get<std::size_t>();
  server.max_queue_length = json["max_queue_length"].get<std::size_t>();
  server.max_queue_time = duration(json, "max_queue_time");
  server.header_timeout = duration(json, "header_timeout");
  server.body_timeout = duration(json, "body_timeout");
  server.idle_timeout = duration(json, "idle_timeout");
  server.send_timeout = duration(json, "send_timeout");
  server.request_timeout = duration(json, "request_timeout");
  server.drain_timeout = duration(json, "drain_timeout");
  server.trusted_proxies = texts(json, "trusted_proxies");
  server.cors = {texts(json["cors"], "allowed_origins"), seconds(json["cors"], "max_age")};
  return server;
}

Backend backend_of(const Json& json) {
  return {text(json, "plugin"), parse_sha256(json.value("sha256", std::string())),
          json.value("config", Json::object()).dump()};
}

/// The program itself handles `load`, so it is removed from the plugin's `config`.
Storage storage_of(Json json, bool is_ephemeral) {
  Storage storage;
  if (is_ephemeral) {
    storage.load = json["config"]["load"].get<std::vector<std::string>>();
    json["config"].erase("load");
  }
  static_cast<Backend&>(storage) = backend_of(json);
  return storage;
}

RateLimit rate_limit_of(const Json& json) {
  RateLimit limit;
  static_cast<Backend&>(limit) = backend_of(json);
  limit.timeout = duration(json, "timeout");
  limit.when_unavailable = named<WhenUnavailable>(
      json, "when_unavailable",
      {{"local", WhenUnavailable::Local}, {"allow", WhenUnavailable::Allow}, {"deny", WhenUnavailable::Deny}});
  limit.secret = json.value("secret", "");
  for (const Json& entry : json["origins"]) limit.origins.push_back({text(entry, "origin"), text(entry, "plan")});
  return limit;
}

Cache cache_of(const Json& json) {
  Cache cache;
  static_cast<Backend&>(cache) = backend_of(json);
  cache.http_max_age = seconds(json, "http_max_age");
  return cache;
}

CodeHost codehost_of(const Json& json) {
  CodeHost host;
  static_cast<Backend&>(host) = backend_of(json);
  host.require_key = json["require_key"].get<bool>();
  host.fresh_for = duration(json, "fresh_for");
  host.keep_for = duration(json, "keep_for");
  host.unknown_for = duration(json, "unknown_for");
  host.cold_per_minute = json["cold_per_minute"].get<std::uint32_t>();
  host.cold_per_minute_keyless = json["cold_per_minute_keyless"].get<std::uint32_t>();
  host.timeout = duration(json, "timeout");
  host.max_concurrent = json["max_concurrent"].get<std::size_t>();
  return host;
}

/// The program itself handles `default_model`, so it is removed from the plugin's `config`.
Llm llm_of(Json json) {
  Llm llm;
  if (json.contains("config")) {
    llm.default_model = json["config"].value("default_model", std::string());
    json["config"].erase("default_model");
  }
  static_cast<Backend&>(llm) = backend_of(json);
  llm.allowed_models = texts(json, "allowed_models");
  llm.max_tokens = json["max_tokens"].get<std::uint32_t>();
  llm.default_max_tokens = json["default_max_tokens"].get<std::uint32_t>();
  llm.tokens_per_day = json["tokens_per_day"].get<std::uint32_t>();
  llm.max_prompt_bytes = bytes(json, "max_prompt_bytes");
  llm.timeout = duration(json, "timeout");
  llm.idle_timeout = duration(json, "idle_timeout");
  llm.stream_timeout = duration(json, "stream_timeout");
  llm.max_concurrent = json["max_concurrent"].get<std::size_t>();
  llm.log_prompts = json["log_prompts"].get<bool>();
  return llm;
}

Upstream upstream_of(const Json& json) {
  Upstream upstream;
  upstream.proxy = text(json, "proxy");
  upstream.no_proxy = texts(json, "no_proxy");
  upstream.ca_file = json.value("ca_file", "");
  upstream.connect_timeout = duration(json, "connect_timeout");
  upstream.first_byte_timeout = duration(json, "first_byte_timeout");
  upstream.idle_timeout = duration(json, "idle_timeout");
  upstream.max_body_bytes = bytes(json, "max_body_bytes");
  upstream.max_connections = json["max_connections"].get<std::size_t>();
  return upstream;
}

model::ApiKey key_of(const Json& json) {
  model::ApiKey key;
  key.id = text(json, "id");
  key.name = text(json, "name");
  key.plan = text(json, "plan");
  key.digest = json.contains("key") ? system::OpensslDigest().sha256(text(json, "key"))
                                    : parse_sha256(text(json, "sha256")).value();
  if (json.contains("expires")) key.expires = model::parse_instant(text(json, "expires"));
  key.scopes = 0;
  for (const std::string& name : texts(json, "scopes"))
    if (const auto scope = model::scope_named(name)) key.scopes |= static_cast<model::Scopes>(*scope);
  return key;
}

Logging logging_of(const Json& json) {
  using ports::LogLevel;
  using Format = system::StderrLog::Format;
  Logging logging;
  logging.level = named<LogLevel>(json, "level",
                                  {{"debug", LogLevel::Debug},
                                   {"info", LogLevel::Info},
                                   {"warning", LogLevel::Warning},
                                   {"error", LogLevel::Error}});
  logging.format =
      named<Format>(json, "format", {{"auto", Format::Auto}, {"text", Format::Text}, {"json", Format::Json}});
  logging.client_address = named<ClientAddress>(json, "client_address",
                                                {{"hash", ClientAddress::Hash},
                                                 {"prefix", ClientAddress::Prefix},
                                                 {"full", ClientAddress::Full},
                                                 {"none", ClientAddress::None}});
  logging.secret = json.value("secret", "");
  return logging;
}

constexpr std::string_view kPlainCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-";

/// Whether all YAML parsers, old ones included, read the unquoted text as a string: it contains a letter and is neither
/// a YAML keyword nor a number.
bool is_plain(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  const bool has_letter = std::any_of(text.begin(), text.end(), [](char c) { return ascii::is_lower(c) && c != 'e'; });
  return has_letter && text.find_first_not_of(kPlainCharacters) == text.npos && !text.starts_with('-') &&
         std::find(std::begin(kWords), std::end(kWords), text) == std::end(kWords);
}

std::string scalar(const Json& value) {
  if (!value.is_string()) return value.dump();  // also an empty list or map
  const std::string text = without_expansion(value.get<std::string>());
  return is_plain(text) ? text : Json(text).dump();  // JSON strings are valid YAML strings
}

void append(std::string& yaml, const Json& value, std::size_t indent);

/// Appends `value` after its key or dash: on the same line, or on lines of its own.
void append_after(std::string& yaml, const Json& value, std::size_t indent) {
  if (!value.is_structured() || value.empty()) {
    yaml.append(" ").append(scalar(value)).append("\n");
  } else {
    yaml += '\n';
    append(yaml, value, indent);
  }
}

void append(std::string& yaml, const Json& value, std::size_t indent) {
  constexpr std::size_t kStep = 2;
  for (const auto& [key, entry] : value.items()) {
    yaml.append(indent, ' ').append(value.is_array() ? "-" : scalar(Json(key)) + ":");
    append_after(yaml, entry, indent + kStep);
  }
}

}  // namespace

Settings settings_of(const Json& checked, bool storage_is_ephemeral) {
  Settings settings;
  settings.server = server_of(checked["server"]);
  settings.admin.address = text(checked["admin"], "address");
  if (checked["admin"].contains("port")) settings.admin.port = checked["admin"]["port"].get<std::uint16_t>();
  settings.explorer = explorer_of(checked["explorer"]);
  settings.content = content_of(checked["content"]);
  settings.plugin_directories = texts(checked["plugins"], "directories");
  settings.data_dir = text(checked, "data_dir");
  settings.storage = storage_of(checked["storage"], storage_is_ephemeral);
  settings.search = backend_of(checked["search"]);
  settings.rate_limit = rate_limit_of(checked["rate_limit"]);
  settings.cache = cache_of(checked["cache"]);
  settings.codehost = codehost_of(checked["codehost"]);
  settings.llm = llm_of(checked["llm"]);
  settings.signup = sign_up_of(checked["signup"], settings.explorer);
  const Json& insights = checked["insights"];
  settings.insights = {insights["enabled"].get<bool>(),
                       std::chrono::duration_cast<std::chrono::days>(duration(insights, "keep")),
                       insights["min_clients"].get<std::uint32_t>()};
  static_cast<Backend&>(settings.mail) = backend_of(checked["mail"]);
  settings.mail.templates = checked["mail"].value("templates", "");
  settings.upstream = upstream_of(checked["upstream"]);
  for (const Json& key : checked["keys"]) settings.keys.push_back(key_of(key));
  settings.instance = text(checked, "instance");
  for (const auto& [name, plan] : checked["plans"].items())
    settings.plans.push_back({name,
                              {plan["per_minute"].get<std::uint32_t>(), plan["per_day"].get<std::uint32_t>()},
                              plan["llm_tokens_per_day"].get<std::uint32_t>()});
  settings.logging = logging_of(checked["logging"]);
  return settings;
}

std::string print(const Settings& settings) {
  std::string yaml;
  append(yaml, Json::parse(settings.shown), 0);
  return yaml;
}

nlohmann::ordered_json host_schema() { return nlohmann::ordered_json::parse(kSchemaJson); }

}  // namespace kbase::config
