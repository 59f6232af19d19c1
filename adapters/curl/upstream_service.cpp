// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/upstream_service.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "adapters/base/retry_after.hpp"
#include "ports/driven/crypto.hpp"

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

constexpr std::uint32_t kTooManyRequests = 429;
constexpr std::uint32_t kBadGateway = 502;
constexpr std::uint32_t kServiceUnavailable = 503;
constexpr std::uint32_t kGatewayTimeout = 504;

/// Minimum of `retry_after` in a refusal.
constexpr milliseconds kMinRetryAfter{100};

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

milliseconds add_jitter(milliseconds span, ports::Random& random) {
  std::array<std::uint8_t, 2> bytes{};
  random.fill(bytes);
  const int chance = bytes[0] * 256 + bytes[1];
  return span / 2 + (span - span / 2) * chance / 65'535;
}

std::optional<milliseconds> Retry::after_failure() const {
  if (retries_ >= options_.max_retries) return std::nullopt;
  constexpr std::uint32_t kMaxDoublings = 16;
  return add_jitter(options_.pause * (1U << std::min(retries_, kMaxDoublings)), random_);
}

std::optional<milliseconds> Retry::after_response(const Head& head, model::Instant now) const {
  const bool may_have_retry_after = head.status == kTooManyRequests || head.status == kServiceUnavailable;
  const std::string* const retry_after = may_have_retry_after ? head.find("retry-after") : nullptr;
  const auto requested = retry_after != nullptr ? http_fields::parse_retry_after(*retry_after, now) : std::nullopt;
  if (!requested && head.status != kServiceUnavailable && head.status != kBadGateway && head.status != kGatewayTimeout)
    return std::nullopt;
  const auto pause = after_failure();
  if (!pause || !requested) return pause;
  if (*requested > options_.max_pause) return std::nullopt;
  return *requested + *pause;  // jitter is added, so that the wait is never shorter than requested
}

Breaker::Pass Breaker::admit(Time now) {
  if (state_ == State::Closed) return ordinary();
  if (state_ == State::Open && now >= until_) {
    state_ = State::HalfOpen;
    return {.kind = Pass::Kind::Trial};
  }
  const auto rest = std::chrono::ceil<milliseconds>(until_ - now);
  return {.kind = Pass::Kind::Refused, .retry_after = std::max(rest, kMinRetryAfter)};
}

void Breaker::report(Pass pass, Verdict verdict, Time now) {
  if (pass.kind == Pass::Kind::Trial) {
    if (verdict == Verdict::Good) {
      state_ = State::Closed;
      failures_ = 0;
    } else if (verdict == Verdict::Bad) {
      open_again(now);
    } else {
      state_ = State::Open;  // the next exchange is the trial
    }
    return;
  }
  // An exchange that started before the last opening does not count.
  if (pass.openings != openings_ || verdict == Verdict::None) return;
  const bool was_on_probation = std::exchange(is_on_probation_, false);
  failures_ = verdict == Verdict::Good ? 0 : failures_ + 1;
  if (was_on_probation && failures_ > 0) return open_again(now);
  if (options_.failures > 0 && failures_ >= options_.failures) open(options_.pause, now);
}

void Breaker::begin_response(Pass& pass) {
  if (pass.kind != Pass::Kind::Trial) return;
  pass = ordinary();
  state_ = State::Closed;
  failures_ = 0;
  is_on_probation_ = true;
}

Breaker::Pass Breaker::ordinary() const noexcept { return {.openings = openings_}; }

void Breaker::open_again(Time now) { open(std::min(base_pause_ * 2, options_.max_pause), now); }

void Breaker::open(milliseconds span, Time now) {
  state_ = State::Open;
  ++openings_;
  base_pause_ = span;
  pause_ = add_jitter(span, random_);
  until_ = now + pause_;
}

}  // namespace kbase::curl
