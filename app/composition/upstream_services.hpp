// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/request.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "app/runtime/metered_completions.hpp"
#include "app/runtime/server_health.hpp"
#include "app/runtime/worker_pool.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/complete_prompt.hpp"
#include "domain/usecases/look_up_user.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::composition {

class Backends;

/// The configured code-hosting service with its cache, rate limit and request coalescing. If none is configured,
/// look-ups fail because the service is disabled. Each member uses only members declared before it.
class CodeHostService {
 public:
  /// Dependencies; all must outlive the service. `cache` may be null.
  struct Dependencies {
    const config::Settings& settings;
    Platform& platform;
    Backends& backends;
    ports::Cache* cache;
    std::function<void(ports::LookUpOutcome)> on_outcome = {};  ///< empty: outcomes are not counted
  };
  /// Errors: those of Backends::open_code_host().
  static Result<std::unique_ptr<CodeHostService>> open(const Dependencies& deps);

  CodeHostService(const Dependencies& deps, std::unique_ptr<ports::CodeHost> host,
                  std::unique_ptr<ports::RateLimitStore> limiter);

  ports::CodeHostUsers& users() { return users_; }

  /// Checks the health of the service every 15 seconds in its own thread and reports it to `health`. This object and
  /// `health` must outlive the task. Null: no service is configured.
  std::unique_ptr<runtime::PeriodicTask> start_health_task(runtime::HealthChecker& health) const;

 private:
  const Dependencies deps_;
  const std::unique_ptr<ports::CodeHost> host_;
  const std::unique_ptr<ports::RateLimitStore> look_up_limiter_;
  usecases::LookUpUser look_up_;
  runtime::CoalescedLookUps users_;
};

/// The configured language model with its prompt rules and token limits. If none is configured, completions fail
/// because the service is disabled.
class LanguageModelService {
 public:
  /// Dependencies; all must outlive the service. The rate limiter counts tokens.
  struct Dependencies {
    const config::Settings& settings;
    Platform& platform;
    Backends& backends;
    ports::RateLimitStore& rate_limiter;
  };
  /// Errors: those of Backends::open_language_model().
  static Result<std::unique_ptr<LanguageModelService>> open(const Dependencies& deps);

  LanguageModelService(const Dependencies& deps, std::unique_ptr<ports::LanguageModel> model);

  ports::Completions& completions() { return completions_; }

  /// Checks the health of the service every 15 seconds in its own thread and reports it to `health`. This object and
  /// `health` must outlive the task. Null: no service is configured.
  std::unique_ptr<runtime::PeriodicTask> start_health_task(runtime::HealthChecker& health) const;

 private:
  const Dependencies deps_;
  const std::unique_ptr<ports::LanguageModel> model_;
  usecases::CompletePrompt completions_;
};

/// Settings of one service that override those of all services.
struct UpstreamOverrides {
  std::chrono::milliseconds first_byte_timeout{0}, idle_timeout{0};  ///< 0: use the setting of all
  std::size_t max_connections = 0;                                   ///< minimum; the setting of all may be higher
  std::uint64_t max_body_bytes = 0;                                  ///< minimum; the setting of all may be higher
  bool stops_at_failures = true;                                     ///< false: there is no circuit breaker
};

/// Returns why `ca_file` is unusable; libcurl would report it only at the first request. Empty: it is usable or not
/// set.
std::string find_ca_file_defect(const config::Upstream& settings);

/// The setting of a plugin that contains the URL of its upstream service.
struct ServiceSetting {
  std::string name;  ///< "base_url" or "url"
  bool is_http;      ///< true: the settings in `upstream` apply
};

/// Finds the setting in the plugin's settings, JSON text. nullopt: they contain no URL.
std::optional<ServiceSetting> find_service_setting(const std::string& config);

/// Checks each http(s) service in a plugin's settings without credentials, with the options of the plugin's client.
/// Empty: the settings contain no such URL.
std::vector<Result<curl::OriginInfo>> check_services(const config::Upstream& settings, const std::string& config);

/// HTTP clients for plugins that call upstream services. All clients share one thread, which starts with the first
/// client. Each has its own origins, limits, circuit breaker and metrics. Not thread-safe; must outlive the clients.
class UpstreamClients {
 public:
  /// If `metrics` is null, the metrics are discarded.
  UpstreamClients(const config::Upstream& settings, Platform& platform, ports::Metrics* metrics);
  ~UpstreamClients();

  /// Creates the HTTP client of a plugin; `config` is the plugin's settings (JSON text), `section` the name of its
  /// configuration section. Null: the settings have no http:// or https:// URL as `base_url` or `url`. Error:
  /// InvalidArgument if the URL or the CA file is unusable; the message names the setting.
  Result<std::unique_ptr<ports::HttpClient>> client(std::string_view section, const std::string& config,
                                                    const UpstreamOverrides& overrides = {});

 private:
  struct Shared;
  Status start();

  const config::Upstream& settings_;
  Platform& platform_;
  ports::Metrics* const metrics_;
  std::unique_ptr<Shared> shared_;  // null until the first client
};

}  // namespace kbase::composition
