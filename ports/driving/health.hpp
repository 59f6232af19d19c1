// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace kbase::ports
