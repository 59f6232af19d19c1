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

/// Asks each service how it is, and keeps the answers for whoever must not wait. `probe` from one thread, `state` from
/// any.
class ServiceProbes final : public ports::ServiceMonitor {
 public:
  /// What it asks outlives it. A null cache is a disabled one.
  struct Parts {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    ports::Cache* cache;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  explicit ServiceProbes(const Parts& parts) : parts_(parts) {}

  void probe();

  /// Of a service that is not asked: the index keeper knows how Indexing is, its guard how the rate limiter is. Any
  /// thread.
  void set(ports::Service service, ports::ServiceState state) { slot(service) = state; }

  /// What was seen of one that is asked elsewhere; the log hears of a change. Any thread.
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
