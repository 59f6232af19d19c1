// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/http_metrics.hpp"

#include <string>

namespace kbase::http {
namespace {

constexpr std::string_view kNoRoute = "-";

// Bucket bounds in seconds, from a reply out of memory to one that a client barely waits for.
constexpr std::array<double, 14> kLatencyBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                   0.025,  0.05,    0.1,    0.25,  0.5,    1,     5};

}  // namespace

HttpMetrics::HttpMetrics(ports::Metrics& metrics, std::span<const Route> routes)
    : metrics_(metrics),
      routes_(routes),
      by_route_(routes.size() + 1),
      in_flight_(metrics.gauge("kbase_http_requests_in_flight", "Requests that are being answered.")),
      request_bytes_(metrics.counter("kbase_http_request_body_bytes_total", "Bytes of request bodies.")),
      response_bytes_(metrics.counter("kbase_http_response_bytes_total", "Bytes of answers, with their heads.")) {
  for (std::size_t i = 0; i < by_route_.size(); ++i) {
    by_route_[i].name = i < routes.size() ? routes[i].pattern : kNoRoute;
    by_route_[i].seconds =
        &metrics.histogram("kbase_http_request_duration_seconds", "From a request's last byte to its answer.",
                           kLatencyBounds, {{"route", by_route_[i].name}});
  }
  constexpr std::array<std::string_view, 2> kClientKinds = {"address", "key"};
  constexpr std::array<std::string_view, 2> kWindows = {"minute", "day"};
  for (std::size_t client_kind = 0; client_kind < kClientKinds.size(); ++client_kind)
    for (std::size_t window = 0; window < kWindows.size(); ++window)
      denials_[client_kind][window] =
          &metrics.counter("kbase_quota_denials_total", "Requests that were answered 429.",
                           {{"client", kClientKinds[client_kind]}, {"window", kWindows[window]}});
}

HttpMetrics::OfRoute& HttpMetrics::of(const Route* route) const noexcept {
  return route == nullptr ? by_route_.back() : by_route_[static_cast<std::size_t>(route - routes_.data())];
}

/// Two threads that both find no counter get the same one, because a series exists once.
ports::Counter& HttpMetrics::requests(OfRoute& route, Status status) const {
  auto& slot = route.requests.at(static_cast<std::size_t>(status) - kLeastStatus);
  ports::Counter* counter = slot.load(std::memory_order_acquire);
  if (counter == nullptr) {
    const std::string code = std::to_string(static_cast<int>(status));
    counter = &metrics_.counter("kbase_http_requests_total", "Answers, by endpoint and status.",
                                {{"route", route.name}, {"status", code}});
    slot.store(counter, std::memory_order_release);
  }
  return *counter;
}

void HttpMetrics::answered(const Route* route, Status status, std::chrono::nanoseconds time, std::size_t request_bytes,
                           std::size_t response_bytes) const {
  OfRoute& series = of(route);
  requests(series, status).add();
  series.seconds->observe(std::chrono::duration<double>(time).count());
  if (request_bytes > 0) request_bytes_.add(request_bytes);
  response_bytes_.add(response_bytes);
}

void HttpMetrics::refused(Status status, std::size_t response_bytes) const {
  requests(of(nullptr), status).add();
  response_bytes_.add(response_bytes);
}

void HttpMetrics::denied(const ports::Admission& admission) const {
  const bool is_minute = admission.plan.limits.per_minute > 0 && admission.decision.minute.remaining == 0;
  denials_[admission.has_key ? 1 : 0][is_minute ? 0 : 1]->add();
}

}  // namespace kbase::http
