// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/origin_probe.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::composition {

/// Settings of one service that override those of all services.
struct UpstreamOverrides {
  std::chrono::milliseconds first_byte_timeout{0}, idle_timeout{0};  ///< 0: use the setting of all
  std::size_t max_connections = 0;                                   ///< minimum; the setting of all may be higher
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
