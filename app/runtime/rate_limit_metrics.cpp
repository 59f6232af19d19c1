// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/rate_limit_metrics.hpp"

#include <array>
#include <string>

namespace kbase::runtime {
namespace {

constexpr std::array<double, 8> kBounds = {0.000'001, 0.000'01, 0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1};  // seconds

ports::Counter& adjustment_counter(ports::Metrics& metrics, std::string_view outcome) {
  return metrics.counter("kbase_rate_limit_adjustments_total",
                         "Adjustments of estimated tokens to the number used, by outcome.", {{"outcome", outcome}});
}

}  // namespace

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
