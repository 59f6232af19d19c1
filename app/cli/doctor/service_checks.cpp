// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "app/cli/doctor/checks.hpp"
#include "app/cli/service_failure.hpp"
#include "app/composition/upstream_clients.hpp"

namespace kbase::cli::doctor {
namespace {

constexpr std::chrono::seconds kTimeout{5};
/// Precision of remote clocks: a rate limiter's decisions contain milliseconds, a Date header seconds.
constexpr std::chrono::milliseconds kOfARateLimiter{100}, kOfADate{1000};
/// Long enough to renew a certificate manually.
constexpr std::chrono::days kRenewalPeriod{14};

ports::Call call_of(const Base& base) {
  ports::Call call;
  call.deadline = base.platform.clock.steady() + kTimeout;
  return call;
}

/// Reports the health of an opened back end, or why it could not be opened.
template <class Port>
void check_health(Base& base, const Section& section, const Result<std::unique_ptr<Port>>& opened,
                  const std::string& check, Findings& findings) {
  Status health = opened ? Status() : Status(opened.error());
  if (opened && *opened == nullptr) return findings.skip(check, "no plugin is configured");
  if (opened) {
    ports::Call call = call_of(base);
    health = (*opened)->health(call);
  }
  if (health) return findings.ok(check, section.backend.plugin + " answers");
  const UpstreamService service{section.name, section.backend.config};
  // The timeout was the doctor's own, not the one of the section's setting.
  const bool is_late = health.error().code == ErrorCode::Deadline;
  const std::string remedy = is_late ? connection_hint(service) : remedy_for(health.error(), service);
  findings.fail(check, text_of(health.error()),
                remedy.empty() ? "see " + std::string(section.name) + ".config, and the service's own log" : remedy);
}

/// Peeks at a random client id. The end of its minute window reveals the rate limiter's clock.
void check_clock_of(Base& base, ports::RateLimitStore& rate_limiter, Findings& findings) {
  ports::AcquireRequest request;
  base.platform.random.fill(request.client_id);
  request.cost = 0;
  request.mode = ports::AcquireRequest::Mode::Peek;
  request.limits = {1, 1};
  ports::Decision decision;
  const ports::AcquireRequest* const requests[] = {&request};
  ports::Decision* const decisions[] = {&decision};
  ports::Call call = call_of(base);
  const auto before = base.platform.clock.now();
  if (const auto acquired = rate_limiter.acquire(call, requests, decisions); !acquired)
    return findings.skip("clock.rate_limit", text_of(acquired.error()));
  const auto ours = before + (base.platform.clock.now() - before) / 2;
  compare_clocks("clock.rate_limit", decision.minute.reset - std::chrono::minutes(1), ours, kOfARateLimiter, findings);
}

void check_certificate(const std::string& check, const curl::OriginInfo& origin, model::Instant now,
                       Findings& findings) {
  if (!origin.certificate_ends) return findings.skip(check, origin.origin + " is used without TLS");
  const std::string message =
      "the certificate of " + origin.origin + " is valid until " + model::format_instant(*origin.certificate_ends);
  if (*origin.certificate_ends - now >= kRenewalPeriod) return findings.ok(check, message);
  findings.warn(check, message, "renew it: after it expires, all requests to the service fail");
}

}  // namespace

void check_rate_limiter(Base& base, Findings& findings) {
  const auto rate_limiter = base.backends.open_rate_limiter();
  check_health(base, {"rate_limit", base.settings.rate_limit}, rate_limiter, "rate_limit", findings);
  if (!rate_limiter || !(*rate_limiter)->capabilities().shared)
    return findings.skip("clock.rate_limit", "the rate limiter has no clock of its own");
  check_clock_of(base, **rate_limiter, findings);
}

void check_cache(Base& base, Findings& findings) {
  check_health(base, {"cache", base.settings.cache}, base.backends.open_cache(), "cache", findings);
}

void check_code_host(Base& base, Findings& findings) {
  check_health(base, {"codehost", base.settings.codehost}, base.backends.open_code_host(), "codehost", findings);
}

void check_language_model(Base& base, Findings& findings) {
  check_health(base, {"llm", base.settings.llm}, base.backends.open_language_model(), "llm", findings);
}

void check_origins(Base& base, Findings& findings) {
  for (const Section& section : sections_of(base.settings)) {
    const std::string name(section.name);
    for (const auto& origin : composition::check_services(base.settings.upstream, section.backend.config)) {
      if (!origin) {
        findings.skip("certificate." + name, text_of(origin.error()));
        continue;
      }
      const auto now = base.platform.clock.now();
      check_certificate("certificate." + name, *origin, now, findings);
      if (origin->date) compare_clocks("clock." + name, *origin->date, now, kOfADate, findings);
    }
  }
}

}  // namespace kbase::cli::doctor
