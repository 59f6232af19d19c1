// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/item_store.hpp"
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

}  // namespace kbase::ports
