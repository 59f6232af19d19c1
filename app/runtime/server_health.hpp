// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>

#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driven/server_state.hpp"
#include "ports/driving/statistics.hpp"

namespace kbase::runtime {

/// Checks the health of each service and keeps the results for callers that must not block. `check` by one thread at a
/// time, `state` thread-safe.
class HealthChecker final : public ports::ServiceMonitor {
 public:
  /// All members must outlive this object. If `cache` is null, the cache is disabled.
  struct Dependencies {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    ports::Cache* cache;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  explicit HealthChecker(const Dependencies& deps) : deps_(deps) {}

  void check();

  /// Sets the state of a service that is checked elsewhere: Indexing by the index updater, RateLimit by its guard. Does
  /// not log. Thread-safe.
  void set(ports::Service service, ports::ServiceState state) { state_of(service) = state; }

  /// Records the result of a health check made elsewhere and logs a change of state. Thread-safe.
  void record(ports::Service service, const Status& health);

  ports::ServiceState state(ports::Service service) const override { return state_of(service).load(); }

 private:
  std::atomic<ports::ServiceState>& state_of(ports::Service service) {
    return states_[static_cast<std::size_t>(service)];
  }
  const std::atomic<ports::ServiceState>& state_of(ports::Service service) const {
    return states_[static_cast<std::size_t>(service)];
  }

  Dependencies deps_;
  std::array<std::atomic<ports::ServiceState>, 7> states_{ports::ServiceState::Up,       ports::ServiceState::Up,
                                                          ports::ServiceState::Up,       ports::ServiceState::Disabled,
                                                          ports::ServiceState::Disabled, ports::ServiceState::Disabled,
                                                          ports::ServiceState::Disabled};
};

/// Decides whether this server should receive requests: it is serving, its storage is up, and its index can answer.
/// Thread-safe.
class ServerReadiness final : public ports::Readiness {
 public:
  /// All members must outlive this object.
  struct Dependencies {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    const ports::ServiceMonitor& monitor;
    const ports::Clock& clock;
  };
  explicit ServerReadiness(const Dependencies& deps) : deps_(deps) {}

  enum class Phase { Starting, Serving, Draining };
  void set(Phase phase) noexcept { phase_ = phase; }

  /// Reads the state of the store and the index. A value that is not available within three seconds stays unchanged.
  void refresh(ports::CancelSource cancel = {});

  /// Returns the number of store revisions that the index lacked at the last refresh().
  model::Revision index_lag() const noexcept { return index_lag_; }

  /// Returns the number of items in the index at the last refresh().
  std::uint64_t index_documents() const noexcept { return index_documents_; }

  std::vector<std::string_view> obstacles() const override;

 private:
  const Dependencies deps_;
  std::atomic<Phase> phase_{Phase::Starting};
  std::atomic<bool> index_answers_{false};
  std::atomic<model::Revision> index_lag_{0};
  std::atomic<std::uint64_t> index_documents_{0};
};

}  // namespace kbase::runtime
