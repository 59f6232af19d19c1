// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>

#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driven/service_monitor.hpp"

namespace kbase::runtime {

/// Checks the health of each service and keeps the results for callers that must not block. `probe` by one thread at a
/// time, `state` thread-safe.
class ServiceProbes final : public ports::ServiceMonitor {
 public:
  /// All members must outlive this object. If `cache` is null, the cache is disabled.
  struct Parts {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    ports::Cache* cache;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  explicit ServiceProbes(const Parts& parts) : parts_(parts) {}

  void probe();

  /// Sets the state of a service that is checked elsewhere: Indexing by the index updater, RateLimit by its guard. Does
  /// not log. Thread-safe.
  void set(ports::Service service, ports::ServiceState state) { slot(service) = state; }

  /// Records the result of a health check made elsewhere and logs a change of state. Thread-safe.
  void note(ports::Service service, const model::Status& health);

  ports::ServiceState state(ports::Service service) const override { return slot(service).load(); }

 private:
  std::atomic<ports::ServiceState>& slot(ports::Service service) { return states_[static_cast<std::size_t>(service)]; }
  const std::atomic<ports::ServiceState>& slot(ports::Service service) const {
    return states_[static_cast<std::size_t>(service)];
  }

  Parts parts_;
  std::array<std::atomic<ports::ServiceState>, 7> states_{ports::ServiceState::Up,       ports::ServiceState::Up,
                                                          ports::ServiceState::Up,       ports::ServiceState::Disabled,
                                                          ports::ServiceState::Disabled, ports::ServiceState::Disabled,
                                                          ports::ServiceState::Disabled};
};

}  // namespace kbase::runtime
