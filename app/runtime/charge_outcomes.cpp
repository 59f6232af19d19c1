// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/charge_outcomes.hpp"

#include <string>

namespace kbase::runtime {

ChargeOutcomes::ChargeOutcomes(const Of& of, const ports::Clock& clock, ports::Metrics& metrics, ports::EventLog& log)
    : consequence_(of.consequence),
      clock_(clock),
      log_(log),
      allowed_(metrics.counter(of.counter, of.help, {{"outcome", "allowed"}})),
      denied_(metrics.counter(of.counter, of.help, {{"outcome", "denied"}})),
      failed_(metrics.counter(of.counter, of.help, {{"outcome", "failed"}})) {}

void ChargeOutcomes::add(const model::Status& asked, std::span<const ports::AcquireRequest* const> requests,
                         std::span<ports::Decision* const> decisions) {
  if (!asked) say(asked.error());
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i]->is_charge()) (!asked ? failed_ : decisions[i]->allowed ? allowed_ : denied_).add();
}

void ChargeOutcomes::say(const model::Error& error) {
  if (error.code == model::ErrorCode::Cancelled || !said_.is_due(clock_.steady())) return;
  const ports::LogField fields[] = {{"cause", error.detail}};
  log_.log(ports::LogLevel::Error, "rate_limit.failed", std::string(consequence_) + ": " + error.message, fields);
}

}  // namespace kbase::runtime
