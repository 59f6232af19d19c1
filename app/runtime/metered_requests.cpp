// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_requests.hpp"

#include <array>

namespace kbase::runtime {
namespace {

constexpr std::array<double, 8> kBounds = {0.000'001, 0.000'01, 0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1};

}  // namespace

MeteredRequests::MeteredRequests(ports::RateLimitStore& rate_limiter, const ports::Clock& clock,
                                 ports::Metrics& metrics, ports::EventLog& log)
    : rate_limiter_(rate_limiter),
      clock_(clock),
      outcomes_({"kbase_rate_limit_decisions_total",
                 "Requests that asked the rate limiter to be let in, by its answer.", "requests are answered with 503"},
                clock, metrics, log),
      shared_(metrics.counter(
          "kbase_rate_limit_shared_decisions_total",
          "Of these, those charged to the account that a network shares, as the rate limiter is full.")),
      seconds_(metrics.histogram("kbase_rate_limit_decision_duration_seconds", "What asking the rate limiter took.",
                                 kBounds)) {}

model::Status MeteredRequests::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                       std::span<ports::Decision* const> decisions) {
  const auto began = clock_.steady();
  const auto asked = rate_limiter_.acquire(call, requests, decisions);
  seconds_.observe(std::chrono::duration<double>(clock_.steady() - began).count());
  outcomes_.add(asked, requests, decisions);
  if (!asked) return asked;
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i]->is_charge() && decisions[i]->account == ports::Decision::Account::Shared) shared_.add();
  return asked;
}

}  // namespace kbase::runtime
