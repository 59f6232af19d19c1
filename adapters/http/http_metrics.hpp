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

/// HTTP request metrics of a request handler. Thread-safe.
class HttpMetrics {
 public:
  /// `metrics` and the array of `routes` must outlive this object. A route is identified by its address in the array.
  HttpMetrics(ports::Metrics& metrics, std::span<const Route> routes);

  /// Counts a request as in flight during its lifetime.
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

  /// Records the response to a complete request. `route` is null if no route matched.
  void answered(const Route* route, Status status, std::chrono::nanoseconds time, std::size_t request_bytes,
                std::size_t response_bytes) const;

  /// Records the response to a message that is not a valid request.
  void refused(Status status, std::size_t response_bytes) const;

  /// Records a request that was denied by the rate limiter.
  void denied(const ports::Admission& admission) const;

 private:
  static constexpr std::size_t kLeastStatus = 100;
  static constexpr std::size_t kStatuses = 500;

  /// Series of one route. The counter of a status is created at the first response with that status.
  struct OfRoute {
    std::string_view name;
    ports::Histogram* seconds = nullptr;
    std::array<std::atomic<ports::Counter*>, kStatuses> requests{};
  };

  OfRoute& of(const Route* route) const noexcept;
  ports::Counter& requests(OfRoute& route, Status status) const;

  ports::Metrics& metrics_;
  const std::span<const Route> routes_;
  mutable std::vector<OfRoute> by_route_;  // the last entry is for requests without a route
  ports::Gauge& in_flight_;
  ports::Counter& request_bytes_;
  ports::Counter& response_bytes_;
  std::array<std::array<ports::Counter*, 2>, 2> denials_{};  // indexed by kind of client, then by window
};

}  // namespace kbase::http
