// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/server_state.hpp"
#include "ports/driving/validator.hpp"

namespace kbase::ports {

/// Aggregated statistics (docs/guide/statistics.md).
struct StatisticsReport {
  struct PopularCategory {
    std::string name;
    std::uint64_t views = 0;
  };

  StoreTotals totals;                               ///< with `views` as imported plus counted views
  std::vector<PopularCategory> popular_categories;  ///< the five categories with the most views
  std::vector<DayViews> daily_activity;             ///< the last 30 days, oldest first, including days without views
};

/// Computes statistics of the whole knowledge base. Any thread.
class Statistics {
 public:
  virtual ~Statistics() = default;
  virtual Result<Validator> validator(Call& call) = 0;
  virtual Result<StatisticsReport> report(Call& call) = 0;
};

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
