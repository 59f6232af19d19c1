// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/http/answer.hpp"
#include "adapters/http/route.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driving/access.hpp"

namespace kbase::http {

/// What a responder tells of its requests. Any thread.
class HttpMetrics {
 public:
  /// `metrics` outlives it; `routes` are known by their place in the span.
  HttpMetrics(ports::Metrics& metrics, std::span<const Route> routes);

  /// A request that is being answered, for as long as this lives.
  class InFlight {
   public:
    explicit InFlight(ports::Gauge& gauge) : gauge_(gauge) { gauge_.add(1); }
    ~InFlight() { gauge_.add(-1); }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    ports::Gauge& gauge_;
  };
  [[nodiscard]] InFlight begin() const { return InFlight(in_flight_); }

  /// A whole request was answered; `route` is null where it met none.
  void answered(const Route* route, Status status, std::chrono::nanoseconds time, std::size_t request_bytes,
                std::size_t response_bytes) const;

  /// A message that is no request was answered.
  void refused(Status status, std::size_t response_bytes) const;

  /// The quota denied a request.
  void denied(const ports::Admission& admission) const;

 private:
  static constexpr std::size_t kLeastStatus = 100;
  static constexpr std::size_t kStatuses = 500;

  /// The series of a route; each status has its counter from the first answer on that had it.
  struct OfRoute {
    std::string_view name;
    ports::Histogram* seconds = nullptr;
    std::array<std::atomic<ports::Counter*>, kStatuses> requests{};
  };

  OfRoute& of(const Route* route) const noexcept;
  ports::Counter& requests(OfRoute& route, Status status) const;

  ports::Metrics& metrics_;
  const std::span<const Route> routes_;
  mutable std::vector<OfRoute> by_route_;  // the last is for no route
  ports::Gauge& in_flight_;
  ports::Counter& request_bytes_;
  ports::Counter& response_bytes_;
  std::array<std::array<ports::Counter*, 2>, 2> denials_{};  // by subject, then by window
};

}  // namespace kbase::http
