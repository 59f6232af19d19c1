// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/upstream_service.hpp"

#include <algorithm>
#include <utility>

namespace kbase::curl {
namespace {

constexpr std::array<std::string_view, kOutcomes> kNames = {
    "answered", "server_error", "unreachable", "timed_out", "bad_answer", "cancelled", "late", "busy", "stopped"};

// In seconds: from a service in the same network to a long response of a language model.
constexpr std::array<double, 12> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60};

constexpr milliseconds kBusyRetryAfter{1000};

Error queue_full(const std::string& service) {
  return {ErrorCode::Unavailable,
          "Too many requests to the external service are in progress.",
          service + ": all connections are in use, and the queue is full",
          {},
          kBusyRetryAfter};
}

Error breaker_open(const std::string& service, milliseconds retry_after) {
  return {ErrorCode::Unavailable,
          "The external service failed several times in a row. Requests to it are paused.",
          service + ": the circuit breaker is open",
          {},
          retry_after};
}

}  // namespace

ClientMetrics::ClientMetrics(ports::Metrics& metrics, std::string_view service)
    : seconds_(metrics.histogram("kbase_upstream_request_duration_seconds",
                                 "Time from the start of a request to an external service to the end of the response.",
                                 kBounds, {{"service", service}})),
      retries_(metrics.counter("kbase_upstream_retries_total", "Retries of requests to external services.",
                               {{"service", service}})),
      open_(metrics.gauge("kbase_upstream_requests_open", "Requests to external services in progress.",
                          {{"service", service}})),
      waiting_(metrics.gauge("kbase_upstream_requests_waiting", "Requests to external services that wait in the queue.",
                             {{"service", service}})),
      breaker_(metrics.gauge(
          "kbase_upstream_breaker_state",
          "State of the circuit breaker. 0: closed. 1: half open, one trial request. 2: open, no requests.",
          {{"service", service}})) {
  for (std::size_t i = 0; i < kOutcomes; ++i)
    requests_[i] = &metrics.counter("kbase_upstream_requests_total", "Requests to external services, by outcome.",
                                    {{"service", service}, {"outcome", kNames[i]}});
}

void ClientMetrics::count_end(Outcome outcome, std::chrono::nanoseconds time) const {
  of(outcome).add();
  seconds_.observe(std::chrono::duration<double>(time).count());
}

void ClientMetrics::set_breaker_state(Breaker::State before, Breaker::State now) const {
  breaker_.add(static_cast<std::int64_t>(now) - static_cast<std::int64_t>(before));
}

UpstreamService::UpstreamService(const ClientPorts& ports, ClientOptions options, std::vector<Origin> allowed)
    : ports_(ports),
      options_(std::move(options)),
      allowed_(std::move(allowed)),
      metrics_(ports.metrics, options_.service),
      breaker_(options_.breaker, ports.random) {}

Result<Breaker::Pass> UpstreamService::enter() {
  const std::lock_guard lock(mutex_);
  if (open_ >= options_.max_concurrent + options_.max_waiting) {
    metrics_.count_refusal(Outcome::Busy);
    return queue_full(options_.service);
  }
  const Breaker::State before = breaker_.state();
  const Breaker::Pass pass = breaker_.admit(clock().steady());
  metrics_.set_breaker_state(before, breaker_.state());
  if (pass.kind == Breaker::Pass::Kind::Refused) {
    metrics_.count_refusal(Outcome::Stopped);
    return breaker_open(options_.service, pass.retry_after);
  }
  ++open_;
  metrics_.add_open(1);
  return pass;
}

void UpstreamService::leave(Breaker::Pass pass, Outcome outcome, Breaker::Time entered) {
  const std::lock_guard lock(mutex_);
  const Breaker::Time now = clock().steady();
  const Breaker::State before = breaker_.state();
  breaker_.report(pass, get_verdict(outcome), now);
  report_state(before);
  --open_;
  metrics_.add_open(-1);
  metrics_.count_end(outcome, now - entered);
}

void UpstreamService::begin_response(Breaker::Pass& pass) {
  const std::lock_guard lock(mutex_);
  const Breaker::State before = breaker_.state();
  breaker_.begin_response(pass);
  report_state(before);
}

void UpstreamService::report_state(Breaker::State before) const {
  const Breaker::State now = breaker_.state();
  metrics_.set_breaker_state(before, now);
  if (now == before) return;
  const ports::LogField service{"service", std::string_view(options_.service)};
  if (now == Breaker::State::Closed)
    ports_.log.log(ports::LogLevel::Info, "upstream.resumed", "The external service responds again.", {&service, 1});
  if (now == Breaker::State::Open && before == Breaker::State::Closed)
    ports_.log.log(ports::LogLevel::Warning, "upstream.stopped",
                   "The external service fails. It gets no requests until a trial request succeeds.", {&service, 1});
}

bool UpstreamService::is_breaker_open(Breaker::Pass pass) const {
  const std::lock_guard lock(mutex_);
  return pass.kind == Breaker::Pass::Kind::Ordinary && breaker_.state() != Breaker::State::Closed;
}

Error UpstreamService::breaker_error() const {
  const std::lock_guard lock(mutex_);
  return breaker_open(options_.service, breaker_.pause());
}

bool UpstreamService::acquire_slot(Transfer& transfer) {
  if (used_slots_ < options_.max_concurrent) {
    ++used_slots_;
    return true;
  }
  queue_.push_back(&transfer);
  metrics_.add_queued(1);
  return false;
}

Transfer* UpstreamService::release_slot() {
  if (queue_.empty()) {
    --used_slots_;
    return nullptr;
  }
  Transfer* const next = queue_.front();
  queue_.pop_front();
  metrics_.add_queued(-1);
  return next;
}

void UpstreamService::leave_queue(Transfer& transfer) {
  queue_.erase(std::find(queue_.begin(), queue_.end(), &transfer));
  metrics_.add_queued(-1);
}

}  // namespace kbase::curl
