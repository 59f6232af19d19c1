// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/random.hpp"

/// What the server lends, as ports. Of a host that is older than a function, the nearest thing of the system's.
namespace kbase::sdk {

/// The host's clocks, which a checker sets.
class HostClock final : public ports::Clock {
 public:
  explicit HostClock(const kb_host& host) : host_(host) {}
  model::Instant now() const override;
  std::chrono::steady_clock::time_point steady() const override;

 private:
  const kb_host& host_;
};

/// The host's log. It takes a sentence and no fields, so these follow it as "name=value".
class HostLog final : public ports::EventLog {
 public:
  explicit HostLog(const kb_host& host) : host_(host) {}
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields = {}) override;

 private:
  const kb_host& host_;
};

/// A series of the host's metrics. Of a host that has none, nothing is counted.
class HostSeries {
 public:
  HostSeries(const kb_host& host, std::int32_t kind, std::string_view name, std::string_view help);
  void add(std::int64_t amount) noexcept;

 private:
  const kb_host& host_;
  std::uint32_t number_;
};

class HostCounter final : public ports::Counter {
 public:
  HostCounter(const kb_host& host, std::string_view name, std::string_view help)
      : series_(host, KB_METRIC_COUNTER, name, help) {}
  void add(std::uint64_t more = 1) noexcept override { series_.add(static_cast<std::int64_t>(more)); }

 private:
  HostSeries series_;
};

class HostGauge final : public ports::Gauge {
 public:
  HostGauge(const kb_host& host, std::string_view name, std::string_view help)
      : series_(host, KB_METRIC_GAUGE, name, help) {}
  void add(std::int64_t more) noexcept override { series_.add(more); }

 private:
  HostSeries series_;
};

/// The kernel's random numbers, getrandom(2): for those no host is needed.
class KernelRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

}  // namespace kbase::sdk
