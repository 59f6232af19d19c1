// SPDX-License-Identifier: Apache-2.0
#include "app/composition/ledger.hpp"

#include "app/runtime/fallback_ledgers.hpp"
#include "app/runtime/metered_requests.hpp"
#include "app/runtime/metered_tokens.hpp"

namespace kbase::composition {
namespace {

constexpr std::chrono::milliseconds kProbePause{1000};

model::Result<std::unique_ptr<ports::RateLimitStore>> open_fallback(config::WhenUnavailable wanted, Backends& backends,
                                                                    Platform& platform) {
  switch (wanted) {
    case config::WhenUnavailable::Local:
      return backends.open_local_ledger();
    case config::WhenUnavailable::Allow:
      return std::unique_ptr<ports::RateLimitStore>(std::make_unique<runtime::AllowingLedger>(platform.clock));
    case config::WhenUnavailable::Deny:
      break;
  }
  return std::unique_ptr<ports::RateLimitStore>(std::make_unique<runtime::DenyingLedger>());
}

}  // namespace

model::Result<Ledger> open_ledger(const config::RateLimit& settings, Backends& backends, Platform& platform,
                                  ports::Metrics& metrics) {
  auto store = backends.open_ledger();
  if (!store) return store.error();
  Ledger ledger;
  ledger.store = *std::move(store);
  ports::RateLimitStore* asked = ledger.store.get();
  if (!asked->capabilities().inline_calls) {
    auto fallback = open_fallback(settings.when_unavailable, backends, platform);
    if (!fallback) return fallback.error();
    ledger.fallback = *std::move(fallback);
    ledger.guard = std::make_unique<runtime::GuardedLedger>(
        runtime::GuardedLedger::Parts{*ledger.store, *ledger.fallback, platform.clock, platform.log,
                                      metrics.counter("kbase_ledger_failures_total",
                                                      "Takes and settlements that the ledger did not answer in time."),
                                      metrics.counter("kbase_ledger_fallback_takes_total",
                                                      "Takes answered as rate_limit.when_unavailable says.")},
        settings.timeout);
    asked = ledger.guard.get();
  }
  ledger.metered_requests = std::make_unique<runtime::MeteredRequests>(*asked, platform.clock, metrics, platform.log);
  ledger.metered_tokens = std::make_unique<runtime::MeteredTokens>(*asked, platform.clock, metrics, platform.log);
  return ledger;
}

std::unique_ptr<runtime::Repeater> watch_ledger(const Ledger& ledger, runtime::ServiceProbes& probes) {
  if (!ledger.guard) return nullptr;
  return std::make_unique<runtime::Repeater>(kProbePause, [&guard = *ledger.guard, &probes] {
    guard.probe();
    probes.set(ports::Service::RateLimit, guard.is_present() ? ports::ServiceState::Up : ports::ServiceState::Down);
  });
}

}  // namespace kbase::composition
