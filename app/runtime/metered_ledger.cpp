// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_ledger.hpp"

#include <array>

namespace kbase::runtime {
namespace {

constexpr std::array<double, 8> kBounds = {0.000'001, 0.000'01, 0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1};

constexpr std::chrono::minutes kSilence{1};

ports::Counter& takes(ports::Metrics& metrics, std::string_view outcome) {
  return metrics.counter("kbase_ledger_takes_total", "Requests that asked the ledger to be let in, by its answer.",
                         {{"outcome", outcome}});
}

}  // namespace

MeteredLedger::MeteredLedger(ports::RateLimitStore& ledger, const ports::Clock& clock, ports::Metrics& metrics,
                             ports::EventLog& log)
    : ledger_(ledger),
      clock_(clock),
      log_(log),
      allowed_(takes(metrics, "allowed")),
      denied_(takes(metrics, "denied")),
      failed_(takes(metrics, "failed")),
      shared_(metrics.counter("kbase_ledger_shared_takes_total",
                              "Of these, those charged to the account that a network shares, as the ledger is full.")),
      seconds_(metrics.histogram("kbase_ledger_take_duration_seconds", "What asking the ledger took.", kBounds)) {}

model::Status MeteredLedger::take(ports::Call& call, std::span<const ports::Take* const> takes,
                                  std::span<ports::Taken* const> taken) {
  const auto began = clock_.steady();
  const auto asked = ledger_.take(call, takes, taken);
  const auto ended = clock_.steady();
  seconds_.observe(std::chrono::duration<double>(ended - began).count());
  if (!asked) say(asked.error(), ended);
  for (std::size_t i = 0; i < takes.size(); ++i) {
    if (!takes[i]->is_charge()) continue;
    (!asked ? failed_ : taken[i]->allowed ? allowed_ : denied_).add();
    if (asked && taken[i]->account == ports::Taken::Account::Shared) shared_.add();
  }
  return asked;
}

void MeteredLedger::say(const model::Error& error, SteadyTime now) {
  if (error.code == model::ErrorCode::Cancelled) return;
  SteadyTime until = silent_until_;
  if (now < until || !silent_until_.compare_exchange_strong(until, now + kSilence)) return;
  const ports::LogField fields[] = {{"cause", error.detail}};
  log_.log(ports::LogLevel::Error, "ledger.failed", "requests are answered with 503: " + error.message, fields);
}

}  // namespace kbase::runtime
