// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/system/stderr_log.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/plan.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/event_log.hpp"

/// The configuration (docs/operations/configuration.md): read once, checked whole, then plain values. What each key
/// means, with its default, unit and consequence, is said in one place, the schema (schema.cpp), which `kbase config
/// schema` prints.
namespace kbase::config {

struct Cors {
  std::vector<std::string> allowed_origins;
  std::chrono::seconds max_age{0};
};

struct Server {
  std::string address;
  std::uint16_t port = 0;
  std::string base_path;
  unsigned threads = 0;  ///< never 0 once loaded: the machine's cores stand in for it
  std::uint64_t max_body_bytes = 0, max_body_bytes_total = 0;
  std::size_t max_connections = 0, max_connections_per_address = 0, max_queue_length = 0;
  std::chrono::milliseconds header_timeout{0}, body_timeout{0}, idle_timeout{0}, send_timeout{0}, request_timeout{0},
      drain_timeout{0}, max_queue_time{0};
  std::vector<std::string> trusted_proxies;  ///< networks in CIDR notation, or single addresses
  Cors cors;
};

struct Admin {
  std::string address;
  std::optional<std::uint16_t> port;  ///< nullopt: no such listener
};

struct Explorer {
  bool enabled = true;
  std::string title;
  std::string path;  ///< absolute; empty: the installed one
};

using Sha256 = std::array<std::uint8_t, 32>;

/// A back end: its name, or the path of a shared object, and its `config` as JSON text, checked against its schema and
/// with its defaults filled in; paths are absolute, durations and sizes stand as written.
struct Backend {
  std::string plugin;
  std::optional<Sha256> sha256;  ///< of the shared object; nullopt: any is taken
  std::string config;
};

struct Storage : Backend {
  std::vector<std::string> load;  ///< sources that fill a store that keeps nothing, at start
};

/// HTTP to other services, for each plugin that asks one.
struct Upstream {
  std::string proxy;                  ///< empty: none
  std::vector<std::string> no_proxy;  ///< hosts, domains and networks
  std::string ca_file;                ///< absolute; empty: the system's authorities
  std::chrono::milliseconds connect_timeout{0}, first_byte_timeout{0}, idle_timeout{0};
  std::uint64_t max_body_bytes = 0;
  std::size_t max_connections = 0;
};

enum class WhenUnavailable { Local, Allow, Deny };

struct RateLimit : Backend {
  std::chrono::milliseconds timeout{50};  ///< how long a request waits for the counter
  WhenUnavailable when_unavailable = WhenUnavailable::Local;
  std::string secret;  ///< hides subjects from a shared counter; never empty where the plugin is one
  std::vector<model::OriginPlan> origins;
};

struct Cache : Backend {
  std::chrono::seconds http_max_age{0};
};

struct CodeHost : Backend {
  bool require_key = false;
  std::chrono::milliseconds fresh_for{0}, keep_for{0}, unknown_for{0};
  std::uint32_t cold_per_minute = 0, cold_per_minute_keyless = 0;  ///< 0: no bound
  std::chrono::milliseconds timeout{10'000};
  std::size_t max_concurrent = 16;
};

/// What may be asked of the language-model service, beside the plugin's own settings.
struct Llm : Backend {
  std::string default_model;                ///< empty where the plugin is none
  std::vector<std::string> allowed_models;  ///< beside the default one; empty: any
  std::uint32_t max_tokens = 0, default_max_tokens = 0, tokens_per_day = 0;
  std::uint64_t max_prompt_bytes = 0;
  std::chrono::milliseconds timeout{0}, idle_timeout{0}, stream_timeout{0};
  std::size_t max_concurrent = 0;
  bool log_prompts = false;
};

enum class ClientAddress { Hash, Prefix, Full, None };

struct Logging {
  ports::LogLevel level = ports::LogLevel::Info;
  system::StderrLog::Format format = system::StderrLog::Format::Auto;
  ClientAddress client_address = ClientAddress::Hash;
  std::string secret;  ///< of the names of clients; empty: the one kept in data_dir
};

struct Settings {
  Server server;
  Admin admin;
  Explorer explorer;
  std::vector<std::string> plugin_directories;
  std::string data_dir;  ///< absolute
  Storage storage;
  Backend search;
  RateLimit rate_limit;
  Cache cache;
  CodeHost codehost;
  Llm llm;
  Upstream upstream;
  std::vector<model::ApiKey> keys;
  std::string instance;
  std::vector<model::Plan> plans;  ///< public, developer and premium first, then by name
  Logging logging;
  std::string shown;  ///< all of the above as JSON text, secrets hidden: what print() shows
};

inline constexpr std::string_view kNoPlugin = "none";

/// The plugin that a section names, while the configuration is still being read.
struct ChosenPlugin {
  std::string_view section;  ///< "storage", "search", "rate_limit", "cache", "codehost" or "llm"
  std::string plugin;
  std::optional<Sha256> sha256;
  std::vector<std::string> directories;  ///< `plugins.directories`
};

/// What a plugin says about its part of the configuration.
struct PluginConfig {
  /// The JSON Schema text of its `config`. A default may begin with ${data_dir} or ${instance}, which stand for these.
  std::string_view schema;
  bool keeps_nothing = false;  ///< a storage that starts empty: it takes `config.load`
  bool is_shared = false;      ///< a rate limit's that several servers count in: it needs `rate_limit.secret`
};

struct LoadOptions {
  std::optional<std::string> file;  ///< nullopt: the built-in defaults
  std::vector<std::string> sets;    ///< "path.to.key=value", each over all before it
  /// The value of an environment variable; by default the process's.
  std::function<std::optional<std::string>(const std::string& name)> environment;
  /// Asked for each section's plugin. An error's message is said with its place.
  std::function<model::Result<PluginConfig>(const ChosenPlugin&)> plugin_config;
  /// Asked of what is sound otherwise; may be empty. An error's message is said with the place of its parameter.
  std::function<model::Status(const Settings&)> further_check = {};
};

/// Reads the file and the overrides, checks them against the schema and fills in the defaults. InvalidArgument: one
/// line, "FILE:LINE: path.to.key: reason" or "--set path.to.key: reason".
model::Result<Settings> load(const LoadOptions& options);

/// The settings as YAML that load() reads again, secrets as "***": those that must have a form have to be put back.
std::string print(const Settings& settings);

/// The configuration's JSON Schema (draft 2020-12), plugins' own `config` left open.
std::string schema_text();

}  // namespace kbase::config
