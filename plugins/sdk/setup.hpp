// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <optional>

#include "plugins/sdk/host_http_client.hpp"
#include "plugins/sdk/host_services.hpp"
#include "plugins/sdk/settings.hpp"

namespace kbase::sdk {

/// Environment of a new instance. The settings are read during creation; the services live as long as the instance.
class Setup {
 public:
  Setup(const kb_host& host, Settings settings)
      : host_(host), settings_(std::move(settings)), clock_(host), log_(host) {
    if (const kb_http_client_v1* const table = HostHttpClient::table_of(host)) http_.emplace(host, *table);
  }

  const Settings& settings() const { return settings_; }
  const ports::Clock& clock() const { return clock_; }
  ports::EventLog& log() { return log_; }
  ports::Random& random() { return random_; }

  /// Creates a series of the operator's metrics. `name` consists of a-z, 0-9 and _; a counter's name ends with _total.
  ports::Counter& counter(std::string_view name, std::string_view help) {
    return counters_.emplace_back(host_, name, help);
  }
  ports::Gauge& gauge(std::string_view name, std::string_view help) { return gauges_.emplace_back(host_, name, help); }

  /// HTTP client for the origins of the settings `base_url` and `url`. Null: the settings contain no http:// or
  /// https:// URL, or the server provides no HTTP.
  ports::HttpClient* http() { return http_ ? &*http_ : nullptr; }

 private:
  const kb_host& host_;
  Settings settings_;
  HostClock clock_;
  HostLog log_;
  KernelRandom random_;
  std::list<HostCounter> counters_;
  std::list<HostGauge> gauges_;
  std::optional<HostHttpClient> http_;
};

/// Result of a plugin's open function. Shared, so that a port can be a member of a larger object.
template <class Port>
using Opened = Result<std::shared_ptr<Port>>;

}  // namespace kbase::sdk
