// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domain/model/day.hpp"
#include "ports/driven/service_monitor.hpp"

namespace kbase::ports {

/// See docs/guide/health.md. Degraded: something optional is down. Unhealthy: storage or search is.
struct HealthReport {
  enum class Condition { Healthy, Degraded, Unhealthy };
  Condition condition = Condition::Healthy;
  model::Instant now;
  ServiceState storage = ServiceState::Up;
  ServiceState cache = ServiceState::Disabled;
  ServiceState codehost = ServiceState::Disabled;
  ServiceState llm = ServiceState::Disabled;
};

/// How the service is; never waits for anything. Any thread.
class Health {
 public:
  virtual ~Health() = default;
  virtual HealthReport report() const = 0;
};

}  // namespace kbase::ports
