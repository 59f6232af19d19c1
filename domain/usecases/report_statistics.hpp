// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/view_counter.hpp"
#include "ports/driving/statistics.hpp"

namespace kbase::usecases {

/// Computes the aggregates of /stats: the store's totals, counted views, and 30 days of activity.
class ReportStatistics final : public ports::Statistics {
 public:
  /// All must outlive the object.
  struct Parts {
    ports::ItemStore& items;
    ports::ActivityStore& activity;
    const ports::ViewCounter& views;
    const ports::Clock& clock;
  };
  explicit ReportStatistics(const Parts& parts) : parts_(parts) {}

  model::Result<ports::Validator> validator(ports::Call& call) override;
  model::Result<ports::StatisticsReport> report(ports::Call& call) override;

 private:
  model::Status add_categories(ports::Call& call, ports::StatisticsReport& report);
  model::Status add_activity(ports::Call& call, model::Day today, ports::StatisticsReport& report);

  Parts parts_;
};

}  // namespace kbase::usecases
