// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/client_metrics.hpp"

namespace kbase::curl {
namespace {

constexpr std::array<std::string_view, kOutcomes> kNames = {
    "answered", "server_error", "unreachable", "timed_out", "bad_answer", "cancelled", "late", "busy", "stopped"};

// In seconds: from a service in the same network to a long answer of a language model.
constexpr std::array<double, 12> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60};

}  // namespace

ClientMetrics::ClientMetrics(ports::Metrics& metrics, std::string_view service)
    : seconds_(metrics.histogram("kbase_upstream_request_duration_seconds",
                                 "From the start of a request to an external service to the end of its answer.",
                                 kBounds, {{"service", service}})),
      retries_(metrics.counter("kbase_upstream_retries_total", "Requests to external services that were sent again.",
                               {{"service", service}})),
      open_(metrics.gauge("kbase_upstream_requests_open", "Requests to external services that are under way.",
                          {{"service", service}})),
      waiting_(metrics.gauge("kbase_upstream_requests_waiting", "Requests that wait until others have ended.",
                             {{"service", service}})),
      breaker_(metrics.gauge("kbase_upstream_breaker_state",
                             "0: requests pass. 1: one is being tried. 2: the service failed too often and rests.",
                             {{"service", service}})) {
  for (std::size_t i = 0; i < kOutcomes; ++i)
    requests_[i] =
        &metrics.counter("kbase_upstream_requests_total", "Requests to external services, by how they ended.",
                         {{"service", service}, {"outcome", kNames[i]}});
}

void ClientMetrics::ended(Outcome outcome, std::chrono::nanoseconds time) const {
  of(outcome).add();
  seconds_.observe(std::chrono::duration<double>(time).count());
}

void ClientMetrics::breaker(Breaker::State before, Breaker::State now) const {
  breaker_.add(static_cast<std::int64_t>(now) - static_cast<std::int64_t>(before));
}

}  // namespace kbase::curl
