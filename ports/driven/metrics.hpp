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

/// A number of events or bytes, which only grows. Any thread; takes no lock and allocates nothing, like all that is
/// told to a gauge or a histogram.
class Counter {
 public:
  virtual ~Counter() = default;
  virtual void add(std::uint64_t more = 1) noexcept = 0;
};

/// A number that comes and goes.
class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void add(std::int64_t more) noexcept = 0;
};

/// How often a value fell between which bounds.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void observe(double value) noexcept = 0;
};

/// What an operator's monitoring system reads. Each series is asked for once, before it is needed often, and then fed
/// through the object that was given, which lives as long as this does; who asks again gets the same one. Names and
/// units follow Prometheus ("kbase_http_requests_total", "_seconds", "_bytes"); all series of a name have the same
/// kind, help and bounds, and labels have few values: never an id, a path or an address. Any thread.
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

  /// `bounds` ascend; each is the highest value of its bucket, and one more bucket has no bound.
  virtual Histogram& histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                               Labels labels = {}) = 0;

  /// A series that somebody else counts: `read` is called at each exposure, by the thread that exposes, and must not
  /// wait for anything. nullopt: the series is left out.
  using Reading = std::function<std::optional<double>()>;
  virtual void watch(Kind kind, std::string_view name, std::string_view help, Reading read, Labels labels = {}) = 0;

  /// Everything, in the form that the monitoring system reads.
  struct Exposition {
    std::string content_type;
    std::string text;
  };
  virtual Exposition expose() const = 0;
};

}  // namespace kbase::ports
