// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::usecases {

/// Groups daily counts, sorted by item, into one record per item. Passes each record to `Write`, which returns a
/// Status.
template <class Write>
class DailyViewsGrouper {
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

}  // namespace kbase::usecases
