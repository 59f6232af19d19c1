// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/clock.hpp"
#include "ports/driven/insight_store.hpp"
#include "ports/driving/insights.hpp"

namespace kbase::usecases {

/// Reports of what was stored. Thread-safety: any thread.
class ReportInsights final : public ports::InsightReports {
 public:
  /// Both must outlive this object.
  ReportInsights(ports::InsightStore& store, const ports::Clock& clock) : store_(store), clock_(clock) {}

  Result<std::vector<ports::QueryReport>> queries(ports::Call& call, unsigned days, ports::QueryOrder order) override;
  Result<std::vector<ports::FeedbackReport>> feedback(ports::Call& call, unsigned days) override;

 private:
  ports::InsightStore& store_;
  const ports::Clock& clock_;
};

}  // namespace kbase::usecases
