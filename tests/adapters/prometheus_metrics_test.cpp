// SPDX-License-Identifier: Apache-2.0
#include "adapters/prometheus/prometheus_metrics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace kbase::tests {
namespace {

using prometheus::PrometheusMetrics;
using Kind = ports::Metrics::Kind;

class PrometheusMetricsTest : public testing::Test {
 protected:
  /// Returns true if the exposition contains this line.
  bool exposes(const std::string& line) const {
    const std::string text = '\n' + metrics_.expose().text;
    return text.find('\n' + line + '\n') != std::string::npos;
  }

  PrometheusMetrics metrics_;
};

TEST_F(PrometheusMetricsTest, ExposesCountersWithHelpAndLabels) {
  ports::Counter& found = metrics_.counter("kbase_x_total", "What x is.", {{"route", "/item/{id}"}, {"status", "200"}});
  found.add(1);
  found.add(41);
  EXPECT_TRUE(exposes("# HELP kbase_x_total What x is."));
  EXPECT_TRUE(exposes("# TYPE kbase_x_total counter"));
  EXPECT_TRUE(exposes(R"(kbase_x_total{route="/item/{id}",status="200"} 42)")) << metrics_.expose().text;
  EXPECT_EQ(metrics_.expose().content_type, "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(PrometheusMetricsTest, ReturnsOneSeriesPerSetOfLabels) {
  ports::Counter& first = metrics_.counter("kbase_x_total", "X.", {{"a", "1"}});
  EXPECT_EQ(&metrics_.counter("kbase_x_total", "X.", {{"a", "1"}}), &first);
  EXPECT_NE(&metrics_.counter("kbase_x_total", "X.", {{"a", "2"}}), &first);
  first.add(3);
  EXPECT_TRUE(exposes(R"(kbase_x_total{a="1"} 3)"));
  EXPECT_TRUE(exposes(R"(kbase_x_total{a="2"} 0)"));
}

TEST_F(PrometheusMetricsTest, ExposesGaugesUntilTheyAreRemoved) {
  ports::Gauge& gauge = metrics_.gauge("kbase_in_flight", "Now.", {});
  gauge.add(5);
  gauge.add(-7);
  EXPECT_TRUE(exposes("# TYPE kbase_in_flight gauge"));
  EXPECT_TRUE(exposes("kbase_in_flight -2"));
}

TEST_F(PrometheusMetricsTest, SortsObservationsIntoBucketsByTheirUpperBounds) {
  constexpr std::array<double, 2> kBounds = {0.5, 1};
  ports::Histogram& histogram = metrics_.histogram("kbase_seconds", "Time.", kBounds, {{"route", "-"}});
  for (const double value : {0.25, 0.5, 0.75, 1.0, 4.0}) histogram.observe(value);
  EXPECT_TRUE(exposes("# TYPE kbase_seconds histogram"));
  EXPECT_TRUE(exposes(R"(kbase_seconds_bucket{route="-",le="0.5"} 2)"));
  EXPECT_TRUE(exposes(R"(kbase_seconds_bucket{route="-",le="1"} 4)"));
  EXPECT_TRUE(exposes(R"(kbase_seconds_bucket{route="-",le="+Inf"} 5)"));
  EXPECT_TRUE(exposes(R"(kbase_seconds_count{route="-"} 5)"));
  EXPECT_TRUE(exposes(R"(kbase_seconds_sum{route="-"} 6.5)")) << metrics_.expose().text;
}

TEST_F(PrometheusMetricsTest, ReadsCallbackMetricsEachTime) {
  double value = 1;
  metrics_.register_callback(Kind::Gauge, "kbase_open", "Open.", [&] { return value; }, {{"pool", "work"}});
  metrics_.register_callback(Kind::Counter, "kbase_seen_total", "Seen.", [&] { return value * 2; }, {});
  EXPECT_TRUE(exposes(R"(kbase_open{pool="work"} 1)"));
  value = 4;
  EXPECT_TRUE(exposes(R"(kbase_open{pool="work"} 4)"));
  EXPECT_TRUE(exposes("# TYPE kbase_seen_total counter"));
  EXPECT_TRUE(exposes("kbase_seen_total 8"));
}

TEST_F(PrometheusMetricsTest, OmitsACallbackMetricWithoutAValue) {
  std::optional<double> value;
  metrics_.register_callback(Kind::Gauge, "kbase_up", "Up.", [&] { return value; }, {{"service", "cache"}});
  metrics_.register_callback(Kind::Gauge, "kbase_up", "Up.", [] { return 1.0; }, {{"service", "storage"}});
  EXPECT_TRUE(exposes(R"(kbase_up{service="storage"} 1)"));
  EXPECT_EQ(metrics_.expose().text.find("cache"), std::string::npos);
  value = 0;
  EXPECT_TRUE(exposes(R"(kbase_up{service="cache"} 0)"));
}

TEST_F(PrometheusMetricsTest, LosesNoIncrementOfManyThreads) {
  constexpr int kEach = 20'000;
  constexpr std::array<double, 1> kBounds = {1};
  ports::Counter& counter = metrics_.counter("kbase_x_total", "X.", {});
  ports::Histogram& histogram = metrics_.histogram("kbase_seconds", "T.", kBounds, {});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < kEach; ++n) {
          counter.add(1);
          histogram.observe(0.5);
          if (n % 5'000 == 0) metrics_.expose();
        }
      });
  }
  EXPECT_TRUE(exposes("kbase_x_total 80000"));
  EXPECT_TRUE(exposes("kbase_seconds_count 80000"));
  EXPECT_TRUE(exposes("kbase_seconds_sum 40000"));
}

TEST_F(PrometheusMetricsTest, DescribeTheProcess) {
  const std::string text = metrics_.expose().text;
  const auto value_of = [&](const std::string& name) {
    const std::size_t line = text.find("\n" + name + " ");
    return line == std::string::npos ? -1 : std::stod(text.substr(line + name.size() + 2));
  };
  EXPECT_GE(value_of("process_cpu_seconds_total"), 0);
  EXPECT_GT(value_of("process_resident_memory_bytes"), 100'000);
  EXPECT_GT(value_of("process_virtual_memory_bytes"), value_of("process_resident_memory_bytes"));
  EXPECT_GE(value_of("process_threads"), 1);
  EXPECT_GE(value_of("process_open_fds"), 3);
  EXPECT_GT(value_of("process_max_fds"), value_of("process_open_fds"));
  EXPECT_GT(value_of("process_start_time_seconds"), 1.6e9);
}

}  // namespace
}  // namespace kbase::tests
