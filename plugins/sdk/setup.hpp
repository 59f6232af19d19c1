// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <optional>

#include "plugins/sdk/host_http_client.hpp"
#include "plugins/sdk/host_services.hpp"
#include "plugins/sdk/settings.hpp"

namespace kbase::sdk {

/// What an instance is made with. The settings are read while it is made; the services live as long as the instance.
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

  /// A series of the operator's monitoring. `name` is made of a-z, 0-9 and _; a counter's ends with _total.
  ports::Counter& counter(std::string_view name, std::string_view help) {
    return counters_.emplace_back(host_, name, help);
  }
  ports::Gauge& gauge(std::string_view name, std::string_view help) { return gauges_.emplace_back(host_, name, help); }

  /// HTTP to the origins of the instance's settings `base_url` and `url`. Null: these name no http:// or https:// URL,
  /// or the server lends none.
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

/// What a plugin's open function gives. Shared, so that a port can be a part of something larger.
template <class Port>
using Opened = model::Result<std::shared_ptr<Port>>;

}  // namespace kbase::sdk
