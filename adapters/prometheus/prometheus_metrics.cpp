// SPDX-License-Identifier: Apache-2.0
#include "adapters/prometheus/prometheus_metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <cassert>

#include "adapters/prometheus/process_metrics.hpp"
#include "adapters/prometheus/series.hpp"

namespace kbase::prometheus {

using ::prometheus::MetricFamily;
using ::prometheus::MetricType;

PrometheusMetrics::PrometheusMetrics() = default;
PrometheusMetrics::~PrometheusMetrics() = default;

/// Returns the slot of a series; the slot is null if the series is new. The caller holds the lock.
std::unique_ptr<Series>& PrometheusMetrics::series_at(Type type, std::string_view name, std::string_view help,
                                                      Labels labels) {
  LabelValues values;
  for (const Label& label : labels) values.emplace_back(label.name, label.value);
  Family& family = families_.try_emplace(std::string(name), Family{type, std::string(help), {}}).first->second;
  assert(family.type == type);
  return family.series[std::move(values)];
}

template <class Wanted, class... Arguments>
Wanted& PrometheusMetrics::series_of(Type type, std::string_view name, std::string_view help, Labels labels,
                                     const Arguments&... arguments) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Series>& place = series_at(type, name, help, labels);
  if (place == nullptr) place = std::make_unique<Wanted>(arguments...);
  auto* const wanted = dynamic_cast<Wanted*>(place.get());
  assert(wanted != nullptr);
  return *wanted;
}

ports::Counter& PrometheusMetrics::counter(std::string_view name, std::string_view help, Labels labels) {
  return series_of<ShardedCounter>(Type::Counter, name, help, labels);
}

ports::Gauge& PrometheusMetrics::gauge(std::string_view name, std::string_view help, Labels labels) {
  return series_of<ShardedGauge>(Type::Gauge, name, help, labels);
}

ports::Histogram& PrometheusMetrics::histogram(std::string_view name, std::string_view help,
                                               std::span<const double> bounds, Labels labels) {
  return series_of<ShardedHistogram>(Type::Histogram, name, help, labels, bounds);
}

void PrometheusMetrics::watch(Kind kind, std::string_view name, std::string_view help, Reading read, Labels labels) {
  const std::lock_guard lock(mutex_);
  const Type type = kind == Kind::Counter ? Type::Counter : Type::Gauge;
  series_at(type, name, help, labels) = std::make_unique<WatchedSeries>(kind, std::move(read));
}

ports::Metrics::Exposition PrometheusMetrics::expose() const {
  std::vector<MetricFamily> families = process_families();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : families_) {
      MetricFamily told{name, family.help, MetricType::Counter, {}};
      if (family.type == Type::Gauge) told.type = MetricType::Gauge;
      if (family.type == Type::Histogram) told.type = MetricType::Histogram;
      for (const auto& [labels, series] : family.series) {
        auto collected = series->collect();
        if (!collected) continue;
        told.metric.push_back(*std::move(collected));
        for (const auto& [label, value] : labels) told.metric.back().label.push_back({label, value});
      }
      families.push_back(std::move(told));
    }
  }
  return {"text/plain; version=0.0.4; charset=utf-8", ::prometheus::TextSerializer().Serialize(families)};
}

}  // namespace kbase::prometheus
