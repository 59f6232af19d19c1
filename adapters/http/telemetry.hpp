// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/client_address.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/server.hpp"
#include "domain/model/api_key.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driving/access.hpp"

namespace kbase::http {

/// Generator of request ids for the log. Uses X-Request-Id of the client if it has 1 to 64 characters of
/// [A-Za-z0-9._-], else a new id with a random prefix per server. Thread-safe.
class RequestIds {
 public:
  explicit RequestIds(ports::Random& random);

  std::string choose_id(const Request& request);
  std::string make_id();

 private:
  std::string prefix_;
  std::atomic<std::uint64_t> count_{0};
};

/// Data of one access log entry. Excludes keys, query strings and paths, so that they cannot be logged.
struct AccessLogEntry {
  std::string_view method;  ///< "-" if no method was read
  std::string_view route;   ///< route pattern, or "-"
  std::string_view request_id;
  HttpStatus status = HttpStatus::Ok;
  std::size_t bytes = 0;  ///< body bytes as sent
  std::chrono::nanoseconds time{0};
  std::optional<model::ClientId> client_id;  ///< client that the rate limiter counts
  bool has_key = false;                      ///< the client is an API key, not an address
  const NetworkAddress& client;
};

/// Writes the access log: an "http.request" event per request, with as much of the client's address as the options
/// allow. Thread-safe.
class AccessLog {
 public:
  /// The arguments must outlive this object.
  AccessLog(ports::EventLog& log, const ports::Pseudonyms& pseudonyms, LoggedAddress shown)
      : log_(log), pseudonyms_(pseudonyms), address_mode_(shown) {}

  void log_request(const AccessLogEntry& request) const;

  /// Logs "http.failed" with the cause of a server error. The client does not get the cause.
  void log_failure(std::string_view request_id, std::string_view cause) const;

 private:
  ports::EventLog& log_;
  const ports::Pseudonyms& pseudonyms_;
  const LoggedAddress address_mode_;
};

/// HTTP request metrics of a request handler. Thread-safe.
class HttpMetrics {
 public:
  /// `metrics` and both arrays must outlive this object. A route is identified by its address in its array. The series
  /// of a page has the name of its pattern after "page ".
  HttpMetrics(ports::Metrics& metrics, std::span<const Route> routes, std::span<const Route> pages = {});

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
  [[nodiscard]] InFlight track_request() const { return InFlight(in_flight_); }

  /// Records the response to a complete request. `route` is null if no route matched.
  void record_response(const Route* route, HttpStatus status, std::chrono::nanoseconds time, std::size_t request_bytes,
                       std::size_t response_bytes) const;

  /// Records the response to a message that is not a valid request.
  void record_refusal(HttpStatus status, std::size_t response_bytes) const;

  /// Records a request that was denied by the rate limiter.
  void record_denial(const ports::Admission& admission) const;

 private:
  static constexpr std::size_t kMinStatus = 100;
  static constexpr std::size_t kStatuses = 500;

  /// Series of one route. The counter of a status is created at the first response with that status.
  struct RouteSeries {
    std::string name;
    ports::Histogram* seconds = nullptr;
    std::array<std::atomic<ports::Counter*>, kStatuses> requests{};
  };

  RouteSeries& find_series(const Route* route) const noexcept;
  ports::Counter& request_counter(RouteSeries& route, HttpStatus status) const;

  ports::Metrics& metrics_;
  const std::span<const Route> routes_, pages_;
  mutable std::vector<RouteSeries> by_route_;  // the last entry is for requests without a route
  ports::Gauge& in_flight_;
  ports::Counter& request_bytes_;
  ports::Counter& response_bytes_;
  std::array<std::array<ports::Counter*, 2>, 2> denials_{};  // indexed by kind of client, then by window
};

}  // namespace kbase::http
