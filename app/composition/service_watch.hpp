// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include "app/runtime/periodic_task.hpp"
#include "app/runtime/service_probes.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::composition {

/// Often enough to see a service come back soon, and seldom enough to be no load.
inline constexpr std::chrono::milliseconds kServicePause{15'000};
/// A stop waits for a probe.
inline constexpr std::chrono::milliseconds kServiceTime{3'000};

/// Asks a service outside how it is, now and then, in a thread of its own, and tells the probes. All outlive it. Null:
/// there is no service.
template <class Port>
std::unique_ptr<runtime::PeriodicTask> watch_service(ports::Service name, Port* port, const ports::Clock& clock,
                                                     runtime::ServiceProbes& probes) {
  if (port == nullptr) return nullptr;
  probes.set(name, ports::ServiceState::Up);  // until it is seen to be down
  return std::make_unique<runtime::PeriodicTask>(kServicePause, [name, port, &clock, &probes] {
    ports::Call call;
    call.deadline = clock.steady() + kServiceTime;
    probes.note(name, port->health(call));
  });
}

}  // namespace kbase::composition
