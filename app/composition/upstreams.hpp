// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/origin_look.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::composition {

/// What the settings of one service say in place of those of all.
struct UpstreamNeeds {
  std::chrono::milliseconds first_byte_timeout{0}, idle_timeout{0};  ///< 0: nothing
  std::size_t max_connections = 0;                                   ///< or more, where all may have more
};

/// Why `ca_file` is not to be used, which libcurl would say at the first request only. Empty: it is.
std::string defect_of_ca_file(const config::Upstream& settings);

/// The setting of a plugin that names the service it asks.
struct ServiceSetting {
  std::string name;  ///< "base_url" or "url"
  bool is_http;      ///< so it is asked in the way that `upstream` says
};

/// By the plugin's settings, JSON text. nullopt: they name no service.
std::optional<ServiceSetting> service_setting(const std::string& config);

/// What the services that a plugin's settings name tell everybody, in the way that its client goes; none: they name no
/// service.
std::vector<model::Result<curl::OriginLook>> look_at_services(const config::Upstream& settings,
                                                              const std::string& config);

/// HTTP for plugins that ask a service outside. All share one thread, which begins with the first client; apart from
/// that each is for itself, with origins, limits, breaker and figures of its own. One thread; outlives the clients.
class Upstreams {
 public:
  /// `metrics` may be null: nobody reads figures.
  Upstreams(const config::Upstream& settings, Platform& platform, ports::Metrics* metrics);
  ~Upstreams();

  /// The client of a plugin by its settings, JSON text, under the name of its section. Null: they name no service, by
  /// an http:// or https:// URL as `base_url` or `url`. InvalidArgument: it can't be asked; the message says where.
  model::Result<std::unique_ptr<ports::HttpClient>> client(std::string_view section, const std::string& config,
                                                           const UpstreamNeeds& needs = {});

 private:
  struct Running;
  model::Status start();

  const config::Upstream& settings_;
  Platform& platform_;
  ports::Metrics* const metrics_;
  std::unique_ptr<Running> running_;  // null: nobody needed it yet
};

}  // namespace kbase::composition
