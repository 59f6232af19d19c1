// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_tokens.hpp"

namespace kbase::runtime {
namespace {

ports::Counter& settlements(ports::Metrics& metrics, std::string_view outcome) {
  return metrics.counter("kbase_ledger_settlements_total",
                         "Estimates of tokens, by whether the ledger made of them what was used.",
                         {{"outcome", outcome}});
}

}  // namespace

MeteredTokens::MeteredTokens(ports::RateLimitStore& ledger, const ports::Clock& clock, ports::Metrics& metrics,
                             ports::EventLog& log)
    : ledger_(ledger),
      clock_(clock),
      log_(log),
      outcomes_(
          {"kbase_ledger_token_takes_total", "Budgets of tokens that completions asked ahead, by the ledger's answer.",
           "completions are answered with 503"},
          clock, metrics, log),
      settled_(settlements(metrics, "settled")),
      unsettled_(settlements(metrics, "failed")) {}

model::Status MeteredTokens::take(ports::Call& call, std::span<const ports::Take* const> takes,
                                  std::span<ports::Taken* const> taken) {
  const auto asked = ledger_.take(call, takes, taken);
  outcomes_.add(asked, takes, taken);
  return asked;
}

model::Status MeteredTokens::settle(ports::Call& call, const ports::Take& take, const ports::Taken& taken,
                                    std::uint32_t used) {
  const auto settled = ledger_.settle(call, take, taken, used);
  (settled ? settled_ : unsettled_).add();
  if (!settled && unsettled_said_.is_due(clock_.steady())) {
    const ports::LogField fields[] = {{"cause", settled.error().detail}};
    log_.log(ports::LogLevel::Warning, "ledger.unsettled",
             "estimates of tokens stay charged until the day is over: " + settled.error().message, fields);
  }
  return settled;
}

}  // namespace kbase::runtime
