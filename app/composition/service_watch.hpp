// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include "app/runtime/periodic_task.hpp"
#include "app/runtime/service_probes.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::composition {

/// Pause between health checks: short enough to notice a recovery soon, long enough to cause no load.
inline constexpr std::chrono::milliseconds kServicePause{15'000};
/// Timeout of a health check. Short, because stopping the task waits for a running check.
inline constexpr std::chrono::milliseconds kServiceTime{3'000};

/// Checks the health of an upstream service periodically in its own thread and reports it to `probes`. All arguments
/// must outlive the task. Null: there is no service.
template <class Port>
std::unique_ptr<runtime::PeriodicTask> watch_service(ports::Service name, Port* port, const ports::Clock& clock,
                                                     runtime::ServiceProbes& probes) {
  if (port == nullptr) return nullptr;
  probes.set(name, ports::ServiceState::Up);  // until a check fails
  return std::make_unique<runtime::PeriodicTask>(kServicePause, [name, port, &clock, &probes] {
    ports::Call call;
    call.deadline = clock.steady() + kServiceTime;
    probes.note(name, port->health(call));
  });
}

}  // namespace kbase::composition
