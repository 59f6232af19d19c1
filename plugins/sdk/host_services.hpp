// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>
#include <memory>

#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/metrics.hpp"

/// The server's services as ports. If an older host lacks a function, the system's equivalent is used.
namespace kbase::sdk {

/// The host's clocks; a checker can set them.
class HostClock final : public ports::Clock {
 public:
  explicit HostClock(const kb_host& host) : host_(host) {}
  model::Instant now() const override;
  std::chrono::steady_clock::time_point steady() const override;

 private:
  const kb_host& host_;
};

/// The host's log. Fields follow the message, see kb_host::log.
class HostLog final : public ports::EventLog {
 public:
  explicit HostLog(const kb_host& host) : host_(host) {}
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields = {}) override;

 private:
  const kb_host& host_;
};

/// A series of the host's metrics. With a host that has no metrics, nothing is counted.
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

/// Random numbers from the kernel, getrandom(2); these do not need the host.
class KernelRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

/// The host's HTTP client as a port. Supports calls that came from the host, and copies of them with an earlier
/// deadline; with any other call open() fails with Unsupported.
class HostHttpClient final : public ports::HttpClient {
 public:
  /// Returns null if the host has no HTTP for this plugin.
  static const kb_http_client_v1* table_of(const kb_host& host);

  HostHttpClient(const kb_host& host, const kb_http_client_v1& table) : host_(host), table_(table) {}

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call, const ports::HttpRequest& request) override;

 private:
  const kb_host& host_;
  const kb_http_client_v1& table_;
};

}  // namespace kbase::sdk
