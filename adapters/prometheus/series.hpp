// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/client_metric.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ports/driven/metrics.hpp"

/// Metric series. prometheus-cpp locks a mutex for each observation, so only its data model and its text serializer are
/// used; the counting is implemented here.
namespace kbase::prometheus {

/// One sample line, or one histogram, of the exposition.
class Series {
 public:
  virtual ~Series() = default;

  /// Returns the current values, without labels, or nullopt if there is no value to report.
  virtual std::optional<::prometheus::ClientMetric> collect() const = 0;
};

/// Counters are sharded by CPU, one cache line per shard, to avoid contention on cache lines.
inline constexpr std::size_t kShards = 16;
inline constexpr std::size_t kCacheLine = 64;

/// Returns the shard of the current CPU. Any shard gives a correct sum.
std::size_t own_shard() noexcept;

/// Sum sharded by CPU. Thread-safe.
template <class Number>
class ShardedSum {
 public:
  void add(Number more) noexcept { shards_[own_shard()].sum.fetch_add(more, std::memory_order_relaxed); }

  Number total() const noexcept {
    Number total = 0;
    for (const Shard& shard : shards_) total += shard.sum.load(std::memory_order_relaxed);
    return total;
  }

 private:
  struct alignas(kCacheLine) Shard {
    std::atomic<Number> sum{0};
  };
  std::array<Shard, kShards> shards_;
};

class ShardedCounter final : public ports::Counter, public Series {
 public:
  void add(std::uint64_t more) noexcept override { count_.add(more); }
  std::optional<::prometheus::ClientMetric> collect() const override;

 private:
  ShardedSum<std::uint64_t> count_;
};

class ShardedGauge final : public ports::Gauge, public Series {
 public:
  void add(std::int64_t more) noexcept override { level_.add(more); }
  std::optional<::prometheus::ClientMetric> collect() const override;

 private:
  ShardedSum<std::int64_t> level_;
};

class ShardedHistogram final : public ports::Histogram, public Series {
 public:
  explicit ShardedHistogram(std::span<const double> bounds);

  void observe(double value) noexcept override;
  std::optional<::prometheus::ClientMetric> collect() const override;

 private:
  struct alignas(kCacheLine) Shard {
    std::atomic<double> sum{0};
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts;  // one per bound, plus one for larger values
  };

  const std::vector<double> bounds_;
  std::array<Shard, kShards> shards_;
};

/// Series whose value is read from a callback.
class WatchedSeries final : public Series {
 public:
  WatchedSeries(ports::Metrics::Kind kind, ports::Metrics::Reading read) : kind_(kind), read_(std::move(read)) {}
  std::optional<::prometheus::ClientMetric> collect() const override;

 private:
  const ports::Metrics::Kind kind_;
  const ports::Metrics::Reading read_;
};

}  // namespace kbase::prometheus
