// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/server_state.hpp"
#include "ports/driving/statistics.hpp"

namespace kbase::usecases {

/// Groups daily counts, sorted by item, into one record per item. Passes each record to `Write`, which returns a
/// Status.
template <class Write> class DailyViewsGrouper {
 public:
  explicit DailyViewsGrouper(Write write) : write_(std::move(write)) {}

  Status add(const ports::ViewIncrement& row) {
    Status written;
    if (row.item != item_) {
      written = finish();
      item_ = row.item;
    }
    days_.push_back({row.day, row.views});
    return written;
  }

  /// Writes the last item's record. Call it after all rows.
  Status finish() {
    if (days_.empty()) return {};
    Status written = write_(ports::ActivityRecord{item_, days_});
    days_.clear();
    return written;
  }

 private:
  Write write_;
  std::string item_;
  std::vector<ports::DayViews> days_;
};

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

/// Computes the aggregates of /stats: the store's totals, counted views, and 30 days of activity.
class ReportStatistics final : public ports::Statistics {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::ItemStore& items;
    ports::ActivityStore& activity;
    const ports::ViewCounter& views;
    const ports::Clock& clock;
  };
  explicit ReportStatistics(const Dependencies& deps) : deps_(deps) {}

  Result<ports::Validator> validator(ports::Call& call) override;
  Result<ports::StatisticsReport> report(ports::Call& call) override;

 private:
  Status add_categories(ports::Call& call, ports::StatisticsReport& report);
  Status add_activity(ports::Call& call, model::Day today, ports::StatisticsReport& report);

  Dependencies deps_;
};

}  // namespace kbase::usecases
