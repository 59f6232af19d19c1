// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/clock.hpp"
#include "ports/driven/service_monitor.hpp"
#include "ports/driving/health.hpp"

namespace kbase::usecases {

/// What the probes last saw, put together (docs/guide/health.md).
class ReportHealth final : public ports::Health {
 public:
  /// Both outlive this object.
  ReportHealth(const ports::ServiceMonitor& monitor, const ports::Clock& clock) : monitor_(monitor), clock_(clock) {}

  ports::HealthReport report() const override;

 private:
  const ports::ServiceMonitor& monitor_;
  const ports::Clock& clock_;
};

}  // namespace kbase::usecases
