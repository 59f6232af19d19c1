// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ports/driven/metrics.hpp"

namespace kbase::prometheus {

class Series;

/// Metrics registry that exports the Prometheus text format, version 0.0.4 (prometheus.io, "Exposition formats"),
/// including the process metrics. Thread-safe.
class PrometheusMetrics final : public ports::Metrics {
 public:
  PrometheusMetrics();
  ~PrometheusMetrics() override;

  ports::Counter& counter(std::string_view name, std::string_view help, Labels labels) override;
  ports::Gauge& gauge(std::string_view name, std::string_view help, Labels labels) override;
  ports::Histogram& histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                              Labels labels) override;
  void register_callback(Kind kind, std::string_view name, std::string_view help, Reading read, Labels labels) override;
  Exposition expose() const override;

 private:
  enum class Type { Counter, Gauge, Histogram };
  using LabelValues = std::vector<std::pair<std::string, std::string>>;
  struct Family {
    Type type;
    std::string help;
    std::map<LabelValues, std::unique_ptr<Series>> series;
  };

  std::unique_ptr<Series>& find_slot(Type type, std::string_view name, std::string_view help, Labels labels);
  template <class SeriesType, class... Arguments>
  SeriesType& find_or_create(Type type, std::string_view name, std::string_view help, Labels labels,
                             const Arguments&... arguments);

  mutable std::mutex mutex_;  // guards the map, not the values of the series
  std::map<std::string, Family, std::less<>> families_;
};

/// Returns the standard process metrics (prometheus.io, "Writing client libraries", section "Process metrics"), read
/// from /proc. Omits metrics that cannot be read.
std::vector<::prometheus::MetricFamily> read_process_metrics();

}  // namespace kbase::prometheus
