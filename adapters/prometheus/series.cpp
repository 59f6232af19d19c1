// SPDX-License-Identifier: Apache-2.0
#include "adapters/prometheus/series.hpp"

#include <sched.h>

#include <algorithm>

namespace kbase::prometheus {

using ::prometheus::ClientMetric;

std::size_t own_shard() noexcept {
  // glibc reads the CPU number from memory that the kernel keeps up to date (rseq(2)). On failure it returns -1, which
  // also maps to a valid shard.
  return static_cast<unsigned>(::sched_getcpu()) % kShards;
}

std::optional<ClientMetric> ShardedCounter::collect() const {
  ClientMetric metric;
  metric.counter.value = static_cast<double>(count_.total());
  return metric;
}

std::optional<ClientMetric> ShardedGauge::collect() const {
  ClientMetric metric;
  metric.gauge.value = static_cast<double>(level_.total());
  return metric;
}

ShardedHistogram::ShardedHistogram(std::span<const double> bounds) : bounds_(bounds.begin(), bounds.end()) {
  for (Shard& shard : shards_) shard.counts = std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1);
}

void ShardedHistogram::observe(double value) noexcept {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  Shard& shard = shards_[own_shard()];
  shard.counts[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  shard.sum.fetch_add(value, std::memory_order_relaxed);
}

std::optional<ClientMetric> ShardedHistogram::collect() const {
  ClientMetric metric;
  ClientMetric::Histogram& histogram = metric.histogram;
  for (std::size_t i = 0; i <= bounds_.size(); ++i) {
    for (const Shard& shard : shards_) histogram.sample_count += shard.counts[i].load(std::memory_order_relaxed);
    if (i < bounds_.size()) histogram.bucket.push_back({histogram.sample_count, bounds_[i]});
  }
  for (const Shard& shard : shards_) histogram.sample_sum += shard.sum.load(std::memory_order_relaxed);
  return metric;
}

std::optional<ClientMetric> WatchedSeries::collect() const {
  const auto value = read_();
  if (!value) return std::nullopt;
  ClientMetric metric;
  (kind_ == ports::Metrics::Kind::Counter ? metric.counter.value : metric.gauge.value) = *value;
  return metric;
}

}  // namespace kbase::prometheus
