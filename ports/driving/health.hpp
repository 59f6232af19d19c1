// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "domain/model/day.hpp"
#include "ports/driven/service_monitor.hpp"

namespace kbase::ports {

/// Health of the service (docs/guide/health.md). Degraded: an optional service or the index update is down. Unhealthy:
/// storage or search is down.
struct HealthReport {
  enum class Condition { Healthy, Degraded, Unhealthy };
  Condition condition = Condition::Healthy;
  model::Instant now;
  ServiceState storage = ServiceState::Up;
  ServiceState cache = ServiceState::Disabled;
  ServiceState codehost = ServiceState::Disabled;
  ServiceState llm = ServiceState::Disabled;
};

/// Reports the health of the service. Never blocks. Any thread.
class Health {
 public:
  virtual ~Health() = default;
  virtual HealthReport report() const = 0;
};

/// Whether load balancers should send requests to this server. Never blocks. Any thread.
class Readiness {
 public:
  virtual ~Readiness() = default;

  /// Returns why the server is not ready: string literals, each a sentence without its period. Empty: the server is
  /// ready.
  virtual std::vector<std::string_view> obstacles() const = 0;
};

}  // namespace kbase::ports
