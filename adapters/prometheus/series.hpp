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

/// The series themselves. prometheus-cpp's own take a mutex for each observation, so its data model and its text are
/// used, but not its counting.
namespace kbase::prometheus {

/// One line, or one histogram, of an exposition.
class Series {
 public:
  virtual ~Series() = default;

  /// The values as they stand, without labels; nullopt: there is nothing to show.
  virtual std::optional<::prometheus::ClientMetric> collect() const = 0;
};

/// Each core counts in a cache line of its own, so that threads do not take it from each other.
inline constexpr std::size_t kShards = 16;
inline constexpr std::size_t kCacheLine = 64;

/// The shard of the core that this runs on; any would be right.
std::size_t own_shard() noexcept;

/// A sum that any thread adds to.
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
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts;  // one for each bound, and one for what is above
  };

  const std::vector<double> bounds_;
  std::array<Shard, kShards> shards_;
};

/// A value that somebody else counts.
class WatchedSeries final : public Series {
 public:
  WatchedSeries(ports::Metrics::Kind kind, ports::Metrics::Reading read) : kind_(kind), read_(std::move(read)) {}
  std::optional<::prometheus::ClientMetric> collect() const override;

 private:
  const ports::Metrics::Kind kind_;
  const ports::Metrics::Reading read_;
};

}  // namespace kbase::prometheus
