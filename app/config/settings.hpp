// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/system/stderr_log.hpp"
#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"
#include "ports/driven/event_log.hpp"

/// The configuration (docs/operations/configuration.md). Loaded once, fully validated, then plain values. The schema
/// (schema.cpp), printed by `kbase config schema`, documents each key with its default, unit and effect.
namespace kbase::config {

struct Cors {
  std::vector<std::string> allowed_origins;
  std::chrono::seconds max_age{0};
};

struct Server {
  std::string address;
  std::uint16_t port = 0;
  std::string base_path;
  unsigned threads = 0;  ///< number of cores if configured as 0; never 0 after loading
  std::uint64_t max_body_bytes = 0, max_body_bytes_total = 0, max_import_bytes = 0;
  std::size_t max_connections = 0, max_connections_per_address = 0, max_queue_length = 0;
  std::chrono::milliseconds header_timeout{0}, body_timeout{0}, idle_timeout{0}, send_timeout{0}, request_timeout{0},
      drain_timeout{0}, max_queue_time{0};
  std::vector<std::string> trusted_proxies;  ///< networks in CIDR notation, or single addresses
  Cors cors;
};

struct Admin {
  std::string address;
  std::optional<std::uint16_t> port;  ///< nullopt: no admin listener
};

struct Explorer {
  bool enabled = true;
  std::string title;
  std::string description;
  std::string url;                                   ///< without a slash at its end; empty: as clients ask for it
  std::string language;                              ///< of items that have none
  std::string logo;                                  ///< address of a picture; empty: none
  std::string accent;                                ///< color such as "#0b6457"; empty: the one of the installed style
  std::map<std::string, std::string> links, footer;  ///< addresses by their text
  std::string plan;                                  ///< of readers of the pages: kVisitorPlan or kPublicPlan
  std::string path;                                  ///< absolute; empty: the installed pages
};

/// How an import reads sources.
struct Content {
  std::string base_url;                           ///< precedes addresses that are paths; empty: they stay paths
  std::map<std::string, std::string> converters;  ///< commands by the ending of a file
};

using Sha256 = std::array<std::uint8_t, 32>;

/// A back end. `plugin` is a name or the path of a shared object. `config` is JSON text that was checked against the
/// plugin's schema and contains its defaults. Paths in it are absolute; durations and sizes are as written.
struct Backend {
  std::string plugin;
  std::optional<Sha256> sha256;  ///< digest of the shared object; nullopt: not checked
  std::string config;
};

struct Storage : Backend {
  std::vector<std::string> load;  ///< sources imported at start into a store that is not persistent
};

/// HTTP settings for all plugins that call upstream services.
struct Upstream {
  std::string proxy;                  ///< empty: none
  std::vector<std::string> no_proxy;  ///< hosts, domains and networks
  std::string ca_file;                ///< absolute; empty: the system's certificate authorities
  std::chrono::milliseconds connect_timeout{0}, first_byte_timeout{0}, idle_timeout{0};
  std::uint64_t max_body_bytes = 0;
  std::size_t max_connections = 0;
};

enum class WhenUnavailable { Local, Allow, Deny };

struct RateLimit : Backend {
  std::chrono::milliseconds timeout{50};  ///< how long a request waits for a shared rate limiter
  WhenUnavailable when_unavailable = WhenUnavailable::Local;
  std::string secret;  ///< hides client ids from a shared rate limiter; never empty if the plugin is one
  std::vector<model::OriginPlan> origins;
};

struct Cache : Backend {
  std::chrono::seconds http_max_age{0};
};

struct CodeHost : Backend {
  bool require_key = false;
  std::chrono::milliseconds fresh_for{0}, keep_for{0}, unknown_for{0};
  std::uint32_t cold_per_minute = 0, cold_per_minute_keyless = 0;  ///< 0: no limit
  std::chrono::milliseconds timeout{10'000};
  std::size_t max_concurrent = 16;
};

/// Limits of the language-model service, in addition to the plugin's settings.
struct Llm : Backend {
  std::string default_model;                ///< empty if there is no plugin
  std::vector<std::string> allowed_models;  ///< in addition to the default one; empty: any
  std::uint32_t max_tokens = 0, default_max_tokens = 0, tokens_per_day = 0;
  std::uint64_t max_prompt_bytes = 0;
  std::chrono::milliseconds timeout{0}, idle_timeout{0}, stream_timeout{0};
  std::size_t max_concurrent = 0;
  bool log_prompts = false;
};

enum class SignUpMode { Off, Open, Approval };

/// Accounts with which people get keys without an operator.
struct SignUp {
  SignUpMode mode = SignUpMode::Off;
  std::string plan;
  std::uint32_t keys_per_account = 0;
  std::vector<std::string> allowed_domains;  ///< empty: all
  std::string public_url;                    ///< address of the site in mails; empty: that of the listener
};

/// What readers search for and say of items, for the operator.
struct Insights {
  bool enabled = false;
  std::chrono::days keep{};
  std::uint32_t min_clients = 0;
};

struct Mail : Backend {
  std::string templates;  ///< absolute path of a folder; empty: the installed texts
};

enum class ClientAddress { Hash, Prefix, Full, None };

struct Logging {
  ports::LogLevel level = ports::LogLevel::Info;
  system::StderrLog::Format format = system::StderrLog::Format::Auto;
  ClientAddress client_address = ClientAddress::Hash;
  std::string secret;  ///< key of client pseudonyms; empty: the one stored in data_dir
};

struct Settings {
  Server server;
  Admin admin;
  Explorer explorer;
  Content content;
  std::vector<std::string> plugin_directories;
  std::string data_dir;  ///< absolute
  Storage storage;
  Backend search;
  RateLimit rate_limit;
  Cache cache;
  CodeHost codehost;
  Llm llm;
  SignUp signup;
  Insights insights;
  Mail mail;
  Upstream upstream;
  std::vector<model::ApiKey> keys;
  std::string instance;
  std::vector<model::Plan> plans;  ///< public, developer and premium first, then by name
  Logging logging;
  std::string shown;  ///< all settings as JSON text with secrets hidden, for print()
};

inline constexpr std::string_view kNoPlugin = "none";

/// The plugin of a section, during the load of the configuration.
struct ChosenPlugin {
  std::string_view section;  ///< "storage", "search", "rate_limit", "cache", "codehost", "llm" or "mail"
  std::string plugin;
  std::optional<Sha256> sha256;
  std::vector<std::string> directories;  ///< the value of `plugins.directories`
};

/// A plugin's declarations about its part of the configuration.
struct PluginConfig {
  /// JSON Schema text of its `config`. A default may start with ${data_dir} or ${instance}, which are expanded.
  std::string_view schema;
  bool is_ephemeral = false;  ///< a storage that is not persistent: `config.load` is allowed
  bool is_shared = false;     ///< a rate limiter shared by several servers: `rate_limit.secret` is required
};

struct LoadOptions {
  std::optional<std::string> file;  ///< nullopt: the built-in defaults
  std::vector<std::string> sets;    ///< "path.to.key=value"; later ones override earlier ones
  /// Returns the value of an environment variable. Default: the process's environment.
  std::function<std::optional<std::string>(const std::string& name)> environment;
  /// Called for the plugin of each section. An error is reported with its position in the configuration.
  std::function<Result<PluginConfig>(const ChosenPlugin&)> plugin_config;
  /// Called for settings that are otherwise valid; may be empty. An error is reported with the position of its
  /// parameter.
  std::function<Status(const Settings&)> extra_check = {};
};

/// Loads the file and the overrides, fills in the defaults and checks the result against the schema. InvalidArgument:
/// one line, "FILE:LINE: path.to.key: reason" or "--set path.to.key: reason".
Result<Settings> load(const LoadOptions& options);

/// Returns the settings as YAML that load() accepts. Secrets are "***"; those whose format is checked must be restored
/// first.
std::string print(const Settings& settings);

/// Returns the configuration's JSON Schema (draft 2020-12). The `config` of plugins is open.
std::string schema_text();

}  // namespace kbase::config
