// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_look_ups.hpp"

#include <gtest/gtest.h>

#include "adapters/prometheus/prometheus_metrics.hpp"

namespace kbase::tests {
namespace {

using ports::LookUpEnd;

TEST(MeteredLookUps, CountsEachEndByItsName) {
  prometheus::PrometheusMetrics metrics;
  runtime::MeteredLookUps counts(metrics);
  constexpr std::pair<LookUpEnd, const char*> kEnds[] = {
      {LookUpEnd::Kept, "kept"},        {LookUpEnd::Told, "told"},          {LookUpEnd::Confirmed, "confirmed"},
      {LookUpEnd::StoodIn, "stood_in"}, {LookUpEnd::Unknown, "unknown"},    {LookUpEnd::Refused, "refused"},
      {LookUpEnd::Failed, "failed"},    {LookUpEnd::Cancelled, "cancelled"}};
  int times = 0;
  for (const auto& [end, name] : kEnds) {
    ++times;
    for (int i = 0; i < times; ++i) counts.count(end);
    const std::string series = std::string("kbase_codehost_look_ups_total{outcome=\"") + name + "\"} ";
    EXPECT_NE(metrics.expose().text.find(series + std::to_string(times) + "\n"), std::string::npos) << series;
  }
}

}  // namespace
}  // namespace kbase::tests
