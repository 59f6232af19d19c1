// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_tokens.hpp"

namespace kbase::runtime {
namespace {

ports::Counter& settlements(ports::Metrics& metrics, std::string_view outcome) {
  return metrics.counter("kbase_rate_limit_adjustments_total",
                         "Estimates of tokens, by whether the rate limiter made of them what was used.",
                         {{"outcome", outcome}});
}

}  // namespace

MeteredTokens::MeteredTokens(ports::RateLimitStore& rate_limiter, const ports::Clock& clock, ports::Metrics& metrics,
                             ports::EventLog& log)
    : rate_limiter_(rate_limiter),
      clock_(clock),
      log_(log),
      outcomes_({"kbase_rate_limit_token_decisions_total",
                 "Budgets of tokens that completions asked ahead, by the rate limiter's answer.",
                 "completions are answered with 503"},
                clock, metrics, log),
      settled_(settlements(metrics, "settled")),
      unsettled_(settlements(metrics, "failed")) {}

model::Status MeteredTokens::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                     std::span<ports::Decision* const> decisions) {
  const auto asked = rate_limiter_.acquire(call, requests, decisions);
  outcomes_.add(asked, requests, decisions);
  return asked;
}

model::Status MeteredTokens::adjust(ports::Call& call, const ports::AcquireRequest& request,
                                    const ports::Decision& decision, std::uint32_t used) {
  const auto settled = rate_limiter_.adjust(call, request, decision, used);
  (settled ? settled_ : unsettled_).add();
  if (!settled && unsettled_said_.is_due(clock_.steady())) {
    const ports::LogField fields[] = {{"cause", settled.error().detail}};
    log_.log(ports::LogLevel::Warning, "rate_limit.unadjusted",
             "estimates of tokens stay charged until the day is over: " + settled.error().message, fields);
  }
  return settled;
}

}  // namespace kbase::runtime
