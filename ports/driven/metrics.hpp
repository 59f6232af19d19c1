// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kbase::ports {

/// A monotonic count of events or bytes. Any thread; no locks, no allocations. This also holds for gauges and
/// histograms.
class Counter {
 public:
  virtual ~Counter() = default;
  virtual void add(std::uint64_t more = 1) noexcept = 0;
};

/// A number that can rise and fall.
class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void add(std::int64_t more) noexcept = 0;
};

/// Distribution of values over buckets.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void observe(double value) noexcept = 0;
};

/// Registry of metrics for the operator's monitoring system. Request each series once, before frequent use, and keep
/// the returned object, which lives as long as the registry. A repeated request returns the same object. Names and
/// units follow Prometheus ("kbase_http_requests_total", "_seconds", "_bytes"). All series of one name share kind, help
/// and bounds. Labels have few values: never an id, a path or an address. Any thread.
class Metrics {
 public:
  struct Label {
    std::string_view name;
    std::string_view value;
  };
  using Labels = std::initializer_list<Label>;
  enum class Kind { Counter, Gauge };

  virtual ~Metrics() = default;

  virtual Counter& counter(std::string_view name, std::string_view help, Labels labels = {}) = 0;
  virtual Gauge& gauge(std::string_view name, std::string_view help, Labels labels = {}) = 0;

  /// `bounds` ascend. Each is the inclusive upper bound of a bucket; one more bucket is unbounded.
  virtual Histogram& histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                               Labels labels = {}) = 0;

  /// Registers a series whose value is read at each exposition. The exposing thread calls `read`, which must not block.
  /// nullopt: the series is omitted.
  using Reading = std::function<std::optional<double>()>;
  virtual void register_callback(Kind kind, std::string_view name, std::string_view help, Reading read,
                                 Labels labels = {}) = 0;

  /// All series in the monitoring system's format.
  struct Exposition {
    std::string content_type;
    std::string text;
  };
  virtual Exposition expose() const = 0;
};

}  // namespace kbase::ports
