// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_completions.hpp"

#include <gtest/gtest.h>

#include "adapters/prometheus/prometheus_metrics.hpp"

namespace kbase::tests {
namespace {

using ports::LookUpOutcome;

TEST(LookUpCounter, CountsEachOutcomeByItsName) {
  prometheus::PrometheusMetrics metrics;
  const auto count = runtime::make_look_up_counter(metrics);
  constexpr std::pair<LookUpOutcome, const char*> kEnds[] = {
      {LookUpOutcome::Cached, "cached"},       {LookUpOutcome::Fetched, "fetched"},
      {LookUpOutcome::Confirmed, "confirmed"}, {LookUpOutcome::Stale, "stale"},
      {LookUpOutcome::Unknown, "unknown"},     {LookUpOutcome::RateLimited, "refused"},
      {LookUpOutcome::Failed, "failed"},       {LookUpOutcome::Cancelled, "cancelled"}};
  int times = 0;
  for (const auto& [end, name] : kEnds) {
    ++times;
    for (int i = 0; i < times; ++i) count(end);
    const std::string series = std::string("kbase_codehost_look_ups_total{outcome=\"") + name + "\"} ";
    EXPECT_NE(metrics.expose().text.find(series + std::to_string(times) + "\n"), std::string::npos) << series;
  }
}

}  // namespace
}  // namespace kbase::tests
