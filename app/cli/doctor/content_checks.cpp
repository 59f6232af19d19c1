// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "app/cli/doctor/checks.hpp"
#include "app/cli/session.hpp"
#include "app/composition/upstream_services.hpp"
#include "app/runtime/keys_and_plans.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/item_document.hpp"

namespace kbase::cli::doctor {
namespace {

constexpr std::chrono::seconds kContentTimeout{10}, kServiceTimeout{5};
/// Time for a running server to update its index. It does so several times per second, but a large batch takes longer.
constexpr std::chrono::seconds kFollowTimeout{3};
constexpr std::chrono::milliseconds kPollInterval{100};

constexpr const char* kRebuild =
    "run `kbase index rebuild`, or start the server, which rebuilds the index and serves everything but searches "
    "meanwhile";

ports::Call call_of(const Base& base, std::chrono::seconds timeout) {
  ports::Call call;
  call.deadline = base.platform.clock.steady() + timeout;
  return call;
}

void skip_all(std::initializer_list<const char*> checks, const std::string& why, Findings& findings) {
  for (const char* const check : checks) findings.skip(check, why);
}

void check_keys(Base& base, ports::ApiKeyStore& keys, Findings& findings) {
  const auto is_gone = [&](const std::string& plan) {
    for (const model::Plan& known : base.settings.plans)
      if (known.name == plan) return false;
    return true;
  };
  const auto planless = runtime::list_keys_without_plan(keys, is_gone, base.platform.clock);
  if (!planless) return findings.fail("keys", text_of(planless.error()), "see the check `store`");
  if (planless->empty()) return findings.ok("keys", "every key has a plan that the configuration defines");
  findings.fail(
      "keys",
      "the configuration does not define the plans of these keys: " + *planless + "; they get the public limits",
      "add the plans, or set other plans with `kbase keys update`");
}

/// Opens the stores if they exist. nullopt: they cannot be opened; the finding explains why.
std::optional<composition::Stores> open_stores(Base& base, Findings& findings) {
  const Section storage{"storage", base.settings.storage};
  if (const auto missing = missing_path(base.settings, storage.name, storage.backend); !missing.empty()) {
    findings.fail("store", "there is no " + missing.string(),
                  "create it with `kbase import` or `kbase restore`, or check data_dir in the configuration");
    return std::nullopt;
  }
  auto stores = base.backends.open_stores(composition::IfMissing::Fail);
  if (stores) return *std::move(stores);
  findings.fail(
      "store", text_of(stores.error()),
      stores.error().code == ErrorCode::NotFound
          ? "start the server once, which creates or migrates it"
          : "see the message on the page Troubleshooting of the manual; if the file is damaged, restore a backup");
  return std::nullopt;
}

bool check_store(Base& base, ports::ItemStore& items, Findings& findings) {
  ports::Call call = call_of(base, kContentTimeout);
  const auto health = items.health(call);
  const auto totals = items.totals(call, model::day_of(base.platform.clock.now()));
  const auto revision = items.revision(call);
  const bool answers = health && totals && revision;
  if (answers) {
    findings.ok("store", base.settings.storage.plugin + " answers: " + std::to_string(totals->items) +
                             " items, revision " + std::to_string(*revision));
    return true;
  }
  const Error& error = !health ? health.error() : !totals ? totals.error() : revision.error();
  findings.fail("store", text_of(error), "fix the cause, or restore a backup with `kbase restore`");
  return false;
}

/// Returns the remedy for an index that fails. An unreachable index cannot be rebuilt either.
std::string remedy_of(const Base& base, const Error& error) {
  const UpstreamService service{"search", base.settings.search.config};
  const bool is_away = error.code == ErrorCode::Unavailable || error.code == ErrorCode::Deadline;
  return is_away && composition::find_service_setting(service.config) ? connection_hint(service) : kRebuild;
}

/// Returns how many changes the index lacks, after waiting for a running server to apply them.
Result<std::uint64_t> changes_behind(Base& base, ports::ItemStore& items, ports::SearchIndex& index) {
  const auto until = base.platform.clock.steady() + (base.server ? kFollowTimeout : std::chrono::seconds(0));
  for (;;) {
    ports::Call call = call_of(base, kContentTimeout);
    const auto revision = KBASE_TRY(items.revision(call));
    const auto state = KBASE_TRY(index.state(call));
    if (state.revision >= revision) return std::uint64_t{0};
    if (base.platform.clock.steady() >= until) return revision - state.revision;
    std::this_thread::sleep_for(kPollInterval);
  }
}

void check_follows(Base& base, ports::ItemStore& items, ports::SearchIndex& index, Findings& findings) {
  const auto behind = changes_behind(base, items, index);
  if (!behind) return findings.fail("index.follows", text_of(behind.error()), remedy_of(base, behind.error()));
  if (*behind == 0) return findings.ok("index.follows", "the index has every change of the store");
  findings.fail("index.follows", std::to_string(*behind) + " changes of the store are not in the index",
                base.server ? "see the event index.behind in the server's log for the cause"
                            : "start the server, which updates the index, or run `kbase index rebuild`");
}

/// Returns why the index does not match this store and these settings. Empty: it matches.
std::string defect_of(const ports::IndexState& state, ports::ItemStore& items, model::Revision revision) {
  if (!state.complete) return "the index was built with other settings, or is incomplete";
  if (state.store_id != usecases::indexed_store_id(items.store_id()))
    return "the index was built from another store or by another version of kbase";
  if (state.revision > revision)
    return "the index is ahead of the store; an old copy of the store may have been restored";
  return {};
}

void check_index(Base& base, const composition::Stores& stores, Findings& findings) {
  const auto fail = [&](const std::string& message, std::string remedy = kRebuild) {
    findings.fail("index.complete", message, std::move(remedy));
    findings.skip("index.follows", "the index is not complete");
  };
  const auto fail_with = [&](const Error& error) { fail(text_of(error), remedy_of(base, error)); };
  if (const auto missing = missing_path(base.settings, "search", base.settings.search); !missing.empty())
    return fail("there is no index at " + missing.string());
  auto index = base.backends.open_index(stores);
  if (!index) return fail_with(index.error());
  ports::Call call = call_of(base, kContentTimeout);
  if (const auto health = index->port->health(call); !health) return fail_with(health.error());
  const auto state = index->port->state(call);
  if (!state) return fail_with(state.error());
  const auto revision = stores.items->revision(call);
  if (!revision) return fail(text_of(revision.error()), "see the check `store`");
  if (const std::string defect = defect_of(*state, *stores.items, *revision); !defect.empty()) return fail(defect);
  findings.ok("index.complete",
              std::string(index->port->fingerprint()) + ": " + std::to_string(state->documents) + " documents");
  check_follows(base, *stores.items, *index->port, findings);
}

/// Precision of remote clocks: a rate limiter's decisions contain milliseconds, a Date header seconds.
constexpr std::chrono::milliseconds kRateLimiterPrecision{100}, kDatePrecision{1000};
/// Long enough to renew a certificate manually.
constexpr std::chrono::days kRenewalPeriod{14};

/// Reports the health of an opened back end, or why it could not be opened.
template <class Port>
void check_health(Base& base, const Section& section, const Result<std::unique_ptr<Port>>& opened,
                  const std::string& check, Findings& findings) {
  Status health = opened ? Status() : Status(opened.error());
  if (opened && *opened == nullptr) return findings.skip(check, "no plugin is configured");
  if (opened) {
    ports::Call call = call_of(base, kServiceTimeout);
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
  ports::Call call = call_of(base, kServiceTimeout);
  const auto before = base.platform.clock.now();
  if (const auto acquired = rate_limiter.acquire(call, requests, decisions); !acquired)
    return findings.skip("clock.rate_limit", text_of(acquired.error()));
  const auto ours = before + (base.platform.clock.now() - before) / 2;
  compare_clocks("clock.rate_limit", decision.minute.reset - std::chrono::minutes(1), ours, kRateLimiterPrecision,
                 findings);
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

void check_content(Base& base, Findings& findings) {
  const auto storage = composition::load_plugin_config(chosen(base.settings, {"storage", base.settings.storage}));
  if (storage && storage->is_ephemeral)
    return skip_all({"store", "keys", "index.complete", "index.follows"},
                    "the storage is not persistent; it is filled at each start", findings);
  const auto stores = open_stores(base, findings);
  if (!stores || !check_store(base, *stores->items, findings))
    return skip_all({"keys", "index.complete", "index.follows"}, "the store does not answer", findings);
  check_keys(base, *stores->keys, findings);
  check_index(base, *stores, findings);
}

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
      if (origin->date) compare_clocks("clock." + name, *origin->date, now, kDatePrecision, findings);
    }
  }
}

}  // namespace kbase::cli::doctor
