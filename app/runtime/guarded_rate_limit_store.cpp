// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/guarded_rate_limit_store.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace kbase::runtime {
namespace {

bool has_any(std::span<const ports::AcquireRequest* const> requests, ports::AcquireRequest::Mode mode) {
  return std::any_of(requests.begin(), requests.end(),
                     [&](const ports::AcquireRequest* request) { return request->mode == mode; });
}

constexpr std::array<double, 8> kBounds = {0.000'001, 0.000'01, 0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1};  // seconds

ports::Counter& adjustment_counter(ports::Metrics& metrics, std::string_view outcome) {
  return metrics.counter("kbase_rate_limit_adjustments_total",
                         "Adjustments of estimated tokens to the number used, by outcome.", {{"outcome", outcome}});
}

}  // namespace

Error uncounted_error(std::string cause) {
  return {ErrorCode::Unavailable,
          "Requests cannot be counted now; try again later.",
          std::move(cause),
          {},
          std::chrono::seconds(1)};
}

Status AllowingRateLimitStore::acquire(ports::Call&, std::span<const ports::AcquireRequest* const> requests,
                                       std::span<ports::Decision* const> decisions) {
  const model::Instant now = clock_.now();
  for (std::size_t i = 0; i < requests.size(); ++i) *decisions[i] = ports::untouched(requests[i]->limits, now);
  return {};
}

Status DenyingRateLimitStore::acquire(ports::Call&, std::span<const ports::AcquireRequest* const>,
                                      std::span<ports::Decision* const>) {
  return uncounted_error("the rate limiter is unavailable, and rate_limit.when_unavailable is deny");
}

ports::RateLimitStore::Capabilities GuardedRateLimitStore::capabilities() const {
  return {.inline_calls = false, .shared = deps_.store.capabilities().shared};
}

bool GuardedRateLimitStore::StoreCallCancel::is_cancelled(const void* cancel_state) noexcept {
  const auto& self = *static_cast<const StoreCallCancel*>(cancel_state);
  return self.guard.state_ == State::Unavailable || self.caller.requested();
}

Status GuardedRateLimitStore::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                      std::span<ports::Decision* const> decisions) {
  if (state_ == State::Unavailable) return call_fallback(call, requests, decisions);
  const auto outcome = call_store(call, classify_call(requests), requests.size(), [&](ports::Call& bounded) {
    return deps_.store.acquire(bounded, requests, decisions);
  });
  if (outcome) charge_fallback(call, requests, decisions);
  return outcome || caller_gave_up(call) ? outcome : call_fallback(call, requests, decisions);
}

Status GuardedRateLimitStore::adjust(ports::Call& call, const ports::AcquireRequest& request,
                                     const ports::Decision& decision, std::uint32_t used) {
  if (request.mode != ports::AcquireRequest::Mode::ChargeExactly) return {};
  // The fallback was charged too. If it cannot adjust, its estimate stays charged.
  [[maybe_unused]] const Status ignored = deps_.fallback.adjust(call, request, decision, used);
  if (state_ == State::Unavailable)
    return with_recovery_time(uncounted_error("the rate limiter is unavailable; the estimated tokens stay charged"));
  return call_store(call, Charge, 1,
                    [&](ports::Call& bounded) { return deps_.store.adjust(bounded, request, decision, used); });
}

/// Calls the store with the current timeout and updates the state from the outcome.
template <class Operation>
Status GuardedRateLimitStore::call_store(ports::Call& call, CallKind kind, std::size_t requests,
                                         const Operation& operation) {
  const StoreCallCancel cancel_state{*this, call.cancel};
  ports::Call bounded{std::min(call.deadline, deps_.clock.steady() + timeout(kind)),
                      ports::CancelSource(&cancel_state, StoreCallCancel::is_cancelled), call.trace_id};
  const Status outcome = operation(bounded);
  if (outcome) {
    on_success(kind);
    return outcome;
  }
  const ErrorCode code = outcome.error().code;
  if (caller_gave_up(call) || code == ErrorCode::Unsupported)
    return outcome;  // neither outcome is a failure of the store
  deps_.failures.add(requests);
  if (code != ErrorCode::Cancelled) on_failure(kind, outcome.error());
  return outcome;
}

Status GuardedRateLimitStore::call_fallback(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                            std::span<ports::Decision* const> decisions) {
  if (has_any(requests, ports::AcquireRequest::Mode::ChargeExactly))
    return with_recovery_time(uncounted_error("the rate limiter is unavailable, and only it may count this request"));
  deps_.fallback_decisions.add(requests.size());
  const auto outcome = deps_.fallback.acquire(call, requests, decisions);
  if (!outcome) return with_recovery_time(outcome.error());
  return outcome;
}

/// Returns the error with `retry_after` raised to the store's recovery time, if that is known and later.
Error GuardedRateLimitStore::with_recovery_time(Error error) const {
  const SteadyTime now = deps_.clock.steady();
  const SteadyTime recovery_time = recovery_time_;
  if (recovery_time > now)
    error.retry_after = std::max(error.retry_after, std::chrono::ceil<std::chrono::milliseconds>(recovery_time - now));
  return error;
}

void GuardedRateLimitStore::charge_fallback(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                            std::span<ports::Decision* const> decisions) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i]->is_charge() || !decisions[i]->allowed) continue;
    ports::Decision discarded;
    ports::Decision* const decision = &discarded;
    // Ignored: a fallback that cannot count now will also fail when it has to decide.
    [[maybe_unused]] const Status ignored = deps_.fallback.acquire(call, requests.subspan(i, 1), {&decision, 1});
  }
}

void GuardedRateLimitStore::check_health() {
  ports::Call call;
  call.deadline = deps_.clock.steady() + timeout_;
  const auto health = deps_.store.health(call);
  if (!health) return on_failure(HealthCheck, health.error());
  const std::lock_guard lock(mutex_);
  switch (state_) {
    case State::Available: return reset_failures(HealthCheck);
    case State::Unavailable: state_ = State::Trial; return;
    case State::Trial:  // no charge succeeded since the last health check, or the state would be Available already
      return become_available();
  }
}

GuardedRateLimitStore::CallKind GuardedRateLimitStore::classify_call(
    std::span<const ports::AcquireRequest* const> requests) {
  for (const ports::AcquireRequest* const request : requests)
    if (request->is_charge()) return Charge;
  return Peek;
}

std::chrono::milliseconds GuardedRateLimitStore::timeout(CallKind kind) const {
  // Full timeout in Trial: a healthy but slow store must be able to come back.
  return state_ == State::Trial ? timeout_ : timeout_ / (1 + failures_[kind]);
}

void GuardedRateLimitStore::on_success(CallKind kind) {
  if (state_ == State::Available) return reset_failures(kind);
  if (kind != Charge) return;
  const std::lock_guard lock(mutex_);
  if (state_ == State::Trial) become_available();  // Unavailable: an old call; it proves nothing now
}

void GuardedRateLimitStore::reset_failures(CallKind last) {
  for (std::size_t kind = HealthCheck; kind <= last; ++kind)
    if (failures_[kind] != 0) failures_[kind] = 0;  // avoids writing a cache line that all threads read
}

void GuardedRateLimitStore::become_available() {
  reset_failures(Charge);
  state_ = State::Available;
  const auto outage = std::chrono::ceil<std::chrono::seconds>(deps_.clock.steady() - unavailable_since_);
  const ports::LogField fields[] = {{"away_seconds", static_cast<std::uint64_t>(outage.count())}};
  deps_.log.log(ports::LogLevel::Info, "rate_limit.recovered", "the rate limiter is available again", fields);
}

void GuardedRateLimitStore::on_failure(CallKind kind, const Error& error) {
  const std::lock_guard lock(mutex_);
  recovery_time_ = deps_.clock.steady() + error.retry_after;
  if (state_ == State::Unavailable) return;
  if (state_ == State::Available && ++failures_[kind] < kMaxFailures) return;
  const bool was_available = state_ == State::Available;
  state_ = State::Unavailable;
  if (!was_available) return;
  unavailable_since_ = deps_.clock.steady();
  const ports::LogField fields[] = {{"cause", error.detail}};
  deps_.log.log(ports::LogLevel::Error, "rate_limit.unavailable",
                error.message + "; rate_limit.when_unavailable applies until the rate limiter is available again",
                fields);
}

ChargeMetrics::ChargeMetrics(const Description& description, const ports::Clock& clock, ports::Metrics& metrics,
                             ports::EventLog& log)
    : consequence_(description.consequence),
      clock_(clock),
      log_(log),
      allowed_(metrics.counter(description.counter, description.help, {{"outcome", "allowed"}})),
      denied_(metrics.counter(description.counter, description.help, {{"outcome", "denied"}})),
      failed_(metrics.counter(description.counter, description.help, {{"outcome", "failed"}})) {}

void ChargeMetrics::add(const Status& outcome, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) {
  if (!outcome) log_failure(outcome.error());
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i]->is_charge()) (!outcome ? failed_ : decisions[i]->allowed ? allowed_ : denied_).add();
}

void ChargeMetrics::log_failure(const Error& error) {
  if (error.code == ErrorCode::Cancelled || !log_throttle_.is_due(clock_.steady())) return;
  const ports::LogField fields[] = {{"cause", error.detail}};
  log_.log(ports::LogLevel::Error, "rate_limit.failed", std::string(consequence_) + ": " + error.message, fields);
}

MeteredRequestLimiter::MeteredRequestLimiter(ports::RateLimitStore& rate_limiter, const ports::Clock& clock,
                                             ports::Metrics& metrics, ports::EventLog& log)
    : rate_limiter_(rate_limiter),
      clock_(clock),
      outcomes_({"kbase_rate_limit_decisions_total", "Decisions of the rate limiter on requests, by outcome.",
                 "the rate limiter failed; requests get status 503"},
                clock, metrics, log),
      shared_(metrics.counter(
          "kbase_rate_limit_shared_decisions_total",
          "Decisions charged to the shared fallback bucket of a network because the rate limiter is full.")),
      seconds_(metrics.histogram("kbase_rate_limit_decision_duration_seconds",
                                 "Duration of a call of the rate limiter.", kBounds)) {}

Status MeteredRequestLimiter::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                      std::span<ports::Decision* const> decisions) {
  const auto start = clock_.steady();
  const auto outcome = rate_limiter_.acquire(call, requests, decisions);
  seconds_.observe(std::chrono::duration<double>(clock_.steady() - start).count());
  outcomes_.add(outcome, requests, decisions);
  if (!outcome) return outcome;
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i]->is_charge() && decisions[i]->account == ports::Decision::Account::Shared) shared_.add();
  return outcome;
}

MeteredTokenLimiter::MeteredTokenLimiter(ports::RateLimitStore& rate_limiter, const ports::Clock& clock,
                                         ports::Metrics& metrics, ports::EventLog& log)
    : rate_limiter_(rate_limiter),
      clock_(clock),
      log_(log),
      outcomes_({"kbase_rate_limit_token_decisions_total",
                 "Decisions of the rate limiter on token budgets of completions, by outcome.",
                 "the rate limiter failed; completions get status 503"},
                clock, metrics, log),
      adjusted_(adjustment_counter(metrics, "settled")),
      adjust_failed_(adjustment_counter(metrics, "failed")) {}

Status MeteredTokenLimiter::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                    std::span<ports::Decision* const> decisions) {
  const auto outcome = rate_limiter_.acquire(call, requests, decisions);
  outcomes_.add(outcome, requests, decisions);
  return outcome;
}

Status MeteredTokenLimiter::adjust(ports::Call& call, const ports::AcquireRequest& request,
                                   const ports::Decision& decision, std::uint32_t used) {
  const auto adjusted = rate_limiter_.adjust(call, request, decision, used);
  (adjusted ? adjusted_ : adjust_failed_).add();
  if (!adjusted && adjust_log_throttle_.is_due(clock_.steady())) {
    const ports::LogField fields[] = {{"cause", adjusted.error().detail}};
    log_.log(
        ports::LogLevel::Warning, "rate_limit.unadjusted",
        "estimated tokens could not be adjusted and stay charged until the end of the day: " + adjusted.error().message,
        fields);
  }
  return adjusted;
}

}  // namespace kbase::runtime
