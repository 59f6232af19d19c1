// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/clock.hpp"
#include "ports/driven/service_monitor.hpp"
#include "ports/driving/health.hpp"

namespace kbase::usecases {

/// Combines the last results of the health checks (docs/guide/health.md).
class ReportHealth final : public ports::Health {
 public:
  /// Both must outlive the object.
  ReportHealth(const ports::ServiceMonitor& monitor, const ports::Clock& clock) : monitor_(monitor), clock_(clock) {}

  ports::HealthReport report() const override;

 private:
  const ports::ServiceMonitor& monitor_;
  const ports::Clock& clock_;
};

}  // namespace kbase::usecases
